import HLSPlaylist
import OwnThreads
import Testing

/// A playlist that violates a rule, and a similar one that does not.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: RuleID
    /// The line of the violation.
    let line: Int
    /// The lines after `#EXTM3U`, which is line 1.
    let broken: String
    let nearMiss: String

    init(_ rule: RuleID, at line: Int, _ broken: String, nearMiss: String) {
        self.rule = rule
        self.line = line
        self.broken = broken
        self.nearMiss = nearMiss
    }

    var testDescription: String { "\(rule) at line \(line): \(broken.prefix(60))" }

    /// Returns the lines of a playlist that violate the rule.
    func lines(_ text: String) throws -> [Int] {
        let file = try LintFile(name: "main.m3u8", bytes: Array("#EXTM3U\n\(text)\n".utf8))
        return Linter().check(file).filter { $0.rule == rule }.map(\.line)
    }
}

@Suite("Rules for Multivariant Playlists", .ownThreads)
struct MultivariantRuleTests {
    @Test(
        "violations are found on the right line, and similar playlists pass",
        arguments: variantCases + renditionCases
    )
    func rule(_ item: RuleCase) throws {
        #expect(try item.lines(item.broken) == [item.line])
        #expect(try item.lines(item.nearMiss) == [])
    }

    @Test("every rule has a case and a summary of one line")
    func complete() {
        let tested = Set((Self.variantCases + Self.renditionCases).map(\.rule))
        let first = LintRule.all.firstIndex { $0.id == "no-variants" } ?? 0
        let last = LintRule.all.firstIndex { $0.id == "session-data-id" } ?? 0
        let family = LintRule.all[first...last]
        #expect(family.count == 44)
        #expect(Set(family.map(\.id)) == tested)
        for rule in family {
            #expect(rule.subject == .multivariant)
            #expect(!rule.summary.isEmpty && !rule.summary.contains("\n") && !rule.summary.hasSuffix("."))
        }
    }

    @Test("a third stable ID is compared with both earlier ones")
    func thirdStableID() throws {
        func lines(_ ids: String...) throws -> [Int] {
            let tags = ids.map { "#EXT-X-STREAM-INF:BANDWIDTH=1\($0)\nv.m3u8\n" }
            let file = try LintFile(name: "main.m3u8", bytes: Array("#EXTM3U\n\(tags.joined())".utf8))
            return Linter().check(file).filter { $0.rule == "stable-id-differs" }.map(\.line)
        }
        let (one, two) = (",STABLE-VARIANT-ID=\"1\"", ",STABLE-VARIANT-ID=\"2\"")
        #expect(try lines(one, two, one) == [4, 6])
        #expect(try lines(one, one, "") == [6])
        #expect(try lines(one, one, one) == [])
    }

    @Test("messages quote values without control characters")
    func messages() throws {
        let long = String(repeating: "x", count: 99)
        let text = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=5,AVERAGE-BANDWIDTH=6,CODECS="avc1\u{202E}\u{85}.1",AUDIO="\(long)"
            v.m3u8

            """
        let found = Linter().check(try LintFile(name: "main.m3u8", bytes: Array(text.utf8)))
        let average = try #require(found.first { $0.rule == "average-bandwidth-above-peak" })
        #expect(average.message.contains("AVERAGE-BANDWIDTH=6") && average.message.contains("BANDWIDTH=5"))
        #expect(average.column == 31)
        for finding in found where finding.rule != "control-character" {
            #expect(!finding.message.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
            #expect(finding.message.count < 600)
        }
    }

    @Test("the time is proportional to the length of the playlist")
    func manyVariants() throws {
        let rules = LintRule.all.filter { $0.subject == .multivariant }
        var found: [Diagnostic] = []
        let ratio = try ProcessorTime.ratio(of: 10_000, to: 1_250, below: 32) { count in
            let file = try Self.manyVariants(count)
            return { found = Linter(rules: rules).check(file) }
        }
        #expect(found.count(where: { $0.rule == "groups-differ" }) == 10_000)
        #expect(found.count(where: { $0.rule == "group-missing" }) == 30_000)
        // With eight times the lines, quadratic time would be 64 times as long.
        #expect(ratio < 32)
    }

    private static func manyVariants(_ count: Int) throws -> LintFile {
        var text = "#EXTM3U\n"
        // A large first group with many small ones, one URI in many tags, and many variants would each reveal a nested
        // search.
        for index in 0..<count {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"first\",NAME=\"n\(index)\",URI=\"a.m3u8\","
            text += "STABLE-RENDITION-ID=\"\(index)\"\n"
        }
        for index in 0..<count {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\(index)\",NAME=\"n\",AUTOSELECT=YES,DEFAULT=YES\n"
            text += "#EXT-X-SESSION-DATA:DATA-ID=\"d\(index)\",VALUE=\"1\"\n"
        }
        for index in 0..<3 * count {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(index),CODECS=\"avc1.4D401E, mp4a\",AUDIO=\"no\(index)\"\n"
            text += "v\(index).m3u8\n"
        }
        return try LintFile(name: "main.m3u8", bytes: Array(text.utf8))
    }
}
