import HLSPlaylist
import OwnThreads
import Testing

@Suite("Malicious playlists", .ownThreads)
struct HostilePlaylistTests {
    private static func file(_ lines: [String]) throws -> LintFile {
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines).joined(separator: "\n")
        return try LintFile(name: "media.m3u8", bytes: Array(text.utf8))
    }

    private static let segment = ["#EXTINF:6,", "a.ts"]

    @Test("numbers at the limits of their ranges")
    func numbers() throws {
        let huge = String(repeating: "9", count: 300)
        let file = try Self.file(
            [
                "#EXT-X-MEDIA-SEQUENCE:18446744073709551615", "#EXT-X-DISCONTINUITY-SEQUENCE:18446744073709551615",
                "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=\(huge),HOLD-BACK=\(huge),PART-HOLD-BACK=0",
                "#EXT-X-PART-INF:PART-TARGET=\(huge)", "#EXT-X-SKIP:SKIPPED-SEGMENTS=18446744073709551615",
                "#EXT-X-START:TIME-OFFSET=-\(huge)", "#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:59Z",
                "#EXT-X-DATERANGE:ID=\"a\",CLASS=\"c\",START-DATE=\"0000-01-01T00:00:00Z\",DURATION=\(huge)",
                "#EXT-X-DATERANGE:ID=\"b\",CLASS=\"c\",START-DATE=\"9999-12-31T23:59:59Z\",DURATION=\(huge)",
                "#EXT-X-DATERANGE:ID=\"b\",END-DATE=\"9999-12-31T23:59:59Z\",END-ON-NEXT=YES",
                "#EXT-X-PART:URI=\"p\",DURATION=\(huge),BYTERANGE=\"18446744073709551615\"",
                "#EXT-X-PART:URI=\"p\",DURATION=0,BYTERANGE=\"18446744073709551615\"",
                "#EXTINF:\(huge),", "a.ts", "#EXT-X-BYTERANGE:18446744073709551615@0", "#EXTINF:\(huge),", "a.ts",
                "#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:0000-01-01T00:00:00Z",
                "#EXT-X-BYTERANGE:18446744073709551615", "#EXTINF:\(huge),", "a.ts",
                "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p\",BYTERANGE-START=18446744073709551615",
            ]
        )
        #expect(Linter().check(file).contains { $0.rule == "segment-too-long" })
        let other = try Self.file(["#EXT-X-MEDIA-SEQUENCE:0"] + Self.segment)
        #expect(Linter().check(reloadFrom: file, to: other).contains { $0.rule == "reload-sequence-decreased" })
        #expect(!Linter().check(reloadFrom: other, to: file).isEmpty)
        _ = Linter().check(reloadFrom: file, to: file)
    }

    @Test("thousands of overlapping ranges are each found once")
    func overlaps() throws {
        let count = 5000
        // Each range starts a second after the preceding one and lasts a day.
        let ranges = (0..<count).map { index in
            let time = PlaylistDate(seconds: 1_767_225_600 + Int64(index)).description
            return "#EXT-X-DATERANGE:ID=\"\(index)\",CLASS=\"c\",START-DATE=\"\(time)\",DURATION=86400"
        }
        let next = "#EXT-X-DATERANGE:ID=\"next\",CLASS=\"c\",START-DATE=\"2027-01-01T00:00:00.000Z\",END-ON-NEXT=YES"
        let file = try Self.file(ranges + [next] + Self.segment)
        let found = Linter().check(file).filter { $0.rule == "daterange-overlap" }
        #expect(found.map(\.line) == Array(4..<count + 3))
    }

    @Test("adjacent and nested ranges in any order")
    func nested() throws {
        func range(_ id: String, _ start: Int64, _ duration: Int) -> String {
            let time = PlaylistDate(seconds: 1_767_225_600 + start).description
            return "#EXT-X-DATERANGE:ID=\"\(id)\",CLASS=\"c\",START-DATE=\"\(time)\",DURATION=\(duration)"
        }
        let ranges = [
            range("late", 100, 10), range("touches", 90, 10), range("instant", 105, 0), range("covers", 80, 40),
            range("inside", 101, 1), range("apart", 200, 5), range("twin", 200, 5),
        ]
        let next = "#EXT-X-DATERANGE:ID=\"next\",CLASS=\"c\",START-DATE=\"2027-01-01T00:00:00.000Z\",END-ON-NEXT=YES"
        let found = Linter().check(try Self.file(ranges + [next] + Self.segment)).filter {
            $0.rule == "daterange-overlap"
        }
        #expect(found.map(\.line) == [6, 7, 9])
    }

    @Test(
        "the time is in proportion to the lines",
        arguments: [
            ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"f\"", "#EXTINF:6,", "a.ts"],
            ["#EXT-X-DATERANGE:ID=\"1\",X-%=\"a\""], ["#EXT-X-DATERANGE:ID=\"%\",CLASS=\"c\",CUE=\"PRE,POST\""],
            ["#EXT-X-PART:URI=\"%\",DURATION=1", "#EXT-X-DISCONTINUITY"],
            ["#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"%\""], ["#EXT-X-GAP", "#EXT-X-BITRATE:0"], ["#EXTINF:9,"], ["b.ts"],
        ]
    )
    func linear(_ lines: [String]) throws {
        let ratio = try ProcessorTime.ratio(of: 8000, to: 1000, below: 32) { count in
            let all = (0..<count).flatMap { index in lines.map { $0.replacing("%", with: "\(index)") } }
            let file = try Self.file(all)
            return {
                _ = Linter().check(file)
                _ = Linter().check(reloadFrom: file, to: file)
            }
        }
        // With eight times the lines, quadratic time would be 64 times as long.
        #expect(ratio < 32)
    }
}
