/// Playlists that violate each content protection rule, and similar playlists that do not.
enum ContentProtectionCases {
    static let all = keys + sets + fairPlay + formats + keyUse + sessionKeys + outputs + allowedCPC

    static let fps = "KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\""
    static let widevine = "KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\""
    static let iv = "IV=0x000102030405060708090A0B0C0D0E0F"
    static let segment = "\n#EXTINF:6,\na.ts"

    /// A Media Playlist with a key on line 4 and a segment on line 6.
    static func key(_ attributes: String) -> String { RuleFiles.media("#EXT-X-KEY:" + attributes + segment) }

    static func fairPlayKey(_ attributes: String, _ format: String = fps) -> String {
        key("METHOD=SAMPLE-AES," + attributes + "," + format)
    }

    private static let keys = [
        RuleFiles(
            "key-none-with-attributes",
            breaks: key("METHOD=NONE,\(iv)"),
            at: "key-none-with-attributes@4",
            passes: key("METHOD=NONE")
        ),
        RuleFiles(
            "key-without-uri",
            breaks: key("METHOD=AES-128,\(iv)"),
            at: "key-without-uri@4",
            passes: key("METHOD=NONE")
        ),
        RuleFiles(
            "key-iv-length",
            breaks: RuleFiles.media(
                "#EXT-X-DEFINE:NAME=\"i\",VALUE=\"00\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x{$i}01" + segment
            ),
            at: "key-iv-length@5",
            passes: RuleFiles.media(
                "#EXT-X-DEFINE:NAME=\"i\",VALUE=\"0001020304\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\","
                    + "IV=0x{$i}{$i}000102030405" + segment
            )
        ),
        RuleFiles(
            "key-iv-forbidden",
            breaks: key("METHOD=AES-256-GCM,URI=\"k\",\(iv)"),
            at: "key-iv-forbidden@4",
            passes: key("METHOD=AES-256-GCM,URI=\"k\"")
        ),
        RuleFiles(
            "key-identity-without-iv",
            breaks: key("METHOD=AES-128,URI=\"k\""),
            at: "key-identity-without-iv@4",
            passes: key("METHOD=AES-256-GCM,URI=\"k\"")
        ),
        RuleFiles(
            "map-aes-128-without-iv",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"x\"\n#EXT-X-MAP:URI=\"i\"" + segment
            ),
            at: "map-aes-128-without-iv@5",
            passes: RuleFiles.media(
                "#EXT-X-MAP:URI=\"i\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"x\"" + segment
            )
        ),
        RuleFiles(
            "keyformatversions-syntax",
            breaks: key("METHOD=AES-128,URI=\"k\",\(iv),KEYFORMATVERSIONS=\"1/0\""),
            at: "keyformatversions-syntax@4",
            passes: key("METHOD=AES-128,URI=\"k\",\(iv),KEYFORMATVERSIONS=\"1/10\"")
        ),
        RuleFiles(
            "key-uri-not-secure",
            breaks: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"HTTP://a/k\",\(iv)"),
            at: "key-uri-not-secure@2",
            passes: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"https://a/k\",\(iv)")
        ),
    ]

    private static let sets = [
        RuleFiles(
            "key-methods-differ",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:,\",\(widevine)\n"
                    + "#EXT-X-PART:URI=\"p\",DURATION=1\n#EXT-X-KEY:METHOD=NONE" + segment
            ),
            at: "key-methods-differ@5",
            // The key is replaced before any media follows.
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:,\",\(widevine)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)" + segment
            )
        ),
        RuleFiles(
            "key-ivs-differ",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x:1\",\(iv),KEYFORMAT=\"x\"\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",IV=0x00000000000000000000000000000001,\(widevine)"
                    + segment
            ),
            at: "key-ivs-differ@6",
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x:1\",\(iv),KEYFORMAT=\"x\"\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(iv.lowercased().replacing("iv=", with: "IV=")),\(widevine)"
                    + segment
            )
        ),
        RuleFiles(
            "keyformat-set-changes",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\(segment)\n#EXT-X-KEY:METHOD=NONE\(segment)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)" + segment
            ),
            at: "keyformat-set-changes@12",
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\(segment)\n#EXT-X-KEY:METHOD=NONE\(segment)\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://2\",\(fps)" + segment
            )
        ),
        RuleFiles(
            "identity-with-drm",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"https://k\",\(iv)"
                    + segment
                    + "\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://2\",\(fps)" + segment
            ),
            at: "identity-with-drm@5",
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"https://k\",\(iv)\(segment)\n#EXT-X-KEY:METHOD=NONE\n"
                    + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            )
        ),
    ]

    private static let fairPlay = [
        RuleFiles(
            "fairplay-keyformat",
            breaks: fairPlayKey("URI=\"skd://1\"", "KEYFORMAT=\"URN:UUID:94CE86FB-07FF-4F43-ADB8-93D2FA968CA2\""),
            at: "fairplay-keyformat@4",
            passes: fairPlayKey("URI=\"skd://1\"")
        ),
        RuleFiles(
            "fairplay-method",
            breaks: key("METHOD=AES-128,URI=\"skd://1\",\(fps)"),
            at: "fairplay-method@4",
            passes: key("METHOD=AES-128,URI=\"https://k\",\(iv)")
        ),
        RuleFiles(
            "fairplay-iv",
            breaks: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(iv),\(fps)"),
            at: "fairplay-iv@2",
            passes: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"x\",\(iv),KEYFORMAT=\"x\"")
        ),
        RuleFiles(
            "fairplay-without-versions",
            breaks: fairPlayKey("URI=\"skd://1\"", "KEYFORMAT=\"com.apple.streamingkeydelivery\""),
            at: "fairplay-without-versions@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"data:,\",\(widevine)")
        ),
        RuleFiles(
            "fairplay-uri-scheme",
            breaks: fairPlayKey("URI=\"fps://1\""),
            at: "fairplay-uri-scheme@4",
            passes: fairPlayKey("URI=\"SKD://1\"")
        ),
        RuleFiles(
            "fairplay-uri-relative",
            breaks: fairPlayKey("URI=\"title/1\""),
            at: "fairplay-uri-relative@4",
            passes: fairPlayKey("URI=\"skd:title\"")
        ),
        RuleFiles(
            "fairplay-uri-empty",
            breaks: fairPlayKey("URI=\"SKD:\""),
            at: "fairplay-uri-empty@4",
            passes: fairPlayKey("URI=\"skd:///1\"")
        ),
        RuleFiles(
            "skd-with-identity",
            breaks: key("METHOD=SAMPLE-AES,URI=\"skd://1\",\(iv),KEYFORMAT=\"identity\""),
            at: "skd-with-identity@4",
            passes: key("METHOD=AES-128,URI=\"skd://1\",\(iv)")
        ),
    ]

    private static let formats = [
        RuleFiles(
            "drm-keyformat-case",
            breaks: key("METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.PlayReady\""),
            at: "drm-keyformat-case@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"data:,\",KEYFORMAT=\"com.microsoft.playready.x\"")
        ),
        RuleFiles(
            "drm-uri-not-data",
            breaks: key("METHOD=SAMPLE-AES,URI=\"https://w\",\(widevine)"),
            at: "drm-uri-not-data@4",
            passes: key("METHOD=SAMPLE-AES,URI=\"https://w\",KEYFORMAT=\"org.w3.clearkey\"")
        ),
        RuleFiles(
            "sample-aes-ctr",
            breaks: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)"),
            at: "sample-aes-ctr@2",
            passes: RuleFiles.multivariant("#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES-CTR,URI=\"skd://1\",\(fps)")
        ),
        RuleFiles(
            "ctr-without-map",
            breaks: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)\n#EXT-X-PART:URI=\"p\",DURATION=1\(segment)\(segment)"
            ),
            at: "sample-aes-ctr@4",
            "ctr-without-map@7",
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,\",\(widevine)\n#EXT-X-MAP:URI=\"i\"" + segment
            )
        ),
        RuleFiles(
            "map-before-key",
            breaks: RuleFiles.media(
                "#EXTINF:6,\na.ts\n#EXT-X-MAP:URI=\"i\"\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            ),
            at: "map-before-key@6",
            // A clear lead with the same initialization section.
            passes: RuleFiles.media(
                "#EXT-X-MAP:URI=\"i\"\(segment)\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)" + segment
            )
        ),
    ]
}
