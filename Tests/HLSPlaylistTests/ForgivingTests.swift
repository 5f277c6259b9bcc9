import HLSPlaylist
import Testing
import VectorFiles

@Suite("Forgiving parsing")
struct ForgivingTests {
    /// The playlists of the vectors without errors and warnings, as text.
    private static let good: [(name: String, text: String, options: ParsingOptions)] = {
        let vectors = (try? PlaylistVectorFile.all()) ?? []
        return vectors.filter { $0.strict == nil && $0.findings.isEmpty && $0.files.count == 1 }.compactMap { vector in
            guard let text = String(validating: vector.files[0].bytes, as: UTF8.self), !text.utf8.contains(0x0D),
                !text.contains("\t"), !text.contains(" \n"), text.utf8.count < 4000
            else { return nil }
            return (vector.description, text, ParsingOptions(url: vector.url))
        }
    }()

    @Test("damage that players forgive does not change what is read", arguments: Damage.ofLines)
    func lines(_ damage: Damage) throws {
        var count = 0
        for (name, text, options) in Self.good {
            let wanted = try Playlist(parsing: text, options: options)
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for index in lines.indices where !lines[index].isEmpty {
                let line = lines[index]
                for damaged in damage.apply(line) {
                    lines[index] = damaged
                    let text = lines.joined(separator: "\n")
                    let problem = try Self.problem(text, wanted, options, changes: count % 8 == 0)
                    if let problem { Issue.record("\(name), line \(index + 1): \(damaged): \(problem)") }
                    count += 1
                }
                lines[index] = line
            }
        }
        #expect(count > 20)
    }

    @Test("damage of the whole file does not change what is read", arguments: Damage.ofPlaylists)
    func files(_ damage: Damage) throws {
        for (name, text, options) in Self.good {
            let wanted = try Playlist(parsing: text, options: options)
            for damaged in damage.apply(text) {
                if let problem = try Self.problem(damaged, wanted, options) { Issue.record("\(name): \(problem)") }
            }
        }
    }

    /// Returns the problem of parsing and writing a damaged playlist; nil if it works.
    ///
    /// - Parameter changes: Whether the playlist is also changed, written and parsed again.
    private static func problem(
        _ text: String,
        _ wanted: Playlist,
        _ options: ParsingOptions,
        changes: Bool = true
    ) throws -> String? {
        let bytes = Array(text.utf8)
        let read: Playlist
        do throws(PlaylistError) {
            read = try Playlist(parsing: bytes, options: options)
        } catch {
            return "\(error)"
        }
        guard try read.write() == bytes else { return "the written playlist differs" }
        switch (read, wanted) {
        case (.media(var read), .media(let wanted)):
            guard read == wanted else { return "other segments are read" }
            guard changes else { return nil }
            read.mediaSequence = 77
            for index in read.segments.indices where index % 2 == 0 {
                read.segments[index].uri = "new"
                read.segments[index].duration += 1
            }
            let again = try MediaPlaylist(parsing: read.write(), options: options)
            return again == read ? nil : "the changed playlist is not written"
        case (.multivariant(var read), .multivariant(let wanted)):
            guard read == wanted else { return "other variants are read" }
            guard changes else { return nil }
            for index in read.variants.indices where index % 2 == 0 {
                read.variants[index].uri = "new"
                read.variants[index].bandwidth += 1
            }
            for index in read.renditions.indices { read.renditions[index].name += "2" }
            let again = try MultivariantPlaylist(parsing: read.write(), options: options)
            return again == read ? nil : "the changed playlist is not written"
        default: return "the kind of the playlist differs"
        }
    }

    private static func multivariant(_ lines: String) throws -> MultivariantPlaylist {
        try MultivariantPlaylist(parsing: Array("#EXTM3U\n\(lines)\n".utf8))
    }

    private static func media(_ lines: String) throws -> MediaPlaylist {
        try MediaPlaylist(parsing: Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)\n".utf8))
    }

    @Test("an attribute name with an underscore costs the attribute and not the variant")
    func underscore() throws {
        let playlist = try Self.multivariant(
            "#EXT-X-STREAM-INF:BANDWIDTH=2,_AVG-BANDWIDTH=1,CODECS=\"avc1.4d401f, mp4a.40.2\"\nv.m3u8"
        )
        #expect(playlist.variants.map(\.uri) == ["v.m3u8"])
        #expect(playlist.variants.first?.codecs == ["avc1.4d401f", "mp4a.40.2"])
        #expect(playlist.variants.first?.otherAttributes == [])
    }

    @Test(
        "a malformed optional attribute of a variant is ignored",
        arguments: [
            "FRAME-RATE=fast", "FRAME-RATE=30000/1001", "RESOLUTION=640", "AVERAGE-BANDWIDTH=-1", "SCORE=high",
            "CODECS=\"\"", "AUDIO=\"\"", "CODECS=\"{$x}\"",
        ]
    )
    func optional(_ attribute: String) throws {
        let wanted = try Self.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=2\nv.m3u8")
        #expect(try Self.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=2,\(attribute)\nv.m3u8") == wanted)
    }

    @Test(
        "a variant without a usable BANDWIDTH remains",
        arguments: [
            ("", 0), (":", 0), (":BANDWIDTH=fast", 0), (":AVERAGE-BANDWIDTH=7", 7), (":BANDWIDTH=8.5", 8),
            (":bandwidth=8", 0),
        ] as [(String, UInt64)]
    )
    func bandwidth(_ attributes: String, _ wanted: UInt64) throws {
        let playlist = try Self.multivariant("#EXT-X-STREAM-INF\(attributes)\nv.m3u8")
        #expect(playlist.variants.map(\.bandwidth) == [wanted])
    }

    @Test("values of enumerated strings: other letter case is another value, and no tag is lost")
    func enumerated() throws {
        let media = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\""
        func rendition(_ more: String) throws -> MediaTag? { try Self.multivariant(media + more).renditions.first }
        #expect(try rendition(",DEFAULT=\"YES\"")?.isDefault == true)
        #expect(try rendition(",DEFAULT=yes")?.isDefault == nil)
        #expect(try rendition(",DEFAULT=TRUE")?.name == "A")
        let variant = try Self.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1,HDCP-LEVEL=TYPE-9\nv.m3u8").variants.first
        #expect(variant?.hdcpLevel == "TYPE-9")
        #expect(try Self.media("#EXT-X-PLAYLIST-TYPE:vod\n#EXTINF:6,\na.ts").playlistType == .vod)
    }

    @Test(
        "selection: spaces in CODECS are trimmed, a codec without meaning is not chosen, and FRAME-RATE=0 is not a rate"
    )
    func selection() throws {
        func chosen(_ lines: String) throws -> String? {
            try VariantSelector(PlayerCapabilities(codecs: .basic)).select(from: Self.multivariant(lines)).variant?.uri
        }
        #expect(try chosen("#EXT-X-STREAM-INF:BANDWIDTH=2,CODECS=\" avc1.4d401f , mp4a.40.2,\"\na.m3u8") == "a.m3u8")
        #expect(
            try chosen(
                """
                #EXT-X-STREAM-INF:BANDWIDTH=2,CODECS="avc1.ZZZZZZ,mp4a.40.2"
                a.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.4d401f,mp4a.40.2"
                b.m3u8
                """
            ) == "b.m3u8"
        )
        #expect(
            try chosen(
                """
                #EXT-X-STREAM-INF:BANDWIDTH=2,CODECS="avc1.4d401f",FRAME-RATE=0
                a.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.4d401f"
                b.m3u8
                """
            ) == "a.m3u8"
        )
    }

    @Test("a rendition without NAME has its language or group as its name")
    func name() throws {
        let playlist = try Self.multivariant(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",LANGUAGE="de"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b"
            """
        )
        #expect(playlist.renditions.map(\.name) == ["de", "b"])
    }

    @Test(
        "a malformed EXT-X-KEY never makes segments seem to be clear",
        arguments: ["", ":", ":URI=\"k\"", ":METHOD=,URI=\"k\"", ":METHOD AES-128,URI=\"k\"", ":method=AES-128"]
    )
    func key(_ attributes: String) throws {
        let playlist = try Self.media("#EXT-X-KEY\(attributes)\n#EXTINF:6,\na.ts")
        #expect(try playlist.resolvedSegments().allSatisfy { $0.keys.isEncrypted })
    }

    @Test(
        "initialization vectors",
        arguments: [
            ("0x01", 1), ("\"0x01\"", 1), ("00000000000000000000000000000001", 1), ("1", 1), ("0X1", 1),
            ("0x000000000000000000000000000000001", nil), ("0xG", nil), ("", nil),
        ] as [(String, UInt64?)]
    )
    func vector(_ text: String, _ wanted: UInt64?) throws {
        let key = try Self.media("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=\(text)\n#EXTINF:6,\na.ts").segments.first?
            .keys
            .first
        #expect(key?.method == .aes128 && key?.uri == "k")
        #expect(key?.iv == wanted.map { InitializationVector(mediaSequenceNumber: $0) })
    }

    @Test("an EXT-X-MAP with a malformed BYTERANGE remains")
    func map() throws {
        func map(_ range: String) throws -> MapTag? {
            try Self.media("#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\(range)\n#EXTINF:6,\na.m4s").segments.first?.map
        }
        #expect(try map("\"0-719\"") == MapTag(uri: "i.mp4"))
        #expect(try map("720@0") == MapTag(uri: "i.mp4", byteRange: ByteRange(length: 720, offset: 0)))
        #expect(try map("\" 720 @ 0 \"") == MapTag(uri: "i.mp4", byteRange: ByteRange(length: 720, offset: 0)))
    }

    @Test(
        "durations and Target Durations",
        arguments: [
            ("10.5,", 10.5), (" 10.5 ,title", 10.5), ("10.5", 10.5), ("10.5 title", 10.5), ("10.5;title", 10.5),
            ("10.5s,", 10.5), (",title", 0), ("-1,title", 0), ("nan,", 0),
        ]
    )
    func duration(_ text: String, _ wanted: Double) throws {
        let playlist = try Self.media("#EXTINF:\(text)\na.ts")
        #expect(playlist.segments.map(\.duration) == [wanted])
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
    }

    @Test(
        "integers with other text",
        arguments: [("5.2", 6), ("5 ", 5), ("5s", 5), ("\"5\"", 0), ("", 0), ("-5", 0)] as [(String, UInt64)]
    )
    func targetDuration(_ text: String, _ wanted: UInt64) throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:\(text)\n#EXTINF:5,\na.ts\n".utf8)
        #expect(try MediaPlaylist(parsing: bytes).targetDuration == wanted)
    }

    @Test(
        "other versions, missing, repeated or huge",
        arguments: ["", "99", "99999999999999999999", "3\n#EXT-X-VERSION:4"]
    )
    func version(_ text: String) throws {
        #expect(try Self.media("#EXT-X-VERSION:\(text)\n#EXTINF:5,\na.ts").segments.count == 1)
    }

    @Test("a title of a tab is empty, and the diagnostic names the character and its place")
    func tab() throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.97664,\t\nfileSequence0.ts\n".utf8)
        #expect(try MediaPlaylist(strictlyParsing: bytes).segments.map(\.title) == [""])
        let found = try Playlist.parseLeniently(bytes).diagnostics
        #expect(
            found.map(\.description) == [
                "3:17: note: EXTINF: a tab after the comma, which players ignore [tab-in-title]"
            ]
        )
    }

    @Test("a tab within a title is an error, and a control character elsewhere is named")
    func controls() throws {
        func messages(_ line: String) throws -> [String] {
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(line)\na.ts\n"
            return try Playlist.parseLeniently(Array(text.utf8)).diagnostics.map(\.description)
        }
        #expect(
            try messages("#EXTINF:6,a\tb") == ["3:12: error: the line contains a tab: remove it [control-character]"]
        )
        #expect(
            try messages("#EXTINF:6,a\u{1}") == [
                "3:12: error: the line contains the control character U+0001: remove it [control-character]"
            ]
        )
        #expect(
            try messages("#EXT-X-START:TIME-OFFSET=0,\tPRECISE=NO\n#EXTINF:6,") == [
                "3:28: warning: EXT-X-START: a tab is next to a comma or at the start of the attributes: remove it "
                    + "[whitespace]"
            ]
        )
        #expect(try messages("#EXTINF:6, ") == [])
        #expect(
            try messages("#EXTINF:6 ,") == [
                "3:10: warning: EXTINF: a space is next to the value: remove it [whitespace]"
            ]
        )
    }

    @Test(
        "a file that does not begin with #EXTM3U is not a playlist",
        arguments: ["", "<!DOCTYPE html>\n<html></html>\n", "a.ts\n", "#EXTINF:6,\na.ts\n", "# #EXTM3U\n"]
    )
    func noHeader(_ text: String) {
        #expect { try Playlist(parsing: text) } throws: { ($0 as? PlaylistError)?.rule == .missingExtM3U }
    }

    @Test("an empty file, white space before #EXTM3U, and text after it")
    func header() throws {
        for start in ["\u{FEFF}", "\n", " ", "\r\n \r\n"] {
            #expect(try Playlist(parsing: start + "#EXTM3U\n#EXT-X-TARGETDURATION:6\n").kind == .media)
        }
        #expect(try Playlist(parsing: "#EXTM3U x-tvg-url=\"a\"\n#EXT-X-TARGETDURATION:6\n").kind == .media)
    }
}
