import HLSPlaylist
import OwnThreads
import Testing

@Suite("Presentation rules", .ownThreads)
struct PresentationRuleTests {
    static let rules = LintRule.all.filter { rule in PresentationCases.all.contains { $0.rule == rule.id.rawValue } }

    @Test("violations are found on the right line only", arguments: PresentationCases.all)
    func breaking(_ one: RuleFiles) throws {
        let findings = try RuleFiles.findings(one.breaking, Self.rules)
        #expect(findings == one.findings)
        #expect(one.findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("similar presentations pass", arguments: PresentationCases.all)
    func passing(_ one: RuleFiles) throws {
        #expect(try RuleFiles.findings(one.passing, Self.rules).isEmpty)
    }

    @Test("every rule has a case")
    func complete() {
        let ids = LintRule.all.filter { $0.subject == .presentation }.map(\.id.rawValue)
        let cases = Set((PresentationCases.all + ContentProtectionCases.all).map(\.rule))
        #expect(ids.count == 28)
        #expect(ids.filter { !cases.contains($0) }.isEmpty)
    }

    @Test("a playlist with many references is loaded only once")
    func loadsOnce() throws {
        let text = "#EXTM3U\n" + String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n", count: 500)
        let main = try LintFile(name: "main.m3u8", bytes: Array(text.utf8))
        let media = try LintFile(name: "a", bytes: Array(RuleFiles.media("#EXTINF:6,\n0.ts").utf8))
        var count = 0
        let findings = Linter(rules: Self.rules).check(presentation: main) { _ in
            count += 1
            return media
        }
        #expect(findings.isEmpty)
        #expect(count == 1)
    }

    @Test("the peak is that of segments between 0.5 and 1.5 Target Durations plus half a second")
    func peaks() throws {
        /// Returns the highest BANDWIDTH that is too low, by bisection.
        func peak(_ segments: [(seconds: Double, bytes: Int)], target: Int = 6) throws -> Int {
            var lines: [String] = []
            for (seconds, bytes) in segments {
                lines += ["#EXTINF:\(seconds),", "#EXT-X-BYTERANGE:\(bytes)@0", "a.ts"]
            }
            let media = RuleFiles.media(lines.joined(separator: "\n")).replacing(
                "DURATION:6",
                with: "DURATION:\(target)"
            )
            var low = 0
            var high = 1 << 40
            while low + 1 < high {
                let middle = (low + high) / 2
                let main = RuleFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=\(middle)\na")
                let findings = try RuleFiles.findings([("main.m3u8", main), ("a", media)], Self.rules)
                if findings.isEmpty { high = middle } else { low = middle }
            }
            return high
        }
        // A single segment of half the Target Duration counts, but a shorter one does not.
        #expect(try peak([(3, 3000), (6, 3000)]) == 8000)
        #expect(try peak([(2.9, 3000), (6, 3000)]) == 6000 * 8 * 10 / 89)
        // Three segments of 3 s have a total of 9 s; four exceed 9.5 s.
        #expect(try peak([(1, 1000), (1, 4000), (1, 1000), (1, 100)]) == 16000)
        // The segments with the peak are in the middle, and are neither the longest nor the shortest set.
        #expect(try peak([(2, 100), (2, 4000), (2, 4000), (2, 3900), (2, 100)]) == 16000)
        #expect(try peak([(1, 10)]) == 1)
    }

    @Test("extreme numbers are handled")
    func hugeNumbers() throws {
        let huge = "1" + String(repeating: "0", count: 300)
        let lines = (0..<8).map { _ in
            "#EXTINF:\(huge),\n#EXT-X-BYTERANGE:18446744073709551615@0\na.ts\n#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:59Z"
        }
        let media = RuleFiles.media("#EXT-X-PLAYLIST-TYPE:VOD\n" + lines.joined(separator: "\n"))
            .replacing("DURATION:6", with: "DURATION:18446744073709551615")
        let other = media.replacing("9999-12-31", with: "0000-01-01").replacing(huge, with: "0")
        let main = RuleFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXT-X-STREAM-INF:BANDWIDTH=1\nb")
        let findings = try RuleFiles.findings([("main.m3u8", main), ("a", media), ("b", other)], Self.rules)
        #expect(findings.contains("b:program-date-times-differ@8"))
        #expect(findings.contains("b:durations-differ@0"))
    }

    @Test("the time is proportional to the number of lines")
    func hostile() throws {
        let rules = LintRule.all.filter { $0.subject == .presentation }
        var findings: [String] = []
        let ratio = ProcessorTime.ratio(of: 8, to: 1, below: 32) { times in
            let files = Self.hostile(times)
            return { findings = (try? RuleFiles.findings(files, rules)) ?? [] }
        }
        #expect(findings.count == 1_999)
        // With eight times the lines, quadratic time would be 64 times as long.
        #expect(ratio < 32)
    }

    private static func hostile(_ times: Int) -> [(String, String)] {
        // Every segment has a new key, with the maximum number of key formats.
        let keys = (0..<1_250 * times).map { number in
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\(number)\",IV=0x\(number),KEYFORMAT=\"f\(number % 16)\"\n#EXTINF:6,\na.ts"
        }
        // Every variant has the same playlist, with a different HDCP-LEVEL than the preceding one.
        let variants = (0..<250 * times).map { number in
            "#EXT-X-STREAM-INF:BANDWIDTH=1,HDCP-LEVEL=TYPE-\(number % 2),ALLOWED-CPC=\"f\(number % 16):A\"\na"
        }
        let main = RuleFiles.multivariant(variants.joined(separator: "\n"))
        return [("main.m3u8", main), ("a", RuleFiles.media(keys.joined(separator: "\n")))]
    }
}
