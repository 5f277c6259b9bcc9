// Cases for the rules for keys that decrypt nothing, and for media that no key protects.
extension ContentProtectionCases {
    private static let fairPlayTag = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)"
    private static let encrypted = RuleFiles.media(fairPlayTag + segment)
    private static let clear = RuleFiles.media("#EXTINF:6,\n0.ts")

    /// Returns a Multivariant Playlist with a variant on line 2, the given lines, and Media Playlists.
    private static func presentation(_ lines: String, _ media: (name: String, text: String)...) -> [(
        name: String, text: String
    )] {
        let main = "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.4D401E,mp4a.40.2\"\nv\n" + lines
        return [("main.m3u8", RuleFiles.multivariant(main))] + media
    }

    private static let second = "#EXT-X-STREAM-INF:BANDWIDTH=2,CODECS=\"avc1.4D401E\"\nw"
    private static let audio = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",URI=\"a\""
    private static let subtitles = "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"A\",URI=\"s\""
    private static let iFrames = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\""
    private static let sessionKey = "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://1\",\(fps)"

    static let keyUse = [
        RuleFiles(
            "key-unused",
            breaks: RuleFiles.media(fairPlayTag.replacing("skd://1", with: "skd://0") + "\n" + fairPlayTag + segment),
            at: "key-unused@4",
            // Repeating a key is harmless, and keys of different formats apply together.
            passes: RuleFiles.media(
                "#EXT-X-KEY:METHOD=NONE\n\(fairPlayTag)\n\(fairPlayTag)\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,\","
                    + widevine + segment
            )
        ),
        RuleFiles(
            "key-unused",
            breaks: RuleFiles.media(fairPlayTag + "\n#EXT-X-KEY:METHOD=NONE" + segment),
            at: "key-unused@4",
            passes: RuleFiles.media(fairPlayTag + "\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXT-X-KEY:METHOD=NONE" + segment)
        ),
        RuleFiles(
            "clear-variant",
            breaks: presentation(second, ("v", encrypted), ("w", clear)),
            at: "clear-variant@4",
            passes: presentation(second, ("v", clear), ("w", clear))
        ),
        RuleFiles(
            "clear-variant",
            breaks: presentation(iFrames, ("v", encrypted), ("i", clear)),
            at: "clear-variant@4",
            passes: presentation(subtitles, ("v", encrypted), ("s", clear))
        ),
        // A clear lead has the same length in all variants.
        RuleFiles(
            "clear-variant",
            breaks: presentation(
                second,
                ("v", RuleFiles.media("#EXTINF:6,\n0.ts\n#EXTINF:6,\n1.ts\n" + fairPlayTag + segment)),
                ("w", RuleFiles.media(String(repeating: "#EXTINF:6,\n0.ts\n", count: 4) + fairPlayTag + segment))
            ),
            at: "session-key-missing@0",
            "clear-variant@4",
            passes: presentation(
                second,
                ("v", RuleFiles.media("#EXTINF:6,\n0.ts\n" + fairPlayTag + segment)),
                ("w", RuleFiles.media("#EXTINF:6,\n0.ts\n#EXTINF:6,\n1.ts\n" + fairPlayTag + segment))
            )
        ),
        RuleFiles(
            "clear-audio",
            breaks: presentation(audio, ("v", encrypted), ("a", clear)),
            at: "clear-audio@4",
            // In a live window, all segments may belong to a break that is not encrypted.
            passes: presentation(
                audio,
                ("v", encrypted.replacing("#EXT-X-ENDLIST\n", with: "")),
                ("a", RuleFiles.media("#EXT-X-KEY:METHOD=NONE" + segment, ended: false))
            )
        ),
        RuleFiles(
            "fairplay-versions-unknown",
            breaks: encrypted.replacing("VERSIONS=\"1\"", with: "VERSIONS=\"1/99\""),
            at: "fairplay-versions-unknown@4",
            passes: encrypted.replacing("VERSIONS=\"1\"", with: "VERSIONS=\"1/2\"")
        ),
        RuleFiles(
            "fairplay-versions-unknown",
            breaks: encrypted.replacing("VERSIONS=\"1\"", with: "VERSIONS=\"2\""),
            at: "fairplay-versions-unknown@4",
            passes: encrypted.replacing("VERSIONS=\"1\"", with: "VERSIONS=\"1\"")
        ),
        RuleFiles(
            "session-key-unused",
            breaks: presentation(sessionKey.replacing("skd://1", with: "skd://2"), ("v", encrypted)),
            at: "session-key-missing@0",
            "session-key-unused@4",
            // The keys of a live stream change.
            passes: presentation(
                sessionKey + "\n" + sessionKey.replacing("skd://1", with: "skd://2"),
                ("v", encrypted.replacing("#EXT-X-ENDLIST\n", with: ""))
            )
        ),
    ]
}
