import HLSPlaylist
import Testing

@Suite("Protected presentation")
struct ProtectedPresentationTests {
    /// A change that violates one rule, and the one expected finding.
    struct Violation: Sendable, CustomTestStringConvertible {
        let rule: String
        /// The file of the finding, and text on its line; nil for the whole file.
        let place: (file: String, text: String?)
        /// The findings in the Multivariant Playlist that the violation also causes.
        var consequences: [String] = []
        let change: @Sendable (inout ProtectedPresentation) -> Void
        var testDescription: String { rule }
    }

    static func findings(_ presentation: ProtectedPresentation) throws -> [String] {
        try RuleFiles.findings(presentation.files, LintRule.all)
    }

    @Test("the presentation has no findings")
    func sound() throws {
        #expect(try Self.findings(ProtectedPresentation()).isEmpty)
    }

    @Test("each violation causes one finding", arguments: violations)
    func violation(_ one: Violation) throws {
        var presentation = ProtectedPresentation()
        one.change(&presentation)
        let line = one.place.text.map { presentation.line(of: $0, in: one.place.file) } ?? 0
        let place = "\(one.rule)@\(line)"
        let expected = one.place.file == "main.m3u8" ? place : "\(one.place.file):\(place)"
        #expect(try Self.findings(presentation) == one.consequences + [expected])
    }

    static let violations: [Violation] = [
        Violation(rule: "hdcp-levels-share-key", place: ("main.m3u8", "RESOLUTION=3840x2160")) {
            $0.replace("skd://film/uhd", by: "skd://film/hd", in: "uhd.m3u8")
            $0.replace("#EXT-X-SESSION-KEY:" + ProtectedPresentation.fairPlay("uhd"), by: "#", in: "main.m3u8")
        },
        Violation(rule: "keyformat-sets-differ", place: ("hd.m3u8", nil)) {
            $0.replace("#EXT-X-KEY:" + ProtectedPresentation.playReady("hd"), by: "#", in: "hd.m3u8")
        },
        Violation(rule: "fairplay-iv", place: ("audio.m3u8", "skd:")) {
            $0.replace("audio\",KEYFORMAT=\"com.a", by: "audio\",IV=0x\(iv("1")),KEYFORMAT=\"com.a", in: "audio.m3u8")
        },
        Violation(rule: "hdcp-level-missing", place: ("main.m3u8", "BANDWIDTH=5600000")) {
            $0.replace(
                "RESOLUTION=1920x1080,FRAME-RATE=25,HDCP-LEVEL=TYPE-0,",
                by: "RESOLUTION=1920x1080,FRAME-RATE=25,",
                in: "main.m3u8"
            )
        },
        Violation(rule: "hdcp-level-too-low", place: ("main.m3u8", "hd-i.m3u8")) {
            $0.replace("HDCP-LEVEL=TYPE-0,URI", by: "HDCP-LEVEL=NONE,URI", in: "main.m3u8")
        },
        Violation(rule: "map-before-key", place: ("audio.m3u8", "EXT-X-MAP")) {
            let map = "#EXT-X-MAP:URI=\"audio.mp4\",BYTERANGE=\"1200@0\""
            $0.replace(map, by: "#", in: "audio.m3u8")
            $0.replace("TYPE:VOD", by: "TYPE:VOD\n" + map, in: "audio.m3u8")
        },
        Violation(rule: "session-key-mismatch", place: ("main.m3u8", "METHOD=AES-128")) {
            let key = ProtectedPresentation.widevine("sd")
            $0.replace(key, by: key.replacing("SAMPLE-AES", with: "AES-128"), in: "main.m3u8")
        },
        Violation(rule: "duplicate-session-key", place: ("main.m3u8", ",METHOD=SAMPLE-AES")) {
            let key = ProtectedPresentation.playReady("uhd")
            let same = key.replacing("METHOD=SAMPLE-AES,", with: "").replacing(",KEYFORMATVERSIONS=\"1\"", with: "")
            $0.replace(key, by: "\(key)\n#EXT-X-SESSION-KEY:\(same),METHOD=SAMPLE-AES", in: "main.m3u8")
        },
        Violation(rule: "allowed-cpc-label-unknown", place: ("main.m3u8", "AppelMain")) {
            $0.replace(":AppleMain", by: ":AppelMain", in: "main.m3u8")
        },
        Violation(rule: "allowed-cpc-unused-keyformat", place: ("main.m3u8", "SL3000")) {
            $0.replace("com.microsoft.playready:", by: "com.microsoft.playready.x:", in: "main.m3u8")
        },
        Violation(rule: "keyformat-set-changes", place: ("sd.m3u8", "second")) {
            let keys = "#EXT-X-KEY:METHOD=NONE\n#EXT-X-KEY:" + ProtectedPresentation.fairPlay("sd")
            $0.replace(
                "#EXTINF:6.006,\n#EXT-X-BYTERANGE:899000\nsd.mp4",
                by: keys + "\n#EXTINF:6.006,\nsecond.mp4",
                in: "sd.m3u8"
            )
            $0.replace("#EXT-X-BYTERANGE:450000", by: "#EXT-X-BYTERANGE:450000@0", in: "sd.m3u8")
        },
        Violation(rule: "key-ivs-differ", place: ("uhd.m3u8", "playready")) {
            $0.replace("wuhd\"", by: "wuhd\",IV=0x\(iv("1"))", in: "uhd.m3u8")
            $0.replace("puhd\"", by: "puhd\",IV=0x\(iv("2"))", in: "uhd.m3u8")
        },
        // The session key still has the other URI.
        Violation(
            rule: "fairplay-uri-scheme",
            place: ("audio.m3u8", "https:"),
            consequences: ["session-key-missing@0", "session-key-unused@3"]
        ) {
            $0.replace("skd:", by: "https:", in: "audio.m3u8")
        },
        Violation(rule: "media-playlist-missing", place: ("main.m3u8", "TYPE=AUDIO")) { $0.files.remove(at: 4) },
        Violation(rule: "target-durations-differ", place: ("uhd.m3u8", "TARGETDURATION")) {
            $0.replace("DURATION:6", by: "DURATION:7", in: "uhd.m3u8")
        },
        Violation(rule: "bandwidth-below-peak", place: ("main.m3u8", "RESOLUTION=960x540,FRAME")) {
            $0.replace("BANDWIDTH=1400000", by: "BANDWIDTH=1198000", in: "main.m3u8")
        },
    ]

    private static func iv(_ digit: String) -> String { String(repeating: digit, count: 32) }
}
