import HLSPlaylist
import Testing
import VectorFiles

@Suite("Edits of the list of segments")
struct SegmentEditTests {
    static let fairPlay = "KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
    static let encrypted = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:10
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://A",\(fairPlay)
        #EXT-X-MAP:URI="i.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00.000Z
        #EXTINF:6.0,
        a.m4s
        #EXTINF:6.0,
        b.m4s
        #EXT-X-ENDLIST

        """

    static func read(_ text: String) throws -> MediaPlaylist { try MediaPlaylist(parsing: Array(text.utf8)) }

    static func media(_ body: String) throws -> MediaPlaylist {
        try read("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + body)
    }

    static func text(_ playlist: MediaPlaylist) throws -> String {
        String(decoding: try playlist.write(), as: UTF8.self)
    }

    /// Returns whether writing is refused, because a segment has lost what applied to it.
    static func isRefused(_ text: String, _ edit: (inout MediaPlaylist) throws -> Void) throws -> Bool {
        var playlist = try read(text)
        try edit(&playlist)
        do {
            _ = try playlist.write()
            return false
        } catch {
            guard error.rule == .lostSegmentState else { throw error }
            return true
        }
    }

    @Test("the first remaining segment keeps the key, the initialization section and the date of the removed one")
    func removeFirst() throws {
        var playlist = try Self.read(Self.encrypted)
        try playlist.removeFirst()
        let expected = Self.encrypted.replacing("#EXTINF:6.0,\na.m4s\n", with: "")
            .replacing("SEQUENCE:10", with: "SEQUENCE:11").replacing("00:00:00.000Z", with: "00:00:06.000Z")
        #expect(try Self.text(playlist) == expected)
    }

    @Test("a direct change of the list that loses a key, an initialization section or a date is not written")
    func rawEdits() throws {
        #expect(try Self.isRefused(Self.encrypted) { $0.segments.removeFirst() })
        #expect(try Self.isRefused(Self.encrypted) { $0.segments.swapAt(0, 1) })
        #expect(try Self.isRefused(Self.encrypted) { $0.segments[0] = MediaSegment(uri: "new.m4s", duration: 6) })
        let lines = [
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://A\",\(Self.fairPlay)", "#EXT-X-MAP:URI=\"i.mp4\"",
            "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00.000Z",
        ]
        for line in lines {
            let others = lines.filter { $0 != line }.reduce(Self.encrypted) { $0.replacing($1 + "\n", with: "") }
            #expect(try Self.isRefused(others) { $0.segments.removeFirst() }, "\(line)")
        }
        let clear = lines.reduce(Self.encrypted) { $0.replacing($1 + "\n", with: "") }
        #expect(try !Self.isRefused(clear) { $0.segments.removeFirst() })
    }

    @Test("the error of a direct change names the line and the functions to use")
    func message() throws {
        var playlist = try Self.read(Self.encrypted)
        playlist.segments.removeFirst()
        let error = try #require(throws: PlaylistError.self) { try playlist.write() }
        #expect(error.diagnostic.line == 11)
        #expect(error.diagnostic.message.contains("its key (EXT-X-KEY)"))
        #expect(error.diagnostic.message.contains("removeFirst()"))
    }

    @Test("a direct change of the list that loses nothing is written")
    func harmlessRawEdits() throws {
        #expect(try !Self.isRefused(Self.encrypted) { $0.segments.removeLast() })
        #expect(try !Self.isRefused(Self.encrypted) { $0.segments.removeAll() })
        #expect(try !Self.isRefused(Self.encrypted) { $0.segments.append(MediaSegment(uri: "c.m4s", duration: 6)) })
        // The tags are copied by the caller.
        #expect(
            try !Self.isRefused(Self.encrypted) {
                let first = $0.segments.removeFirst()
                $0.segments[0].tags = first.tags
                $0.segments[0].programDateTime = first.programDateTime
            }
        )
        // The segments are decrypted, and the caller says so.
        #expect(
            try !Self.isRefused(Self.encrypted) {
                let first = $0.segments.removeFirst()
                $0.segments[0].keys = [.none]
                $0.segments[0].map = first.map
                $0.segments[0].programDateTime = first.programDateTime
            }
        )
        // All keys are removed, and no segment is.
        #expect(try !Self.isRefused(Self.encrypted) { $0.segments[0].keys = [] })
        // The keys are removed after an edit.
        #expect(
            try !Self.isRefused(Self.encrypted) {
                try $0.removeFirst()
                $0.segments[0].keys = []
            }
        )
    }

    @Test("a direct change after an edit is checked too")
    func rawEditAfterEdit() throws {
        let three = Self.encrypted.replacing("#EXT-X-ENDLIST", with: "#EXTINF:6.0,\nc.m4s\n#EXT-X-ENDLIST")
        #expect(
            try Self.isRefused(three) {
                try $0.removeFirst()
                $0.segments.removeFirst()
            }
        )
        #expect(
            try !Self.isRefused(three) {
                try $0.removeFirst()
                try $0.removeFirst()
            }
        )
        // The key of the segment after an advertisement is the one before it.
        let ad = try Self.read(Self.encrypted.replacing("skd://A", with: "skd://ad"))
        #expect(
            try Self.isRefused(three) {
                try $0.splice(ad, at: 1)
                $0.segments[3].keys = []
                $0.segments.remove(at: 2)
            }
        )
    }

    @Test("an EXT-X-KEY with a malformed attribute is not lost")
    func malformedKey() throws {
        let broken = Self.encrypted.replacing("URI=\"skd://A\"", with: "URI=skd://A")
        guard case .media(var playlist) = try Playlist.parseLeniently(Array(broken.utf8)).playlist else { return }
        var raw = playlist
        try playlist.removeFirst()
        #expect(try Self.text(playlist).contains("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://A\""))
        let first = raw.segments.removeFirst()
        raw.segments[0].map = first.map
        raw.segments[0].programDateTime = first.programDateTime
        #expect(throws: PlaylistError.self) { try raw.write() }
    }

    @Test("an initialization vector that is the Media Sequence Number stays the same")
    func implicitVectors() throws {
        let body = "#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n"
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + body + "#EXTINF:6,\na.ts\n#EXTINF:6,\nb.ts\n#EXTINF:6,\nc.ts\n"
        var playlist = try Self.read(text)
        try playlist.removeFirst()
        #expect(try !Self.text(playlist).contains("IV="))
        playlist = try Self.read(text)
        try playlist.replaceSegments(1..<2, with: [])
        #expect(playlist.version == 2)
        let resolved = Array(try Self.read(Self.text(playlist)).resolvedSegments())
        #expect(resolved.map { $0.initializationVector(for: $0.keys.keys[0])?.bytes.last } == [7, 9])
        #expect(playlist.segments[1].isDiscontinuity)
        // The number is not advanced by a direct change.
        #expect(
            try Self.isRefused(text) {
                $0.segments[1].keys = [KeyTag(method: .aes128, uri: "k")]; $0.segments.removeFirst()
            }
        )
    }

    @Test("a discontinuity of a removed segment counts in the Discontinuity Sequence Number")
    func discontinuities() throws {
        var playlist = try Self.media(
            "#EXTINF:6,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nb.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nc.ts\n"
        )
        let before = try playlist.resolvedSegments().map(\.discontinuitySequenceNumber)
        try playlist.removeFirst(2)
        #expect(playlist.discontinuitySequence == 1 && playlist.mediaSequence == 2)
        #expect(try playlist.resolvedSegments().map(\.discontinuitySequenceNumber) == [before[2]])
    }

    @Test("trimming the end removes the tags after the last segment")
    func trim() throws {
        var playlist = try Self.media(
            """
            #EXT-X-PART-INF:PART-TARGET=1
            #EXTINF:6,
            a.ts
            #EXTINF:6,
            b.ts
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:12.000Z
            #EXTINF:6,
            c.ts
            #EXT-X-PART:URI="d.0.ts",DURATION=1
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="d.1.ts"

            """
        )
        try playlist.trim(to: 1..<2)
        let expected = """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:1
            #EXT-X-PART-INF:PART-TARGET=1
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:06.000Z
            #EXTINF:6,
            b.ts

            """
        #expect(try Self.text(playlist) == expected)
    }

    @Test("an appended segment completes the upcoming one")
    func append() throws {
        var playlist = try Self.media(
            """
            #EXT-X-PART-INF:PART-TARGET=3
            #EXTINF:6,
            a.ts
            #EXT-X-KEY:METHOD=AES-128,URI="k2"
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:06.000Z
            #EXT-X-PART:URI="b.0.ts",DURATION=3
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="b.1.ts"

            """
        )
        try playlist.append(MediaSegment(uri: "b.ts", duration: 6))
        #expect(playlist.segments[1].keys.map(\.uri) == ["k2"] && playlist.segments[1].parts.count == 1)
        #expect(playlist.segments[1].programDateTime?.description == "2026-01-01T00:00:06.000Z")
        #expect(playlist.upcoming == UpcomingSegment() && playlist.preloadHints.isEmpty)
        #expect(try Self.read(Self.text(playlist)) == playlist)
    }

    @Test("a clear advertisement is spliced into an encrypted film")
    func splice() throws {
        var playlist = try Self.read(Self.encrypted)
        let ad = try Self.media("#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:8,\n1.m4s\n#EXTINF:4,\n2.m4s\n")
        try playlist.splice(ad, at: 1, from: "https://ads.example/7/m.m3u8")
        let expected = """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:8
            #EXT-X-MEDIA-SEQUENCE:10
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://A",\(Self.fairPlay)
            #EXT-X-MAP:URI="i.mp4"
            #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00.000Z
            #EXTINF:6.0,
            a.m4s
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=NONE
            #EXT-X-MAP:URI="https://ads.example/7/i.mp4"
            #EXTINF:8,
            https://ads.example/7/1.m4s
            #EXTINF:4,
            https://ads.example/7/2.m4s
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://A",\(Self.fairPlay)
            #EXT-X-MAP:URI="i.mp4"
            #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:06.000Z
            #EXTINF:6.0,
            b.m4s
            #EXT-X-ENDLIST

            """
        #expect(try Self.text(playlist) == expected)
    }

    @Test("segments without an initialization section cannot follow ones with it, and nothing is changed")
    func formats() throws {
        var playlist = try Self.read(Self.encrypted)
        let before = playlist
        let error = #expect(throws: PlaylistError.self) {
            try playlist.splice(Self.media("#EXTINF:6,\nad.ts\n"), at: 1)
        }
        #expect(error?.rule == .invalidEdit && playlist == before)
        for range in [0..<3, -1..<1, 3..<3] {
            #expect(throws: PlaylistError.self, "\(range)") { try playlist.trim(to: range) }
            #expect(throws: PlaylistError.self, "\(range)") { try playlist.replaceSegments(range, with: []) }
        }
        #expect(throws: PlaylistError.self) { try playlist.removeFirst(3) }
        #expect(throws: PlaylistError.self) { try playlist.removeFirst(-1) }
        var update = try Self.media("#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n#EXTINF:6,\na.ts\n")
        #expect(throws: PlaylistError.self) { try update.removeFirst() }
    }

    @Test("a replacement keeps the key, the initialization section and the date of the segment that it replaces")
    func replace() throws {
        var playlist = try Self.read(Self.encrypted)
        try playlist.replaceSegments(0..<1, with: [MediaSegment(uri: "gap.m4s", duration: 6, isGap: true)])
        let expected = Self.encrypted.replacing("#EXTINF:6.0,\na.m4s", with: "#EXT-X-GAP\n#EXTINF:6,\ngap.m4s")
        #expect(try Self.text(playlist) == expected)
    }

    @Test("Date Ranges that may still be active move to the next segment")
    func dateRanges() throws {
        let body = """
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
            #EXT-X-DATERANGE:ID="over",START-DATE="2026-01-01T00:00:00.000Z",DURATION=5
            #EXT-X-DATERANGE:ID="active",START-DATE="2026-01-01T00:00:00.000Z",DURATION=10
            #EXT-X-DATERANGE:ID="open",START-DATE="2026-01-01T00:00:00.000Z"
            #EXTINF:6,
            a.ts
            #EXTINF:6,
            b.ts

            """
        var playlist = try Self.media(body)
        try playlist.removeFirst()
        #expect(playlist.segments[0].dateRanges.map(\.id) == ["active", "open"])
    }

    @Test("lines that refer to variables of the other playlist are written with their values")
    func variables() throws {
        var playlist = try Self.media("#EXTINF:6,\na.ts\n")
        let header = "#EXT-X-DEFINE:NAME=\"v\",VALUE=\"1\"\n#EXT-X-VERSION:8\n"
        try playlist.splice(Self.media(header + "#EXTINF:6,\n{$v}.ts\n#EXT-X-ENDLIST\n#EXTINF:6,\nc.ts\n"), at: 1)
        let text = try Self.text(playlist)
        #expect(text.hasSuffix("a.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\n1.ts\n#EXTINF:6,\nc.ts\n"))
        #expect(try Self.read(text) == playlist && playlist.version == 8)
    }

    @Test("the playlists of all vectors can be edited, and the result is read as it was written")
    func vectors() throws {
        var count = 0
        for vector in try PlaylistVectorFile.all() {
            for (_, bytes) in vector.files {
                guard case .media(let playlist)? = try? Playlist.parseLeniently(bytes).playlist else { continue }
                let half = playlist.segments.count / 2
                var edits: [MediaPlaylist] = []
                func edit(_ change: (inout MediaPlaylist) throws -> Void) {
                    var copy = playlist
                    if (try? change(&copy)) != nil { edits.append(copy) }
                }
                edit { try $0.removeFirst(half) }
                edit { try $0.trim(to: half..<$0.segments.count) }
                edit { try $0.trim(to: 0..<half) }
                edit { try $0.replaceSegments(half..<half + 1, with: []) }
                edit { try $0.append(MediaSegment(uri: "new.ts", duration: 1)) }
                edit { try $0.splice(playlist, at: half, from: "https://ads.example/") }
                for edited in edits {
                    // A value that could not be read, such as a date after 9999, may not be writable.
                    guard let written = try? edited.write() else { continue }
                    guard case .media(let again) = try Playlist.parseLeniently(written).playlist else { continue }
                    count += 1
                    #expect(again.segments.count == edited.segments.count, "\(vector)")
                    #expect(again.segments.map(\.keys) == edited.segments.map(\.keys), "\(vector)")
                }
            }
        }
        #expect(count > 500)
    }
}
