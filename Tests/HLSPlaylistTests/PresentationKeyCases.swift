// Cases for the rules for session keys, keys of several playlists, output protection and allowed devices.
extension ContentProtectionCases {
    /// A presentation with two variants, starting at line 4, and their Media Playlists.
    private static func presentation(
        _ lines: String = "#\n#",
        _ first: String = "CODECS=\"a\"",
        _ second: String = "CODECS=\"a\"",
        a: String,
        b: String
    ) -> [(name: String, text: String)] {
        let main = lines + "\n#EXT-X-STREAM-INF:BANDWIDTH=1,\(first)\na\n#EXT-X-STREAM-INF:BANDWIDTH=2,\(second)\nb"
        return [
            ("main.m3u8", RuleFiles.multivariant(main)), ("a", a), ("b", b),
        ]
    }

    static let sessionKeys = [
        RuleFiles(
            "session-key-none",
            breaks: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=NONE"),
            at: "session-key-none@2",
            passes: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)")
        ),
        RuleFiles(
            "duplicate-session-key",
            breaks: RuleFiles.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0A,KEYFORMAT=\"identity\"\n"
                    + "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0a,KEYFORMATVERSIONS=\"1\""
            ),
            at: "key-iv-length@2",
            "duplicate-session-key@3",
            "key-iv-length@3",
            passes: RuleFiles.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0A\n#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0B"
            )
        ),
        RuleFiles(
            "session-key-mismatch",
            breaks: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"k/1\",\(iv)\n#",
                a: key("METHOD=AES-128,URI=\"k/1\",\(iv)"),
                b: key("METHOD=AES-128,URI=\"./k/1\",\(iv)")
            ),
            at: "session-key-mismatch@2",
            passes: presentation(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k/1\",\(iv)\n#",
                a: key("METHOD=AES-128,URI=\"k/1\",KEYFORMATVERSIONS=\"1\""),
                b: key("METHOD=AES-128,URI=\"k/2\",KEYFORMATVERSIONS=\"2\"")
            )
        ),
        RuleFiles(
            "session-key-missing",
            breaks: presentation(a: fairPlayKey("URI=\"skd://1\""), b: fairPlayKey("URI=\"skd://1\"")),
            at: "session-key-missing@0",
            passes: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://1\"")
            )
        ),
        RuleFiles(
            "keyformat-sets-differ",
            breaks: presentation(
                a: fairPlayKey("URI=\"skd://1\""),
                b: key("METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)")
            ),
            at: "b:keyformat-sets-differ@0",
            passes: presentation(a: fairPlayKey("URI=\"skd://1\""), b: RuleFiles.media("#EXTINF:6,\na.ts"))
        ),
    ]

    static let outputs = [
        RuleFiles(
            "hdcp-level-missing",
            breaks: RuleFiles.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=578x1024\na\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=576x1024\nb"
            ),
            at: "hdcp-level-missing@3",
            passes: RuleFiles.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"https://k\",\(iv)\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1920x1080\na"
            )
        ),
        RuleFiles(
            "hdcp-level-too-low",
            breaks: presentation(
                "#\n#",
                "RESOLUTION=1280x720,HDCP-LEVEL=NONE",
                "RESOLUTION=1922x1080,HDCP-LEVEL=TYPE-0",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://2\"")
            ),
            at: "hdcp-level-too-low@4",
            "hdcp-level-too-low@6",
            passes: presentation(
                "#\n#",
                "RESOLUTION=1280x720,HDCP-LEVEL=NONE",
                "RESOLUTION=1920x1080,HDCP-LEVEL=TYPE-0",
                a: key("METHOD=AES-128,URI=\"https://k\",\(iv)"),
                b: fairPlayKey("URI=\"skd://2\"")
            )
        ),
        RuleFiles(
            "hdcp-levels-share-key",
            breaks: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#",
                "CODECS=\"a\"",
                "HDCP-LEVEL=TYPE-0",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://1\"")
            ),
            at: "hdcp-levels-share-key@6",
            passes: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#",
                "CODECS=\"a\"",
                "HDCP-LEVEL=NONE",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://1\"")
            )
        ),
    ]

    private static func allowed(_ value: String) -> String {
        RuleFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1,ALLOWED-CPC=\"\(value)\"\na")
    }

    static let allowedCPC = [
        RuleFiles(
            "allowed-cpc-syntax",
            breaks: allowed("com.apple.streamingkeydelivery:Main,,urn:uuid:x"),
            at: "allowed-cpc-syntax@2",
            passes: allowed("urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed:HW-1/SW")
        ),
        RuleFiles(
            "allowed-cpc-identity",
            breaks: allowed("x:A,identity:B"),
            at: "allowed-cpc-identity@2",
            passes: allowed("x.identity:B")
        ),
        RuleFiles(
            "allowed-cpc-label-unknown",
            breaks: allowed("com.apple.streamingkeydelivery:AppleMain/Applemain"),
            at: "allowed-cpc-label-unknown@2",
            passes: allowed("com.apple.streamingkeydelivery:AppleMain/Main/Baseline/AppleBaseline,x:Other")
        ),
        RuleFiles(
            "allowed-cpc-unused-keyformat",
            breaks: presentation(
                "#\n#",
                "ALLOWED-CPC=\"com.apple.streamingkeydelivery:Main\"",
                "ALLOWED-CPC=\"com.microsoft.playready:SL3000\"",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://2\"")
            ),
            at: "allowed-cpc-unused-keyformat@6",
            passes: presentation(
                "#\n#",
                "ALLOWED-CPC=\"com.apple.streamingkeydelivery:Main\"",
                "ALLOWED-CPC=\"com.microsoft.playready:SL3000\"",
                a: fairPlayKey("URI=\"skd://1\""),
                b: RuleFiles.media(
                    "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                        + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.playready\"" + segment
                )
            )
        ),
    ]
}
