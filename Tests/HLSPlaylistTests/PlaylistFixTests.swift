import Testing
import VectorFiles

@testable import HLSPlaylist

@Suite("Mechanical corrections")
struct PlaylistFixTests {
    private static func fixed(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let fixes = try Playlist.fixes(for: bytes)
        return String(decoding: Playlist.applying(fixes, to: bytes), as: UTF8.self)
    }

    private static func line(_ line: String) -> String { LineFixer(line).text }

    @Test(
        "a line is corrected",
        arguments: [
            ("#EXTINF:6.0,\t", "#EXTINF:6.0,"), ("#EXTINF:6.0", "#EXTINF:6.0,"),
            ("#EXTINF: 6.0 ,a title", "#EXTINF:6.0,a title"),
            ("#EXTINF:6,a\ttitle", "#EXTINF:6,a title"), (" a.ts ", "a.ts"), ("#EXT-X-ENDLIST \t", "#EXT-X-ENDLIST"),
            ("#EXT-X-VERSION: 6", "#EXT-X-VERSION:6"), ("#EXT-X-TARGETDURATION:5.5", "#EXT-X-TARGETDURATION:6"),
            ("#EXT-X-TARGET-DURATION:6", "#EXT-X-TARGETDURATION:6"), ("#ext-x-endlist", "#EXT-X-ENDLIST"),
            ("#EXT-X-PLAYLIST-TYPE:vod", "#EXT-X-PLAYLIST-TYPE:VOD"), ("#EXT-X-DISCONTINUTY", "#EXT-X-DISCONTINUITY"),
            ("#EXTXDISCONTINUITY", "#EXT-X-DISCONTINUITY"), ("#EXT-X-ENDLIST:", "#EXT-X-ENDLIST"),
            ("#EXT-X-MEDIASEQUENCE :5", "#EXT-X-MEDIA-SEQUENCE:5"), ("#EXT-X-GAP :", "#EXT-X-GAP"),
            (
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-01 00:00:00.000Z",
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z"
            ),
            (
                "#EXT-X-STREAM-INF:BANDWIDTH=1, CODECS=\"avc1.64001f, mp4a.40.2\" ,RESOLUTION=1x1,",
                "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1x1"
            ),
            ("#EXT-X-STREAM-INF:BANDWITH=1", "#EXT-X-STREAM-INF:BANDWIDTH=1"),
            ("#EXT-X-STREAM-INF:BANDWIDTH=\"1\"", "#EXT-X-STREAM-INF:BANDWIDTH=1"),
            (
                "#EXT-X-MEDIA:TYPE=\"AUDIO\",GROUP-ID=a,NAME=\"a, b\",DEFAULT=yes",
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a, b\",DEFAULT=YES"
            ),
            ("#EXT-X-KEY:METHOD=SAMPLE_AES,uri=\"k\"", "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\""),
            (
                "#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-01-01 00:00:00Z\"",
                "#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-01-01T00:00:00Z\""
            ),
        ]
    )
    func lines(_ line: String, _ expected: String) {
        let fixer = LineFixer(line)
        #expect(fixer.text == expected && !fixer.corrections.isEmpty)
        #expect(Self.line(expected) == expected, "the result needs no correction")
    }

    @Test(
        "a line that is correct, or whose intention is unknown, is not changed",
        arguments: [
            "# a comment ", "#EXTINF:6,  a title ", "#EXTINF:six,", "#EXT-X-CUE-OUT:30", "#EXT-OATCLS-SCTE35:/DA==",
            "#EXT-X-STREAM-INF:_AVG-BANDWIDTH=1,BANDWIDTH=2", "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"a\"\"b\"",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a", "#EXT-X-KEY:METHOD=SAMPLE-AES-CBC,URI=\"k\"",
            "#EXT-X-DATERANGE:ID=\"1\",X-COM-DURATION=\"4\"", "#EXT-X-STREAM-INF:BANDWIDTH=\"a, b\"",
            "#EXT-X-STREAM-INF:BANDWIDTH=1,CLOSED-CAPTIONS=NONE", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\"",
            "#EXT-X-STREAM-INF:BANDWIDTH=1,BANDWITH=2", "#EXT-X-TARGETDURATION:{$x}", "a b.ts", "",
            "#EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES=\"a\tb\"",
        ]
    )
    func unchanged(_ line: String) {
        let fixer = LineFixer(line)
        #expect(fixer.text == line && fixer.corrections.isEmpty)
    }

    @Test("the header is corrected: first line, version and Target Duration")
    func header() throws {
        #expect(
            try Self.fixed("\u{FEFF}#EXTINF:5.5,\na.ts\n#EXT-X-ENDLIST\n")
                == "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:5.5,\na.ts\n#EXT-X-ENDLIST\n"
        )
        #expect(
            try Self.fixed(
                "#EXTM3U\r\n#EXT-X-VERSION:1\r\n#EXT-X-TARGETDURATION: 4\r\n#EXTINF:5.5\r\na.ts\r\n#EXT-X-ENDLIST"
            )
                == "#EXTM3U\r\n#EXT-X-VERSION:3\r\n#EXT-X-TARGETDURATION:6\r\n#EXTINF:5.5,\r\na.ts\r\n#EXT-X-ENDLIST"
        )
        #expect(
            try Self.fixed("#EXTM3U\r\n#EXTINF:5,\r\na.ts\r\n")
                == "#EXTM3U\r\n#EXT-X-TARGETDURATION:5\r\n#EXTINF:5,\r\na.ts\r\n"
        )
        // The Target Duration of a live playlist must not change.
        let live = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:6,\na.ts\n"
        #expect(try Self.fixed(live) == live)
        #expect(try Self.fixed("<html></html>\n") == "<html></html>\n")
        #expect(try Self.fixed("") == "")
    }

    @Test("only the differing part of a line is replaced, and no character is split")
    func columns() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,é\tè\na.ts\n#EXTINF: 6,\nb.ts\n"
        let fixes = try Playlist.fixes(for: Array(text.utf8))
        #expect(fixes.map(\.line) == [3, 5])
        #expect(fixes.map(\.column) == [13, 9] && fixes.map(\.endColumn) == [14, 10])
        #expect(fixes.map(\.replacement) == [" ", ""])
        let split = PlaylistFix(line: 1, from: Array("\u{E9}".utf8), to: "\u{E8}", "")
        #expect(split.column == 1 && split.endColumn == 3 && split.replacement == "\u{E8}")
    }

    @Test("a misspelled tag does not become a second tag of its kind")
    func unique() throws {
        let text = "#EXTM3U\n#ext-x-version:99\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n"
        #expect(try Self.fixed(text) == text)
    }

    @Test("every attribute of the table is one that the reader knows, in the form of the table")
    func attributes() throws {
        for tag in TagName.allCases where tag.hasAttributes {
            let types = AttributeType.types(of: tag)
            #expect(!types.isEmpty, "\(tag)")
            for (name, type) in types {
                let value: String
                switch type {
                case .quoted, .codecs: value = "\"1\""
                case .date: value = "\"2026-01-01T00:00:00Z\""
                case .enumerated(let values): value = values[0]
                case .unquoted:
                    value = name == "RESOLUTION" ? "1x1" : name == "IV" || name.hasPrefix("SCTE35") ? "0x01" : "1"
                }
                let line = "#EXTM3U\n#\(tag.rawValue):\(name)=\(value)\n"
                let rules: Set<RuleID> = [.unknownAttribute, .malformedAttributeValue, .unknownEnumeratedValue]
                let diagnostics = try Playlist.parseLeniently(Array(line.utf8)).diagnostics
                    .filter { rules.contains($0.rule) }
                #expect(diagnostics == [], "\(tag) \(name)")
            }
        }
    }

    @Test("no correction makes a playlist of the vectors worse, and correcting twice changes nothing")
    func vectors() throws {
        for vector in try PlaylistVectorFile.all() {
            for bytes in vector.files.map(\.bytes) {
                // A vector may exceed a limit.
                guard let fixes = try? Playlist.fixes(for: bytes) else { continue }
                let result = Playlist.applying(fixes, to: bytes)
                #expect(try Playlist.fixes(for: result) == [])
                func errors(_ bytes: [UInt8]) throws -> Int {
                    try Playlist.parseLeniently(bytes).diagnostics.count { $0.severity == .error }
                }
                #expect(try errors(result) <= errors(bytes), "\(vector): \(fixes)")
                if fixes.isEmpty { #expect(result == bytes) }
            }
        }
    }

    @Test("a diagnostic ends after the attribute, the value or the white space that it is about")
    func ends() throws {
        func range(_ line: String) throws -> [Int] {
            let text = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:6\n\(line)\n"
            let found = try Playlist.parseLeniently(Array(text.utf8)).diagnostics.first { $0.line == 4 }
            return found.map { [$0.column, $0.endColumn] } ?? []
        }
        #expect(try range("#EXT-X-KEY:METHOD=AES-128,URI=key") == [31, 34])
        #expect(try range("#EXT-X-KEY:METHOD=AES-128,URI=\"key\",URI=\"k\"") == [37, 44])
        #expect(try range("#EXT-X-ENDLIST  ") == [15, 17])
        let missing = try range("#EXTINF:6")
        #expect(missing == [10, 10])
    }

    @Test("the fix of a diagnostic solves it")
    func diagnostics() throws {
        let text = """
            #EXTM3U
            #EXT-X-PLAYLIST-TYPE:VOD
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI=k,KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:6.0
            a.ts
            #EXT-X-ENDLIST  
            #EXT-X-EXAMPLE

            """
        var bytes = Array(text.utf8)
        let found = Linter().check(try LintFile(name: "a.m3u8", bytes: bytes))
        let solved = Set(found.filter { $0.fix != nil }.map(\.rule))
        #expect(solved.isSuperset(of: [.malformedAttributeValue, .missingComma, .whitespace]))
        #expect(solved.isSuperset(of: [.missingTargetDuration, "version-too-low"]))
        #expect(!solved.contains(.unknownTag))
        bytes = Playlist.applying(try Playlist.fixes(for: bytes), to: bytes)
        let remaining = Set(Linter().check(try LintFile(name: "a.m3u8", bytes: bytes)).map(\.rule))
        #expect(remaining.isDisjoint(with: solved))
    }

    @Test("applying the fix of a diagnostic of a vector removes the diagnostic")
    func vectorDiagnostics() throws {
        var count = 0
        for vector in try PlaylistVectorFile.all() {
            for (_, bytes) in vector.files {
                guard let file = try? LintFile(name: "a.m3u8", bytes: bytes) else { continue }
                let found = Linter().check(file)
                for diagnostic in found {
                    guard let fix = diagnostic.fix else { continue }
                    count += 1
                    let result = try LintFile(name: "a.m3u8", bytes: Playlist.applying([fix], to: bytes))
                    let before = found.count { $0.rule == diagnostic.rule }
                    let after = Linter().check(result).count { $0.rule == diagnostic.rule }
                    #expect(after < before, "\(vector): \(diagnostic)")
                }
            }
        }
        #expect(count > 10)
    }
}
