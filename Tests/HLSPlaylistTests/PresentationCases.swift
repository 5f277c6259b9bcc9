/// Playlists that violate each rule for presentations, and similar playlists that do not.
enum PresentationCases {
    static let all = lowLatency + references + agreement + timelines + bandwidths + inheritance

    /// A playlist with two variants, `a` and `b`, on lines 3 and 5; `line` precedes them.
    private static func two(
        _ a: String,
        _ b: String,
        line: String = "#",
        bandwidth: Int = 1_000_000
    ) -> [(name: String, text: String)] {
        let variants = "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\na\n#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\nb"
        return [("main.m3u8", RuleFiles.multivariant(line + "\n" + variants)), ("a", a), ("b", b)]
    }

    /// A playlist with EXT-X-ENDLIST; the header lines start at line 4, and two segments of 6 s follow.
    private static func vod(_ header: String = "#", _ segments: String = "#EXTINF:6,\n0.ts\n#EXTINF:6,\n1.ts") -> String
    {
        RuleFiles.media(header + "\n" + segments)
    }

    private static func live(_ report: String, _ partInf: String = "#EXT-X-PART-INF:PART-TARGET=1") -> String {
        RuleFiles.media(partInf + "\n#EXTINF:6,\n0.ts\n" + report, ended: false)
    }

    private static let lowLatency = [
        RuleFiles(
            "rendition-report-missing",
            breaks: two(live("#EXT-X-RENDITION-REPORT:URI=\"b\""), live("#EXT-X-RENDITION-REPORT:URI=\"b\"")),
            at: "b:rendition-report-missing@0",
            // The other playlist has no Partial Segments, or has EXT-X-ENDLIST.
            passes: two(live("#"), live("#", "#"))
        ),
        RuleFiles(
            "rendition-report-unknown",
            breaks: two(vod(), live("#EXT-X-RENDITION-REPORT:URI=\"a\"\n#EXT-X-RENDITION-REPORT:URI=\"c\"", "#")),
            at: "b:rendition-report-unknown@8",
            passes: two(vod(), live("#EXT-X-RENDITION-REPORT:URI=\"./a\"\n#EXT-X-RENDITION-REPORT:URI=\"b\"", "#"))
        ),
    ]

    private static let nested = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nc\n"
    private static let iFrames = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\""

    private static let references = [
        RuleFiles(
            "media-playlist-missing",
            breaks: [
                (
                    "main.m3u8",
                    RuleFiles.multivariant(
                        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"gone\"\n"
                            + "#EXT-X-STREAM-INF:BANDWIDTH=1000000\na\n"
                            + iFrames
                    )
                ), ("a", vod()),
            ],
            at: "media-playlist-missing@2",
            "media-playlist-missing@5",
            passes: [
                (
                    "main.m3u8",
                    RuleFiles.multivariant(
                        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\"\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\na"
                    )
                ), ("a", vod()),
            ]
        ),
        RuleFiles(
            "variant-is-multivariant",
            breaks: two(vod(), nested),
            at: "variant-is-multivariant@5",
            // The missing playlist is a violation of another rule.
            passes: two(vod(), "<html>\n")
        ),
        RuleFiles(
            "i-frame-variant-without-tag",
            breaks: [
                ("main.m3u8", RuleFiles.multivariant(iFrames + "\n" + iFrames)), ("i", vod()),
            ],
            at: "i:i-frame-variant-without-tag@0",
            passes: [("main.m3u8", RuleFiles.multivariant(iFrames)), ("i", vod("#EXT-X-I-FRAMES-ONLY"))]
        ),
        RuleFiles(
            "i-frames-in-variant",
            breaks: two(vod(), vod("#EXT-X-I-FRAMES-ONLY")),
            at: "b:i-frames-in-variant@4",
            passes: [
                ("main.m3u8", RuleFiles.multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1000000\na\n" + iFrames)),
                ("a", vod()),
                ("i", vod("#EXT-X-I-FRAMES-ONLY")),
            ]
        ),
    ]

    /// A playlist with a variant `a` and a rendition `r`.
    private static func rendition(_ type: String, _ a: String, _ r: String) -> [(name: String, text: String)] {
        [
            (
                "main.m3u8",
                RuleFiles.multivariant(
                    "#EXT-X-STREAM-INF:BANDWIDTH=1000000\na\n"
                        + "#EXT-X-MEDIA:TYPE=\(type),GROUP-ID=\"g\",NAME=\"r\",URI=\"r\""
                )
            ), ("a", a), ("r", r),
        ]
    }

    private static let agreement = [
        RuleFiles(
            "target-durations-differ",
            breaks: rendition(
                "AUDIO",
                vod("#EXT-X-PLAYLIST-TYPE:VOD"),
                vod("#EXT-X-PLAYLIST-TYPE:VOD").replacing("TARGETDURATION:6", with: "TARGETDURATION:7")
            ),
            at: "r:target-durations-differ@3",
            passes: rendition(
                "SUBTITLES",
                vod("#EXT-X-PLAYLIST-TYPE:VOD"),
                vod("#EXT-X-PLAYLIST-TYPE:VOD").replacing("TARGETDURATION:6", with: "TARGETDURATION:7")
            )
        ),
        RuleFiles(
            "playlist-types-differ",
            breaks: two(vod(), vod("#EXT-X-PLAYLIST-TYPE:EVENT")),
            at: "b:playlist-types-differ@4",
            passes: two(vod("#EXT-X-PLAYLIST-TYPE:EVENT"), vod("#EXT-X-PLAYLIST-TYPE:EVENT"))
        ),
    ]

    private static func date(_ text: String) -> String { "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T\(text)" }
    private static func range(_ attributes: String) -> String {
        "#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-01-01T00:00:00.000Z\"" + attributes
    }

    private static let timelines = [
        RuleFiles(
            "program-date-time-missing",
            breaks: two(vod(), vod(date("00:00:00.000Z"))),
            at: "a:program-date-time-missing@0",
            // A playlist without segments does not need dates.
            passes: two(
                vod("#EXT-X-PLAYLIST-TYPE:EVENT", "#"),
                vod("#EXT-X-PLAYLIST-TYPE:EVENT\n" + date("00:00:00.000Z"), "#")
            )
        ),
        RuleFiles(
            "program-date-times-differ",
            breaks: two(
                vod("#EXT-X-PLAYLIST-TYPE:VOD\n" + date("00:00:00.000Z")),
                vod("#EXT-X-PLAYLIST-TYPE:VOD", "#EXTINF:6,\n0.ts\n\(date("00:00:07.000Z"))\n#EXTINF:6,\n1.ts")
            ),
            at: "b:program-date-times-differ@7",
            passes: two(
                vod("#EXT-X-PLAYLIST-TYPE:VOD\n" + date("00:00:00.000Z")),
                vod("#EXT-X-PLAYLIST-TYPE:VOD", "#EXTINF:6,\n0.ts\n\(date("01:00:06.999+01:00"))\n#EXTINF:6,\n1.ts")
            )
        ),
        RuleFiles(
            "discontinuities-differ",
            breaks: two(vod(), vod("#EXT-X-DISCONTINUITY-SEQUENCE:1")),
            at: "b:discontinuities-differ@0",
            passes: two(vod("#EXT-X-DISCONTINUITY"), vod("#EXT-X-DISCONTINUITY-SEQUENCE:1"))
        ),
        RuleFiles(
            "server-controls-differ",
            breaks: two(
                vod("#EXT-X-SERVER-CONTROL:HOLD-BACK=18"),
                vod("#EXT-X-SERVER-CONTROL:HOLD-BACK=19")
            ),
            at: "b:server-controls-differ@4",
            passes: two(
                vod("#EXT-X-SERVER-CONTROL:HOLD-BACK=18,CAN-BLOCK-RELOAD=YES"),
                vod("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=18.0")
            )
        ),
        RuleFiles(
            "dateranges-differ",
            breaks: two(
                vod(date("00:00:00.000Z") + "\n" + range(",X-A=\"1\"")),
                vod(date("00:00:00.000Z") + "\n" + range(",X-A=1"))
            ),
            at: "b:dateranges-differ@0",
            passes: two(
                vod(date("00:00:00.000Z") + "\n" + range(",X-A=\"1\",X-B=2")),
                vod(date("00:00:00.000Z") + "\n" + range(",X-B=2") + "\n#EXT-X-DATERANGE:ID=\"1\",X-A=\"1\"")
            )
        ),
        RuleFiles(
            "durations-differ",
            breaks: two(vod(), vod("#", "#EXTINF:5.9,\n0.ts")),
            at: "b:durations-differ@0",
            passes: two(vod(), vod("#", "#EXTINF:6,\n0.ts"))
        ),
        RuleFiles(
            "bandwidth-below-peak",
            breaks: two(vod("#", ranges), vod(), bandwidth: 7_999),
            at: "bandwidth-below-peak@3",
            passes: two(vod("#", ranges), vod(), bandwidth: 8_000)
        ),
    ]

    /// Segments with a peak segment bit rate of 8,000 bits per second.
    private static let ranges =
        "#EXTINF:6,\n#EXT-X-BYTERANGE:5000@0\n0.ts\n#EXTINF:6,\n#EXT-X-BYTERANGE:6000\n0.ts"

    /// Returns a Media Playlist with two segments, of which the first has the larger size.
    private static func sized(_ bytes: Int) -> String {
        RuleFiles.media(
            "#EXTINF:6,\n#EXT-X-BYTERANGE:\(bytes)@0\na.ts\n#EXTINF:6,\n#EXT-X-BYTERANGE:\(bytes / 2)@0\nb.ts"
        )
    }

    /// Returns a presentation with a variant of 400 kbit/s on line 4, and audio of 100 kbit/s on line 2.
    private static func bandwidth(_ attributes: String) -> [(name: String, text: String)] {
        let main =
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"A\",URI=\"a\"\n"
            + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"b\",NAME=\"A\",URI=\"v\"\n#EXT-X-STREAM-INF:\(attributes)\nv"
        return [("main.m3u8", RuleFiles.multivariant(main)), ("v", sized(300_000)), ("a", sized(75_000))]
    }

    private static let bandwidths = [
        RuleFiles(
            "bandwidth-below-sum",
            breaks: bandwidth("BANDWIDTH=499000,AUDIO=\"a\""),
            at: "bandwidth-below-sum@4",
            passes: bandwidth("BANDWIDTH=500000,AUDIO=\"a\"")
        ),
        // An audio rendition that is the variant itself does not count twice.
        RuleFiles(
            "bandwidth-below-sum",
            breaks: bandwidth("BANDWIDTH=499000,AVERAGE-BANDWIDTH=375000,AUDIO=\"a\""),
            at: "bandwidth-below-sum@4",
            passes: bandwidth("BANDWIDTH=400000,AVERAGE-BANDWIDTH=300000,AUDIO=\"b\"")
        ),
        RuleFiles(
            "average-bandwidth-too-low",
            breaks: bandwidth("BANDWIDTH=500000,AVERAGE-BANDWIDTH=340000,AUDIO=\"a\""),
            at: "average-bandwidth-too-low@4",
            passes: bandwidth("BANDWIDTH=500000,AVERAGE-BANDWIDTH=341000,AUDIO=\"a\"")
        ),
    ]

    private static let inheritance = [
        RuleFiles(
            "start-in-both",
            breaks: two(
                vod("#EXT-X-START:TIME-OFFSET=1.0,PRECISE=NO"),
                vod(),
                line: "#EXT-X-START:TIME-OFFSET=1"
            ),
            at: "a:start-in-both@4",
            passes: two(vod("#EXT-X-START:TIME-OFFSET=1"), vod())
        ),
        RuleFiles(
            "start-values-differ",
            breaks: two(vod(), vod("#EXT-X-START:TIME-OFFSET=1,PRECISE=YES"), line: "#EXT-X-START:TIME-OFFSET=1"),
            at: "b:start-values-differ@4",
            passes: two(vod("#EXT-X-START:TIME-OFFSET=1"), vod("#EXT-X-START:TIME-OFFSET=2"))
        ),
        RuleFiles(
            "independent-segments-in-both",
            breaks: two(vod("#EXT-X-INDEPENDENT-SEGMENTS"), vod(), line: "#EXT-X-INDEPENDENT-SEGMENTS"),
            at: "a:independent-segments-in-both@4",
            passes: two(vod("#EXT-X-INDEPENDENT-SEGMENTS"), vod())
        ),
    ]
}
