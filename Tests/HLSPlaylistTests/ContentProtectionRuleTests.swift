import HLSPlaylist
import Testing

@Suite("Rules about content protection")
struct ContentProtectionRuleTests {
    /// The rules of docs/playlist-rules.md that this file is about.
    static let rules = LintRule.all.filter { rule in ContentProtectionCases.all.contains { $0.rule == rule.id.rawValue }
    }

    @Test("find what breaks them, at its line and nowhere else", arguments: ContentProtectionCases.all)
    func breaking(_ one: JudgedFiles) throws {
        let findings = try JudgedFiles.findings(one.breaking, Self.rules)
        #expect(findings == one.findings)
        #expect(one.findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("pass what comes near", arguments: ContentProtectionCases.all)
    func passing(_ one: JudgedFiles) throws {
        let findings = try JudgedFiles.findings(one.passing, Self.rules)
        #expect(!findings.contains { $0.contains(one.rule + "@") })
    }

    @Test("have a case each")
    func complete() {
        let ids = LintRule.all.map(\.id.rawValue)
        let first = ids.firstIndex(of: "key-none-with-attributes") ?? 0
        let last = ids.firstIndex(of: "allowed-cpc-unused-keyformat") ?? 0
        #expect(last - first == 36)
        #expect(Set(ids[first...last]) == Set(ContentProtectionCases.all.map(\.rule)))
    }

    @Test("say nothing that could be a key, and no token")
    func secrets() throws {
        let text = JudgedFiles.media(
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

    @Test("report a variant once, whatever shows that it is protected")
    func protectedOnce() throws {
        let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1920x1080"
        let media = ("a", JudgedFiles.media(Self.fairPlay + "\n#EXTINF:6,\n0.ts"))
        let expected = ["hdcp-level-missing@2"]
        let byKeys = "\(variant)\na"
        let byBoth = "\(variant),ALLOWED-CPC=\"com.apple.streamingkeydelivery:Main\"\na"
        for text in [byKeys, byBoth] {
            let findings = try JudgedFiles.findings([("main.m3u8", JudgedFiles.multivariant(text)), media], Self.rules)
            #expect(findings == expected)
        }
        let announced = JudgedFiles.multivariant(
            byKeys + "\n" + Self.fairPlay.replacing("X-KEY", with: "X-SESSION-KEY")
        )
        #expect(try JudgedFiles.findings([("main.m3u8", announced), media], Self.rules) == expected)
        #expect(try JudgedFiles.findings([("main.m3u8", JudgedFiles.multivariant(byKeys))], Self.rules).isEmpty)
    }

    @Test("stay quiet about what a delta update leaves out")
    func deltaUpdate() throws {
        let text = JudgedFiles.media(
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
        #expect(try JudgedFiles.findings([("a", text)], rules).isEmpty)
        #expect(try JudgedFiles.findings([("a", whole)], rules) == ["map-before-key@5"])
        let withoutMap = text.replacing("#EXT-X-MAP:URI=\"init.mp4\"", with: "#")
        #expect(try JudgedFiles.findings([("a", withoutMap)], rules).isEmpty)
    }

    @Test("ignore a key whose METHOD nobody knows, as clients do")
    func unknownMethod() throws {
        let text = JudgedFiles.media("#EXT-X-KEY:METHOD=ROT13,IV=0x1,KEYFORMAT=\"com.apple.fps\"\n#EXTINF:6,\na.ts")
        #expect(try JudgedFiles.findings([("a", text)], Self.rules).isEmpty)
    }

    static let fairPlay =
        "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
}
