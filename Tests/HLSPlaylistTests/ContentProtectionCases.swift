/// For each rule about content protection, what breaks it and what comes near.
enum ContentProtectionCases {
    static let all = keys + sets + fairPlay + formats + sessionKeys + outputs + allowedCPC

    private static let fps = "KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
    private static let widevine = "KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\""
    private static let iv = "IV=0x000102030405060708090A0B0C0D0E0F"
    private static let segment = "\n#EXTINF:6,\na.ts"

    /// A Media Playlist with a key, at line 4, and a segment, at line 6.
    private static func key(_ attributes: String) -> String { RuleCase.media("#EXT-X-KEY:" + attributes + segment) }

    private static func fairPlayKey(_ attributes: String, _ format: String = fps) -> String {
        key("METHOD=SAMPLE-AES," + attributes + "," + format)
    }

    private static let keys = [
        RuleCase(
            "key-none-with-attributes",
            breaks: key("METHOD=NONE,\(iv)"),
            at: "key-none-with-attributes@4",
            passes: key("METHOD=NONE")
        ),
        RuleCase(
            "key-without-uri",
            breaks: key("METHOD=AES-128,\(iv)"),
            at: "key-without-uri@4",
            passes: key("METHOD=NONE")
        ),
        RuleCase(
            "key-iv-length",
            breaks: RuleCase.media(
                "#EXT-X-DEFINE:NAME=\"i\",VALUE=\"00\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x{$i}01" + segment
            ),
            at: "key-iv-length@5",
            passes: RuleCase.media(
                "#EXT-X-DEFINE:NAME=\"i\",VALUE=\"0001020304\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\","
                    + "IV=0x{$i}{$i}000102030405" + segment
            )
        ),
        RuleCase(
            "key-iv-forbidden",
            breaks: key("METHOD=AES-256-GCM,URI=\"k\",\(iv)"),
            at: "key-iv-forbidden@4",
            passes: key("METHOD=AES-256-GCM,URI=\"k\"")
        ),
        RuleCase(
            "key-identity-without-iv",
            breaks: key("METHOD=AES-128,URI=\"k\""),
            at: "key-identity-without-iv@4",
            passes: key("METHOD=AES-256-GCM,URI=\"k\"")
        ),
        RuleCase(
            "map-aes-128-without-iv",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"x\"\n#EXT-X-MAP:URI=\"i\"" + segment
            ),
            at: "map-aes-128-without-iv@5",
            passes: RuleCase.media(
                "#EXT-X-MAP:URI=\"i\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"x\"" + segment
            )
        ),
        RuleCase(
            "keyformatversions-syntax",
            breaks: key("METHOD=AES-128,URI=\"k\",\(iv),KEYFORMATVERSIONS=\"1/0\""),
            at: "keyformatversions-syntax@4",
            passes: key("METHOD=AES-128,URI=\"k\",\(iv),KEYFORMATVERSIONS=\"1/10\"")
        ),
        RuleCase(
            "key-uri-not-secure",
            breaks: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"HTTP://a/k\",\(iv)"),
            at: "key-uri-not-secure@2",
            passes: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"https://a/k\",\(iv)")
        ),
    ]

    private static let sets = [
        RuleCase(
            "key-methods-differ",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:,\",\(widevine)\n"
                    + "#EXT-X-PART:URI=\"p\",DURATION=1\n#EXT-X-KEY:METHOD=NONE" + segment
            ),
            at: "key-methods-differ@5",
            // Replaced before any media follows.
            passes: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:,\",\(widevine)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)" + segment
            )
        ),
        RuleCase(
            "key-ivs-differ",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x:1\",\(iv),KEYFORMAT=\"x\"\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",IV=0x00000000000000000000000000000001,\(widevine)"
                    + segment
            ),
            at: "key-ivs-differ@6",
            passes: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x:1\",\(iv),KEYFORMAT=\"x\"\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(iv.lowercased().replacing("iv=", with: "IV=")),\(widevine)"
                    + segment
            )
        ),
        RuleCase(
            "keyformat-set-changes",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\(segment)\n#EXT-X-KEY:METHOD=NONE\(segment)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)" + segment
            ),
            at: "keyformat-set-changes@12",
            passes: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\(segment)\n#EXT-X-KEY:METHOD=NONE\(segment)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://2\",\(fps)" + segment
            )
        ),
        RuleCase(
            "identity-beside-drm",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"https://k\",\(iv)"
                    + segment
                    + "\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://2\",\(fps)" + segment
            ),
            at: "identity-beside-drm@5",
            passes: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"https://k\",\(iv)\(segment)\n#EXT-X-KEY:METHOD=NONE\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            )
        ),
    ]

    private static let fairPlay = [
        RuleCase(
            "fairplay-keyformat",
            breaks: fairPlayKey("URI=\"skd://1\"", "KEYFORMAT=\"URN:UUID:94CE86FB-07FF-4F43-ADB8-93D2FA968CA2\""),
            at: "fairplay-keyformat@4",
            passes: fairPlayKey("URI=\"skd://1\"")
        ),
        RuleCase(
            "fairplay-method",
            breaks: key("METHOD=AES-128,URI=\"skd://1\",\(fps)"),
            at: "fairplay-method@4",
            passes: key("METHOD=AES-128,URI=\"https://k\",\(iv)")
        ),
        RuleCase(
            "fairplay-iv",
            breaks: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(iv),\(fps)"),
            at: "fairplay-iv@2",
            passes: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"x\",\(iv),KEYFORMAT=\"x\"")
        ),
        RuleCase(
            "fairplay-without-versions",
            breaks: fairPlayKey("URI=\"skd://1\"", "KEYFORMAT=\"com.apple.streamingkeydelivery\""),
            at: "fairplay-without-versions@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)")
        ),
        RuleCase(
            "fairplay-uri-scheme",
            breaks: fairPlayKey("URI=\"fps://1\""),
            at: "fairplay-uri-scheme@4",
            passes: fairPlayKey("URI=\"SKD://1\"")
        ),
        RuleCase(
            "fairplay-uri-relative",
            breaks: fairPlayKey("URI=\"title/1\""),
            at: "fairplay-uri-relative@4",
            passes: fairPlayKey("URI=\"skd:title\"")
        ),
        RuleCase(
            "fairplay-uri-empty",
            breaks: fairPlayKey("URI=\"SKD:\""),
            at: "fairplay-uri-empty@4",
            passes: fairPlayKey("URI=\"skd:///1\"")
        ),
        RuleCase(
            "skd-with-identity",
            breaks: key("METHOD=SAMPLE-AES,URI=\"skd://1\",\(iv),KEYFORMAT=\"identity\""),
            at: "skd-with-identity@4",
            passes: key("METHOD=AES-128,URI=\"skd://1\",\(iv)")
        ),
    ]

    private static let formats = [
        RuleCase(
            "drm-keyformat-case",
            breaks: key("METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.PlayReady\""),
            at: "drm-keyformat-case@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.playready.x\"")
        ),
        RuleCase(
            "drm-uri-not-data",
            breaks: key("METHOD=SAMPLE-AES,URI=\"https://w\",\(widevine)"),
            at: "drm-uri-not-data@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"https://w\",KEYFORMAT=\"org.w3.clearkey\"")
        ),
        RuleCase(
            "sample-aes-ctr",
            breaks: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)"),
            at: "sample-aes-ctr@2",
            passes: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES-CTR,URI=\"skd://1\",\(fps)")
        ),
        RuleCase(
            "ctr-without-map",
            breaks: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)\n#EXT-X-PART:URI=\"p\",DURATION=1\(segment)\(segment)"
            ),
            at: "sample-aes-ctr@4",
            "ctr-without-map@7",
            passes: RuleCase.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)\n#EXT-X-MAP:URI=\"i\"" + segment
            )
        ),
        RuleCase(
            "map-before-key",
            breaks: RuleCase.media(
                "#EXTINF:6,\na.ts\n#EXT-X-MAP:URI=\"i\"\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            ),
            at: "map-before-key@6",
            // A clear lead with the same initialisation section.
            passes: RuleCase.media(
                "#EXT-X-MAP:URI=\"i\"\(segment)\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            )
        ),
    ]

    /// Two variants, from line 4 on, and their Media Playlists.
    private static func presentation(
        _ lines: String = "#\n#",
        _ first: String = "CODECS=\"a\"",
        _ second: String = "CODECS=\"a\"",
        a: String,
        b: String
    ) -> [(name: String, text: String)] {
        let main = lines + "\n#EXT-X-STREAM-INF:BANDWIDTH=1,\(first)\na\n#EXT-X-STREAM-INF:BANDWIDTH=2,\(second)\nb"
        return [
            ("main.m3u8", RuleCase.multivariant(main)), ("a", a), ("b", b),
        ]
    }

    private static let sessionKeys = [
        RuleCase(
            "session-key-none",
            breaks: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=NONE"),
            at: "session-key-none@2",
            passes: RuleCase.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)")
        ),
        RuleCase(
            "session-key-repeats",
            breaks: RuleCase.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0A,KEYFORMAT=\"identity\"\n"
                    + "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0a,KEYFORMATVERSIONS=\"1\""
            ),
            at: "key-iv-length@2",
            "key-iv-length@3",
            "session-key-repeats@3",
            passes: RuleCase.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0A\n#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\",IV=0x0B"
            )
        ),
        RuleCase(
            "session-key-disagrees",
            breaks: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"k/1\",\(iv)\n#",
                a: key("METHOD=AES-128,URI=\"k/1\",\(iv)"),
                b: key("METHOD=AES-128,URI=\"./k/1\",\(iv)")
            ),
            at: "session-key-disagrees@2",
            passes: presentation(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k/1\",\(iv)\n#",
                a: key("METHOD=AES-128,URI=\"k/1\",KEYFORMATVERSIONS=\"1\""),
                b: key("METHOD=AES-128,URI=\"k/2\",KEYFORMATVERSIONS=\"2\"")
            )
        ),
        RuleCase(
            "session-key-missing",
            breaks: presentation(a: fairPlayKey("URI=\"skd://1\""), b: fairPlayKey("URI=\"skd://1\"")),
            at: "session-key-missing@0",
            passes: presentation(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#",
                a: fairPlayKey("URI=\"skd://1\""),
                b: fairPlayKey("URI=\"skd://1\"")
            )
        ),
        RuleCase(
            "keyformat-sets-differ",
            breaks: presentation(
                a: fairPlayKey("URI=\"skd://1\""),
                b: key("METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)")
            ),
            at: "b:keyformat-sets-differ@0",
            passes: presentation(a: fairPlayKey("URI=\"skd://1\""), b: RuleCase.media("#EXTINF:6,\na.ts"))
        ),
    ]

    private static let outputs = [
        RuleCase(
            "hdcp-level-missing",
            breaks: RuleCase.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=578x1024\na\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=576x1024\nb"
            ),
            at: "hdcp-level-missing@3",
            passes: RuleCase.multivariant(
                "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"https://k\",\(iv)\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1920x1080\na"
            )
        ),
        RuleCase(
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
        RuleCase(
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
        RuleCase.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1,ALLOWED-CPC=\"\(value)\"\na")
    }

    private static let allowedCPC = [
        RuleCase(
            "allowed-cpc-syntax",
            breaks: allowed("com.apple.streamingkeydelivery:Main,,urn:uuid:x"),
            at: "allowed-cpc-syntax@2",
            passes: allowed("urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed:HW-1/SW")
        ),
        RuleCase(
            "allowed-cpc-identity",
            breaks: allowed("x:A,identity:B"),
            at: "allowed-cpc-identity@2",
            passes: allowed("x.identity:B")
        ),
        RuleCase(
            "allowed-cpc-label-unknown",
            breaks: allowed("com.apple.streamingkeydelivery:AppleMain/Applemain"),
            at: "allowed-cpc-label-unknown@2",
            passes: allowed("com.apple.streamingkeydelivery:AppleMain/Main/Baseline/AppleBaseline,x:Other")
        ),
        RuleCase(
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
                b: RuleCase.media(
                    "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                        + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.playready\"" + segment
                )
            )
        ),
    ]
}
