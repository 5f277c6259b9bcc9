import Foundation
import HLSPlaylist
import OwnThreads
import Testing
import VectorFiles

@Suite("The profile apple", .ownThreads)
struct AppleProfileTests {
    @Test("docs/apple-rules.md has all rules of the profile in the same order")
    func table() throws {
        let rules = LintRule.Profile.apple.rules.map { "\($0.id) | \($0.severity) | \($0.subject) | \($0.section)" }
        #expect(try RuleCatalogTests.rows(of: "docs/apple-rules.md") == rules)
    }

    @Test("rules have IDs of their own, a section of the specification, and a summary of one line")
    func rules() {
        let rules = LintRule.Profile.apple.rules
        #expect(Set((LintRule.all + rules).map(\.id)).count == LintRule.all.count + rules.count)
        for rule in rules {
            #expect(rule.id.rawValue.hasPrefix("apple-") && rule.section.hasPrefix("Apple "), "\(rule.id)")
            #expect(!rule.summary.isEmpty && rule.summary.count <= 120 && !rule.summary.contains("\n"), "\(rule.id)")
        }
    }

    @Test("the profile replaces a general rule only by a rule of higher severity with the same subject")
    func replaced() throws {
        let rules = LintRule.all(with: [.apple])
        let replaced = LintRule.all.filter { rule in !rules.contains { $0.id == rule.id } }
        #expect(replaced.count == 7)
        let page = try String(contentsOf: RuleCatalogTests.page("docs/apple-rules.md"), encoding: .utf8)
        for rule in replaced {
            let row = try #require(page.split(separator: "\n").first { $0.contains("Replaces `\(rule.id)`") })
            let stricter = try #require(LintRule.Profile.apple.rules.first { row.hasPrefix("| `\($0.id)` |") })
            #expect(stricter.severity == .error && rule.severity < .error)
            #expect(stricter.subject == rule.subject)
        }
        #expect(LintRule.all(with: []).map(\.id) == LintRule.all.map(\.id))
        #expect(Linter(profiles: [.apple], disabled: ["apple-no-sdr"]).rules.count == rules.count - 1)
    }

    @Test("every general rule to which the page refers exists")
    func references() throws {
        let page = try String(contentsOf: RuleCatalogTests.page("docs/apple-rules.md"), encoding: .utf8)
        let section = try #require(page.range(of: "## Requirements that general rules check"))
        let ids = page[section.upperBound...].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
        #expect(ids.count > 10)
        let known = Set(LintRule.all.map(\.id.rawValue))
        #expect(ids.filter { !known.contains($0) && !$0.hasSuffix("…") } == [])
    }

    @Test("a tag that the reader rejects counts as present")
    func rejected() throws {
        func found(_ text: String) throws -> [String] {
            let file = try LintFile(name: "main.m3u8", bytes: Array(text.utf8))
            return Linter(rules: LintRule.Profile.apple.rules).check(file).map(\.rule.rawValue)
        }
        let video = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=2x2\nv\n"
        let missing = ["apple-no-captions", "apple-no-i-frame-variants", "apple-single-bit-rate"]
        #expect(
            try found(video).filter(missing.contains) == [
                "apple-no-captions", "apple-no-i-frame-variants", "apple-single-bit-rate",
            ]
        )
        let rejected =
            "#EXT-X-MEDIA:GROUP-ID=\"a\"\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:REQ-X=1\nw\n"
        #expect(try found(video + rejected).filter(missing.contains) == [])
        let live = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n"
        #expect(try found(live) == ["apple-live-without-date"])
        #expect(try found(live.replacing("#EXTINF", with: "#EXT-X-PROGRAM-DATE-TIME:yesterday\n#EXTINF")) == [])
    }

    @Test("the time is proportional to the number of variants and segments")
    func time() throws {
        let linter = Linter(rules: LintRule.Profile.apple.rules)
        var found = 0
        let ratio = ProcessorTime.ratio(of: 8, to: 1, below: 32) { times in
            let files = Self.large(times)
            return {
                guard let main = files.first else { return }
                found = linter.check(presentation: main) { uri in files.first { $0.name == uri } }.count
            }
        }
        #expect(found > 1_000)
        // With eight times the lines, quadratic time would be 64 times as long.
        #expect(ratio < 32)
    }

    private static func large(_ times: Int) -> [LintFile] {
        var text = "#EXTM3U\n"
        for index in 0..<300 * times {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\(index % 2)\",NAME=\"n\(index)\",CHANNELS=\"\(index)\","
            text += "LANGUAGE=\"en\"\n#EXT-X-STREAM-INF:BANDWIDTH=\(index + 1),CODECS=\"avc1.640028\","
            text += "RESOLUTION=\(index + 1)x1080,AUDIO=\"g\(index)\",VIDEO-RANGE=PQ\nv\(index % 2)\n"
            text += "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,RESOLUTION=\(index + 1)x9,URI=\"v0\"\n"
        }
        let segments = (0..<1_000 * times).map { "#EXT-X-DISCONTINUITY\n#EXTINF:6,\n\($0).ts" }.joined(separator: "\n")
        let files = [("main.m3u8", text)] + ["v0", "v1"].map { ($0, RuleFiles.media(segments)) }
        return files.compactMap { try? LintFile(name: $0.0, bytes: Array($0.1.utf8)) }
    }
}
