import HLSPlaylist
import Testing

@Suite("Rules about presentations")
struct PresentationRuleTests {
    static let rules = LintRule.all.filter { rule in PresentationCases.all.contains { $0.rule == rule.id.rawValue } }

    @Test("find what breaks them, at its line and nowhere else", arguments: PresentationCases.all)
    func breaking(_ one: JudgedFiles) throws {
        let findings = try JudgedFiles.findings(one.breaking, Self.rules)
        #expect(findings == one.findings)
        #expect(one.findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("pass what comes near", arguments: PresentationCases.all)
    func passing(_ one: JudgedFiles) throws {
        #expect(try JudgedFiles.findings(one.passing, Self.rules).isEmpty)
    }

    @Test("have a case each")
    func complete() {
        let ids = LintRule.all.filter { $0.subject == .presentation }.map(\.id.rawValue)
        let cases = Set((PresentationCases.all + ContentProtectionCases.all).map(\.rule))
        #expect(ids.count == 23)
        #expect(ids.filter { !cases.contains($0) }.isEmpty)
    }

    @Test("load a playlist that many tags name once")
    func loadsOnce() throws {
        let text = "#EXTM3U\n" + String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n", count: 500)
        let main = try LintFile(name: "main.m3u8", bytes: Array(text.utf8))
        let media = try LintFile(name: "a", bytes: Array(JudgedFiles.media("#EXTINF:6,\n0.ts").utf8))
        var count = 0
        let findings = Linter(rules: Self.rules).check(presentation: main) { _ in
            count += 1
            return media
        }
        #expect(findings.isEmpty)
        #expect(count == 1)
    }

    @Test("take the peak of any segments that last half a Target Duration to one and a half and half a second")
    func peaks() throws {
        /// The highest BANDWIDTH that is too low, by halves.
        func peak(_ segments: [(seconds: Double, bytes: Int)], target: Int = 6) throws -> Int {
            var lines: [String] = []
            for (seconds, bytes) in segments {
                lines += ["#EXTINF:\(seconds),", "#EXT-X-BYTERANGE:\(bytes)@0", "a.ts"]
            }
            let media = JudgedFiles.media(lines.joined(separator: "\n")).replacing(
                "DURATION:6",
                with: "DURATION:\(target)"
            )
            var low = 0
            var high = 1 << 40
            while low + 1 < high {
                let middle = (low + high) / 2
                let main = JudgedFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=\(middle)\na")
                let findings = try JudgedFiles.findings([("main.m3u8", main), ("a", media)], Self.rules)
                if findings.isEmpty { high = middle } else { low = middle }
            }
            return high
        }
        // One segment of half the Target Duration counts, a shorter one does not.
        #expect(try peak([(3, 3000), (6, 3000)]) == 8000)
        #expect(try peak([(2.9, 3000), (6, 3000)]) == 6000 * 8 * 10 / 89)
        // Three segments of 3 s are 9 s; four last longer than 9.5 s.
        #expect(try peak([(1, 1000), (1, 4000), (1, 1000), (1, 100)]) == 16000)
        // The best are in the middle, and neither the longest nor the shortest run.
        #expect(try peak([(2, 100), (2, 4000), (2, 4000), (2, 3900), (2, 100)]) == 16000)
        #expect(try peak([(1, 10)]) == 1)
    }

    @Test("survive numbers that are out of proportion")
    func hugeNumbers() throws {
        let huge = "1" + String(repeating: "0", count: 300)
        let lines = (0..<8).map { _ in
            "#EXTINF:\(huge),\n#EXT-X-BYTERANGE:18446744073709551615@0\na.ts\n#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:59Z"
        }
        let media = JudgedFiles.media("#EXT-X-PLAYLIST-TYPE:VOD\n" + lines.joined(separator: "\n"))
            .replacing("DURATION:6", with: "DURATION:18446744073709551615")
        let other = media.replacing("9999-12-31", with: "0000-01-01").replacing(huge, with: "0")
        let main = JudgedFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXT-X-STREAM-INF:BANDWIDTH=1\nb")
        let findings = try JudgedFiles.findings([("main.m3u8", main), ("a", media), ("b", other)], Self.rules)
        #expect(findings.contains("b:program-date-times-differ@8"))
        #expect(findings.contains("b:durations-differ@0"))
    }

    @Test("take time in proportion to the lines, whatever they hold")
    func hostile() throws {
        let rules = LintRule.all.filter { $0.subject == .presentation }
        var findings: [String] = []
        let ratio = ProcessorTime.ratio(of: 8, to: 1, below: 32) { times in
            let files = Self.hostile(times)
            return { findings = (try? JudgedFiles.findings(files, rules)) ?? [] }
        }
        #expect(findings.count == 1_999)
        // Eight times the lines; the square would take 64 times as long.
        #expect(ratio < 32)
    }

    private static func hostile(_ times: Int) -> [(String, String)] {
        // Every segment has a new key, of as many key formats as are read.
        let keys = (0..<1_250 * times).map { number in
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\(number)\",IV=0x\(number),KEYFORMAT=\"f\(number % 16)\"\n#EXTINF:6,\na.ts"
        }
        // Every variant has the same playlist, with another level than the one before.
        let variants = (0..<250 * times).map { number in
            "#EXT-X-STREAM-INF:BANDWIDTH=1,HDCP-LEVEL=TYPE-\(number % 2),ALLOWED-CPC=\"f\(number % 16):A\"\na"
        }
        let main = JudgedFiles.multivariant(variants.joined(separator: "\n"))
        return [("main.m3u8", main), ("a", JudgedFiles.media(keys.joined(separator: "\n")))]
    }
}
