import HLSPlaylist
import Testing

@Suite("Content protection rules")
struct ContentProtectionRuleTests {
    /// The content protection rules.
    static let rules = LintRule.all.filter { rule in ContentProtectionCases.all.contains { $0.rule == rule.id.rawValue }
    }

    @Test("violations are found on the right line only", arguments: ContentProtectionCases.all)
    func breaking(_ one: RuleFiles) throws {
        let findings = try RuleFiles.findings(one.breaking, Self.rules)
        #expect(findings == one.findings)
        #expect(one.findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("similar playlists pass", arguments: ContentProtectionCases.all)
    func passing(_ one: RuleFiles) throws {
        let findings = try RuleFiles.findings(one.passing, Self.rules)
        #expect(!findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("every rule has a case")
    func complete() {
        let ids = LintRule.all.map(\.id.rawValue)
        let first = ids.firstIndex(of: "key-none-with-attributes") ?? 0
        let last = ids.firstIndex(of: "allowed-cpc-unused-keyformat") ?? 0
        #expect(last - first == 41)
        #expect(Set(ids[first...last]) == Set(ContentProtectionCases.all.map(\.rule)))
    }

    @Test("a Media Playlist that is declared to be clear is not reported, by its URI as written or resolved")
    func declaredClear() throws {
        let main = RuleFiles.multivariant(
            "#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",URI=\"a\""
        )
        let files = [
            ("https://h/v", RuleFiles.media(Self.fairPlay + "\n#EXTINF:6,\n0.ts")),
            ("https://h/a", RuleFiles.media("#EXTINF:6,\n0.ts")),
        ]
        let read = try files.map { try LintFile(name: $0, bytes: Array($1.utf8)) }
        let file = try LintFile(name: "https://h/main.m3u8", bytes: Array(main.utf8))
        func rules(_ clear: Set<String>) -> [RuleID] {
            var linter = Linter(
                rules: LintRule.all.filter { ["clear-variant", "clear-audio"].contains($0.id.rawValue) }
            )
            linter.options.clearPlaylists = clear
            return linter.check(presentation: file) { uri in read.first { $0.name == uri } }.map(\.diagnostic.rule)
        }
        #expect(rules([]) == ["clear-audio"])
        #expect(rules(["v", "b"]) == ["clear-audio"])
        #expect(rules(["a"]) == [])
        #expect(rules(["https://h/a"]) == [])
    }

    @Test("a finding about two files has the other file and its line")
    func otherFile() throws {
        let main = RuleFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n#EXT-X-STREAM-INF:BANDWIDTH=1\nw")
        let files = [
            ("v", RuleFiles.media("#EXTINF:6,\n0.ts")), ("w", RuleFiles.media(Self.fairPlay + "\n#EXTINF:6,\n0.ts")),
        ]
        let read = try files.map { try LintFile(name: $0, bytes: Array($1.utf8)) }
        let found = Linter().check(presentation: try LintFile(name: "main.m3u8", bytes: Array(main.utf8))) { uri in
            read.first { $0.name == uri }
        }
        let leak = try #require(found.first { $0.diagnostic.rule == "clear-variant" })
        #expect(leak.diagnostic.line == 2)
        #expect(leak.other == LintFinding.Place(file: "w", line: 4))
    }

    @Test("messages contain neither keys nor tokens")
    func secrets() throws {
        let text = RuleFiles.media(
            """
            #EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI="data:text/plain;base64,AAECAwQFBgcICQoLDA0ODw==",KEYFORMAT="IDENTITY"
            #EXT-X-KEY:METHOD=AES-128,URI="data:text/plain;base64,AAECAwQFBgcICQoLDA0ODw=="
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="http://k.example.com/1?token=AAECAwQ",KEYFORMAT="com.microsoft.playready"
            #EXTINF:6,
            a.ts
            """
        )
        let diagnostics = Linter().check(try LintFile(name: "a", bytes: Array(text.utf8)))
        #expect(diagnostics.count > 4)
        #expect(diagnostics.allSatisfy { !$0.message.contains("AAECAwQ") })
    }

    @Test("a protected variant is reported once, regardless of what indicates its protection")
    func protectedOnce() throws {
        let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1920x1080"
        let media = ("a", RuleFiles.media(Self.fairPlay + "\n#EXTINF:6,\n0.ts"))
        let expected = ["hdcp-level-missing@2"]
        let byKeys = "\(variant)\na"
        let byBoth = "\(variant),ALLOWED-CPC=\"com.apple.streamingkeydelivery:Main\"\na"
        for text in [byKeys, byBoth] {
            let findings = try RuleFiles.findings([("main.m3u8", RuleFiles.multivariant(text)), media], Self.rules)
            #expect(findings == expected)
        }
        let announced = RuleFiles.multivariant(
            byKeys + "\n" + Self.fairPlay.replacing("X-KEY", with: "X-SESSION-KEY")
        )
        #expect(try RuleFiles.findings([("main.m3u8", announced), media], Self.rules) == expected)
        #expect(try RuleFiles.findings([("main.m3u8", RuleFiles.multivariant(byKeys))], Self.rules).isEmpty)
    }

    @Test("lines that a delta update skips do not cause findings")
    func deltaUpdate() throws {
        let text = RuleFiles.media(
            """
            #EXT-X-SKIP:SKIPPED-SEGMENTS=10
            #EXT-X-MAP:URI="init.mp4"
            #EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI="data:,",KEYFORMAT="com.microsoft.playready"
            #EXTINF:6,
            a.m4s
            """,
            ended: false
        )
        let whole = text.replacing("#EXT-X-SKIP:SKIPPED-SEGMENTS=10", with: "#")
        let rules = LintRule.all.filter { ["map-before-key", "ctr-without-map"].contains($0.id.rawValue) }
        #expect(try RuleFiles.findings([("a", text)], rules).isEmpty)
        #expect(try RuleFiles.findings([("a", whole)], rules) == ["map-before-key@5"])
        let withoutMap = text.replacing("#EXT-X-MAP:URI=\"init.mp4\"", with: "#")
        #expect(try RuleFiles.findings([("a", withoutMap)], rules).isEmpty)
    }

    @Test("a key with an unknown METHOD is ignored, as clients do")
    func unknownMethod() throws {
        let text = RuleFiles.media("#EXT-X-KEY:METHOD=ROT13,IV=0x1,KEYFORMAT=\"com.apple.fps\"\n#EXTINF:6,\na.ts")
        #expect(try RuleFiles.findings([("a", text)], Self.rules).isEmpty)
    }

    static let fairPlay =
        "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
}
