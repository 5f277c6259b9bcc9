import HLSPlaylist

private let video = "BANDWIDTH=800000,CODECS=\"avc1.4D401E,mp4a.40.2\",RESOLUTION=640x360"
private let audio = "BANDWIDTH=64000,CODECS=\"mp4a.40.2\""

/// The two lines of a variant.
private func variant(_ attributes: String, _ uri: String = "v.m3u8") -> String {
    "#EXT-X-STREAM-INF:\(attributes)\n\(uri)"
}

private func media(_ type: String, _ attributes: String) -> String { "#EXT-X-MEDIA:TYPE=\(type),\(attributes)" }

extension MultivariantRuleTests {
    static let variantCases: [RuleCase] = [
        RuleCase(
            "no-variants",
            at: 0,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"2\""),
            nearMiss: variant(audio)
        ),
        // A variant that clients ignore has already been reported.
        RuleCase(
            "no-variants",
            at: 0,
            "#EXT-X-INDEPENDENT-SEGMENTS",
            nearMiss: variant(audio + ",REQ-X=1")
        ),
        RuleCase(
            "no-i-frame-variants",
            at: 0,
            variant("BANDWIDTH=1,CODECS=\"av01.0.04M.08\""),
            nearMiss: variant(video) + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\""
        ),
        RuleCase("no-i-frame-variants", at: 0, variant("BANDWIDTH=1,RESOLUTION=1x1"), nearMiss: variant(audio)),
        RuleCase(
            "duplicate-variant",
            at: 4,
            variant(video) + "\n" + variant(video),
            nearMiss: variant(video, "a.m3u8") + "\n" + variant(video, "b.m3u8") + "\n" + variant(audio, "a.m3u8")
        ),
        RuleCase("bandwidth-zero", at: 2, variant("BANDWIDTH=0"), nearMiss: variant("BANDWIDTH=1,AVERAGE-BANDWIDTH=0")),
        RuleCase(
            "bandwidth-zero",
            at: 4,
            variant(video) + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=0,URI=\"i.m3u8\"",
            nearMiss: variant(video) + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\""
        ),
        RuleCase(
            "average-bandwidth-above-peak",
            at: 2,
            variant("BANDWIDTH=100,AVERAGE-BANDWIDTH=101"),
            nearMiss: variant("BANDWIDTH=100,AVERAGE-BANDWIDTH=100")
        ),
        RuleCase(
            "codecs-missing",
            at: 4,
            variant(audio) + "\n" + variant("BANDWIDTH=1"),
            nearMiss: variant(audio) + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\""
        ),
        RuleCase(
            "codecs-malformed",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"avc1.4D401E, mp4a.40.2\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"ec+3,stpp.ttml.im1t,hvc1.2.4.L153.B0\"")
        ),
        RuleCase(
            "codecs-malformed",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"mp4\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"zzzz\"")
        ),
        RuleCase(
            "codecs-incomplete",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + variant("BANDWIDTH=1,CODECS=\"avc1.4D401E,wvtt\",AUDIO=\"a\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + variant("BANDWIDTH=1,CODECS=\"avc1.4D401E,ec+3\",AUDIO=\"a\"")
        ),
        // A missing group is a violation of another rule.
        RuleCase(
            "codecs-incomplete",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"mp4a.40.2\",RESOLUTION=1x1"),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"AVC1.4D401E\",RESOLUTION=1x1,AUDIO=\"no\"")
        ),
        RuleCase(
            "supplemental-codecs-malformed",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"hvc1.2.4.L153.B0\",SUPPLEMENTAL-CODECS=\"dvh1.08.07/db4h/db\""),
            nearMiss: variant(
                "BANDWIDTH=1,CODECS=\"hvc1.2.4.L153.B0\",SUPPLEMENTAL-CODECS=\"dvh1.08.07,dvh1.08.06/db4h\""
            )
        ),
        RuleCase(
            "supplemental-codecs-without-base",
            at: 2,
            variant("BANDWIDTH=1,SUPPLEMENTAL-CODECS=\"dvh1.08.07/db4h\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"hvc1.2.4.L153.B0\",SUPPLEMENTAL-CODECS=\"dvh1.08.07/db4h\"")
        ),
        RuleCase(
            "resolution-missing",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"mp4a.40.2,vp09.00.10.08\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"mp4a.40.2,zzzz\"")
        ),
        RuleCase("frame-rate-missing", at: 2, variant(video), nearMiss: variant(video + ",FRAME-RATE=25")),
        RuleCase(
            "frame-rate-zero",
            at: 2,
            variant(video + ",FRAME-RATE=0"),
            nearMiss: variant(video + ",FRAME-RATE=0.001")
        ),
        RuleCase(
            "codecs-parameters",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"mp4a.40.2,avc1.4D401\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"mp4a.40.2,avc1.4D401e,zzzz.1\"")
        ),
        RuleCase("score-not-positive", at: 2, variant(audio + ",SCORE=0.0"), nearMiss: variant(audio + ",SCORE=0.001")),
        RuleCase(
            "score-missing",
            at: 2,
            variant(audio, "a.m3u8") + "\n" + variant(audio + ",SCORE=1") + "\n" + variant(audio, "b.m3u8"),
            nearMiss: variant(audio + ",SCORE=1") + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\""
        ),
        RuleCase(
            "video-range-codec",
            at: 2,
            variant(video + ",VIDEO-RANGE=HLG"),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"avc1.640028\",SUPPLEMENTAL-CODECS=\"dva1.09.05\",VIDEO-RANGE=PQ")
        ),
        RuleCase(
            "video-range-codec",
            at: 2,
            variant("BANDWIDTH=1,CODECS=\"DVHE.05.06\""),
            nearMiss: variant("BANDWIDTH=1,CODECS=\"dvh1.08.06\",VIDEO-RANGE=HLG")
        ),
        RuleCase(
            "req-video-layout-syntax",
            at: 2,
            variant(video + ",REQ-VIDEO-LAYOUT=\"PROJ-EQUI/CH-STEREO/PROJ-RECT\""),
            nearMiss: variant(video + ",REQ-VIDEO-LAYOUT=\"PROJ-EQUI/CH-STEREO,PROJ-RECT\"")
        ),
        RuleCase(
            "req-video-layout-syntax",
            at: 2,
            variant(video + ",REQ-VIDEO-LAYOUT=\"CH-STEREO/\""),
            nearMiss: variant(video + ",REQ-VIDEO-LAYOUT=\"CH-STEREO\"")
        ),
        RuleCase(
            "req-video-layout-unknown",
            at: 2,
            variant(video + ",REQ-VIDEO-LAYOUT=\"CH-MONO,ch-stereo\""),
            nearMiss: variant(video + ",REQ-VIDEO-LAYOUT=\"CH-MONO,/PROJ-PRIM\"")
        ),
        RuleCase(
            "req-video-layout-unnecessary",
            at: 2,
            variant(video + ",REQ-VIDEO-LAYOUT=\"CH-MONO,PROJ-RECT/CH-MONO\""),
            nearMiss: variant(video + ",REQ-VIDEO-LAYOUT=\"CH-MONO,CH-STEREO\"")
        ),
        RuleCase(
            "stable-id-characters",
            at: 2,
            variant(audio + ",STABLE-VARIANT-ID=\"a@b\""),
            nearMiss: variant(audio + ",STABLE-VARIANT-ID=\"aZ9+/=.-_\"")
        ),
        RuleCase(
            "stable-id-differs",
            at: 4,
            variant(audio) + "\n" + variant(video + ",STABLE-VARIANT-ID=\"b\""),
            nearMiss: variant(audio + ",STABLE-VARIANT-ID=\"b\"") + "\n" + variant(video + ",STABLE-VARIANT-ID=\"b\"")
        ),
        RuleCase(
            "pathway-unknown",
            at: 2,
            "#EXT-X-CONTENT-STEERING:SERVER-URI=\"s\",PATHWAY-ID=\".\"\n" + variant(audio + ",PATHWAY-ID=\"A\""),
            nearMiss: "#EXT-X-CONTENT-STEERING:SERVER-URI=\"s\",PATHWAY-ID=\".\"\n" + variant(audio)
        ),
        RuleCase(
            "pathway-id-characters",
            at: 2,
            variant(audio + ",PATHWAY-ID=\"CDN/A\""),
            nearMiss: variant(audio + ",PATHWAY-ID=\"CDN.a-1_\"")
        ),
    ]

    static let renditionCases: [RuleCase] = [
        RuleCase(
            "group-missing",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + variant(audio + ",AUDIO=\"A\",SUBTITLES=\"a\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + variant(audio + ",AUDIO=\"a\",CLOSED-CAPTIONS=NONE")
        ),
        // A rendition whose tag the reader rejects is present.
        RuleCase(
            "group-missing",
            at: 3,
            media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"A\",REQ-X=1") + "\n" + variant(audio + ",SUBTITLES=\"t\""),
            nearMiss: media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"A\",REQ-X=1") + "\n"
                + variant(audio + ",SUBTITLES=\"s\"")
        ),
        RuleCase(
            "group-unused",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("VIDEO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + variant(audio + ",AUDIO=\"a\""),
            nearMiss: media("CLOSED-CAPTIONS", "GROUP-ID=\"a\",NAME=\"A\",INSTREAM-ID=\"CC1\"") + "\n"
                + media("VIDEO", "GROUP-ID=\"v\",NAME=\"A\"") + "\n" + variant(audio + ",CLOSED-CAPTIONS=\"a\"")
                + "\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\",VIDEO=\"v\""
        ),
        RuleCase(
            "duplicate-group-name",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\"")
                + "\n"
                + media("VIDEO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"a\"")
        ),
        RuleCase(
            "group-two-defaults",
            at: 4,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES") + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"B\"")
                + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"C\",DEFAULT=YES"),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\",DEFAULT=YES")
        ),
        RuleCase(
            "default-not-autoselect",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES,AUTOSELECT=NO"),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",DEFAULT=YES")
        ),
        RuleCase(
            "autoselect-ambiguous",
            at: 3,
            media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"A\",AUTOSELECT=YES,LANGUAGE=\"en-US\",CHARACTERISTICS=\"a,b\"")
                + "\n"
                + media(
                    "SUBTITLES",
                    "GROUP-ID=\"s\",NAME=\"B\",AUTOSELECT=YES,LANGUAGE=\"en-us\",FORCED=NO,CHARACTERISTICS=\"b,a\""
                ),
            nearMiss: media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"A\",AUTOSELECT=YES,LANGUAGE=\"en\"") + "\n"
                + media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"B\",AUTOSELECT=YES,LANGUAGE=\"en\",FORCED=YES") + "\n"
                + media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"C\",LANGUAGE=\"en\"")
        ),
        RuleCase(
            "groups-differ",
            at: 4,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"B\"") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"2\",DEFAULT=NO") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\",CHANNELS=\"6\"") + "\n"
                + media("SUBTITLES", "GROUP-ID=\"b\",NAME=\"C\",URI=\"s\"")
        ),
        RuleCase(
            "groups-differ",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\"") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"B\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"b\",NAME=\"B\"")
                + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"a\",NAME=\"B\"")
        ),
        RuleCase(
            "groups-differ",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\",AUTOSELECT=YES"),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n"
                + media("AUDIO", "GROUP-ID=\"b\",NAME=\"A\",AUTOSELECT=NO")
        ),
        // Groups of different pathways may differ.
        RuleCase(
            "groups-differ",
            at: 3,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"b\",NAME=\"B\"") + "\n"
                + variant(audio + ",PATHWAY-ID=\"X\",AUDIO=\"a\"") + "\n"
                + variant(audio + ",PATHWAY-ID=\"Y\",AUDIO=\"b\"") + "\n"
                + variant(audio + ",PATHWAY-ID=\"X\",AUDIO=\"b\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\"") + "\n" + media("AUDIO", "GROUP-ID=\"b\",NAME=\"B\"")
                + "\n" + variant(audio + ",PATHWAY-ID=\"X\",AUDIO=\"a\"") + "\n"
                + variant(audio + ",PATHWAY-ID=\"Y\",AUDIO=\"b\"")
        ),
        RuleCase(
            "closed-captions-inconsistent",
            at: 2,
            variant(audio) + "\n" + variant(video + ",CLOSED-CAPTIONS=NONE") + "\n" + variant(video),
            nearMiss: variant(audio + ",CLOSED-CAPTIONS=\"NONE\"") + "\n" + variant(video)
        ),
        RuleCase(
            "closed-captions-with-uri",
            at: 2,
            media("CLOSED-CAPTIONS", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"CC1\",URI=\"c\""),
            nearMiss: media("SUBTITLES", "GROUP-ID=\"c\",NAME=\"C\",URI=\"c\"")
        ),
        RuleCase(
            "subtitles-without-uri",
            at: 2,
            media("SUBTITLES", "GROUP-ID=\"s\",NAME=\"S\""),
            nearMiss: media("VIDEO", "GROUP-ID=\"s\",NAME=\"S\"")
        ),
        RuleCase(
            "instream-id-missing",
            at: 2,
            media("CLOSED-CAPTIONS", "GROUP-ID=\"c\",NAME=\"C\""),
            nearMiss: media("CLOSED-CAPTIONS", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"CC4\"")
        ),
        RuleCase(
            "instream-id-value",
            at: 2,
            media("CLOSED-CAPTIONS", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"SERVICE+1\""),
            nearMiss: media("CLOSED-CAPTIONS", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"SERVICE63\"")
        ),
        RuleCase(
            "instream-id-value",
            at: 2,
            media("AUDIO", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"track 1\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"c\",NAME=\"C\",INSTREAM-ID=\"track.1\"")
        ),
        RuleCase(
            "forced-not-subtitles",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",FORCED=NO"),
            nearMiss: media("SUBTITLES", "GROUP-ID=\"a\",NAME=\"A\",FORCED=YES")
        ),
        RuleCase(
            "audio-attribute-not-audio",
            at: 2,
            media("VIDEO", "GROUP-ID=\"a\",NAME=\"A\",SAMPLE-RATE=48000"),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",SAMPLE-RATE=48000")
        ),
        RuleCase(
            "channels-missing",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\""),
            nearMiss: media("VIDEO", "GROUP-ID=\"a\",NAME=\"A\"")
        ),
        RuleCase(
            "channels-syntax",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"6/JOC,\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"16/3OA,JOC/BED-4,DOF-3\"")
        ),
        RuleCase(
            "channels-syntax",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"2//BINAURAL\""),
            nearMiss: media("VIDEO", "GROUP-ID=\"a\",NAME=\"A\",CHANNELS=\"2//BINAURAL\"")
        ),
        RuleCase(
            "language-malformed",
            at: 2,
            media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",LANGUAGE=\"de-\",ASSOC-LANGUAGE=\"e\""),
            nearMiss: media("AUDIO", "GROUP-ID=\"a\",NAME=\"A\",LANGUAGE=\"X-a\",ASSOC-LANGUAGE=\"de-CH-1901\"")
        ),
        RuleCase(
            "language-malformed",
            at: 2,
            "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\",LANGUAGE=\"x\"",
            nearMiss: "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\",LANGUAGE=\"xx\""
        ),
        RuleCase(
            "session-data-content",
            at: 2,
            "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",FORMAT=JSON",
            nearMiss: "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",URI=\"a\""
        ),
        RuleCase(
            "session-data-content",
            at: 2,
            "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\",URI=\"a\"",
            nearMiss: "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\""
        ),
        RuleCase(
            "duplicate-session-data",
            at: 4,
            "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\",LANGUAGE=\"en\"\n#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"2\"\n"
                + "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",URI=\"1\",LANGUAGE=\"EN\"",
            nearMiss: "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\",LANGUAGE=\"en\"\n"
                + "#EXT-X-SESSION-DATA:DATA-ID=\"a.b\",VALUE=\"1\"\n#EXT-X-SESSION-DATA:DATA-ID=\"a.B\",VALUE=\"1\""
        ),
        RuleCase(
            "session-data-id",
            at: 2,
            "#EXT-X-SESSION-DATA:DATA-ID=\"title\",VALUE=\"1.0\"",
            nearMiss: "#EXT-X-SESSION-DATA:DATA-ID=\"title.main\",VALUE=\"1\""
        ),
    ]
}
