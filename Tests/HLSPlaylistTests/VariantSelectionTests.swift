import HLSPlaylist
import Testing

@Suite("Variant selection")
struct VariantSelectionTests {
    /// A protected bit rate ladder: SD for all devices, HD with HDCP Type 0, UHD with HDCP Type 1 and AppleMain.
    static let film = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://sd",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="aac.m3u8",GROUP-ID="aac",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="ec3.m3u8",GROUP-ID="ec3",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="16/JOC"
        #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.4D401E,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=24,HDCP-LEVEL=NONE,AUDIO="aac"
        sd-360.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000000,CODECS="avc1.4D401F,mp4a.40.2",RESOLUTION=960x540,FRAME-RATE=24,AUDIO="aac"
        sd-540.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=6000000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=24,HDCP-LEVEL=TYPE-0,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/AppleMain",AUDIO="aac"
        hd-avc.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=5000000,CODECS="hvc1.2.4.L120.B0,ec-3",RESOLUTION=1920x1080,FRAME-RATE=24,HDCP-LEVEL=TYPE-0,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleBaseline/AppleMain",VIDEO-RANGE=PQ,AUDIO="ec3"
        hd-hdr.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=18000000,CODECS="hvc1.2.4.L150.B0,ec-3",SUPPLEMENTAL-CODECS="dvh1.08.06/db1p",RESOLUTION=3840x2160,FRAME-RATE=24,HDCP-LEVEL=TYPE-1,ALLOWED-CPC="com.apple.streamingkeydelivery:AppleMain",VIDEO-RANGE=PQ,AUDIO="ec3"
        uhd-hdr.m3u8

        """

    /// The capabilities of a set-top box that is connected to a 2160p television.
    static var box: PlayerCapabilities {
        PlayerCapabilities(
            codecs: .ultraHighDefinition,
            throughput: 50_000_000,
            displaySize: Resolution(width: 3840, height: 2160),
            keySystems: [.identity: [], .fairPlay: ["AppleMain", "AppleBaseline"]],
            hdcp: .type1,
            videoRanges: [.sdr, .hlg, .pq]
        )
    }

    static func playlist(_ text: String) throws -> MultivariantPlaylist {
        try MultivariantPlaylist(parsing: Array(text.utf8))
    }

    /// Returns a playlist with one variant per argument: its attributes, a space, and its URI.
    static func ladder(_ header: String = "", _ variants: String...) throws -> MultivariantPlaylist {
        let lines = variants.map { line in
            let parts = line.split(separator: " ")
            return "#EXT-X-STREAM-INF:\(parts[0])\n\(parts[1])\n"
        }
        let text = "#EXTM3U\n\(header)\(lines.joined())"
        return try #require(Playlist.parseLeniently(Array(text.utf8)).playlist.multivariant)
    }

    func reasons(_ selection: Selection, _ uri: String) -> [VariantRejection]? {
        selection.rejected.first { $0.variant.uri == uri }?.reasons
    }

    @Test("a fully capable box selects the best variant and its enhancement layer")
    func best() throws {
        let selection = VariantSelector(Self.box).select(from: try Self.playlist(Self.film))
        #expect(selection.variant?.uri == "uhd-hdr.m3u8")
        #expect(selection.fit == .good)
        #expect(selection.supplementalCodecs.map(\.codec.text) == ["dvh1.08.06"])
        #expect(selection.rejected.map(\.variant.uri) == ["sd-360.m3u8", "sd-540.m3u8", "hd-avc.m3u8", "hd-hdr.m3u8"])
        #expect(selection.rejected.map(\.index) == [0, 1, 2, 3])
        #expect(reasons(selection, "hd-hdr.m3u8") == [.lessThanChosen(.resolution)])
        #expect(selection.rendition(.audio)?.uri == "ec3.m3u8")
    }

    @Test("HDCP Type 0 excludes UHD, and no HDCP excludes HD")
    func hdcp() throws {
        let playlist = try Self.playlist(Self.film)
        var box = Self.box
        box.hdcp = .type0
        var selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "hd-hdr.m3u8")
        #expect(reasons(selection, "uhd-hdr.m3u8") == [.hdcpTooLow(.type1, output: .type0)])
        #expect(reasons(selection, "hd-avc.m3u8") == [.lessThanChosen(.videoRange)])
        box.hdcp = .none
        selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "sd-540.m3u8")
        #expect(reasons(selection, "hd-avc.m3u8") == [.hdcpTooLow(.type0, output: .none)])
        #expect(selection.rejected.first { $0.variant.uri == "hd-avc.m3u8" }?.isPlayable == false)
        #expect(selection.rejected.first { $0.variant.uri == "sd-360.m3u8" }?.isPlayable == true)
    }

    @Test("labels of ALLOWED-CPC")
    func labels() throws {
        let playlist = try Self.playlist(Self.film)
        var box = Self.box
        box.keySystems = [.fairPlay: ["AppleBaseline"]]
        var selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "hd-hdr.m3u8")
        #expect(
            reasons(selection, "uhd-hdr.m3u8")
                == [.cpcNotMatched(.fairPlay, required: ["AppleMain"], satisfied: ["AppleBaseline"])]
        )
        // Without labels, only variants without an entry remain.
        box.keySystems = [.fairPlay: []]
        selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "sd-540.m3u8")
        // Without FairPlay, no variant remains, because the session key is a FairPlay key.
        box.keySystems = [.identity: [], .widevine: ["L1"]]
        selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant == nil && selection.fit == .nothingPlayable)
        #expect(selection.rejected.count == 5)
        #expect(selection.rejected.allSatisfy { $0.reasons.contains(.keyFormatUnsupported([.fairPlay])) })
        // According to the caller, these variants are not encrypted, regardless of ALLOWED-CPC.
        let clear = VariantSelector(box, keyFormats: ["sd-360.m3u8": [], "hd-avc.m3u8": []]).select(from: playlist)
        #expect(clear.variant?.uri == "hd-avc.m3u8")
        // Multi-DRM: without an entry for Widevine, every Widevine client may play the variant.
        let both = VariantSelector(box, keyFormats: ["uhd-hdr.m3u8": [.fairPlay, .widevine]]).select(from: playlist)
        #expect(both.variant?.uri == "uhd-hdr.m3u8")
    }

    @Test("labels when the key formats are unknown")
    func labelsAlone() throws {
        let cpc = "ALLOWED-CPC=\"com.apple.streamingkeydelivery:Main,urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed:L1\""
        let playlist = try Self.ladder("", "BANDWIDTH=1 low", "BANDWIDTH=2,\(cpc) high")
        func chosen(_ systems: [KeyFormat: Set<String>]) -> String? {
            VariantSelector(PlayerCapabilities(codecs: .basic, keySystems: systems)).select(from: playlist).variant?.uri
        }
        #expect(chosen([.fairPlay: ["Main"]]) == "high")
        #expect(chosen([.fairPlay: ["Baseline"]]) == "low")
        #expect(chosen([.fairPlay: ["Baseline"], .widevine: ["L1"]]) == "high")
        #expect(chosen([.fairPlay: ["Baseline"], .playReady: []]) == "low")
        // All clients of an unlisted key format may play. Identity keys are not a DRM, so a player without a DRM cannot
        // play.
        #expect(chosen([.playReady: []]) == "high")
        #expect(chosen([.identity: []]) == "low")
        #expect(chosen([:]) == "low")
    }

    @Test("throughput, bandwidth cap and display")
    func limits() throws {
        let playlist = try Self.playlist(Self.film)
        var box = Self.box
        box.throughput = 6_250_000
        var selection = VariantSelector(box).select(from: playlist)
        // 6.25 Mbit/s times 0.8 is exactly the 5 Mbit/s of this variant.
        #expect(selection.variant?.uri == "hd-hdr.m3u8")
        #expect(reasons(selection, "hd-avc.m3u8") == [.bandwidthAboveThroughput(6_000_000, available: 5_000_000)])
        box.throughput = 6_249_999
        #expect(VariantSelector(box).select(from: playlist).variant?.uri == "sd-540.m3u8")
        box.throughput = nil
        box.bandwidthCap = 5_999_999
        selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "hd-hdr.m3u8")
        #expect(reasons(selection, "hd-avc.m3u8") == [.bandwidthAboveCap(6_000_000, cap: 5_999_999)])
        // The device is in portrait orientation.
        box.displaySize = Resolution(width: 1080, height: 1920)
        #expect(VariantSelector(box).select(from: playlist).variant?.uri == "hd-hdr.m3u8")
        box.displaySize = Resolution(width: 1919, height: 1080)
        selection = VariantSelector(box).select(from: playlist)
        #expect(selection.variant?.uri == "sd-540.m3u8")
        let full = Resolution(width: 1920, height: 1080)
        #expect(
            reasons(selection, "hd-hdr.m3u8")
                == [.largerThanDisplay(full, display: Resolution(width: 1919, height: 1080))]
        )
    }

    @Test(
        "if no variant fits, the one with the lowest bandwidth is selected, and the result indicates it",
        arguments: [0, 1000, 1_124_999]
    )
    func nothingFits(_ throughput: UInt64) throws {
        var box = Self.box
        box.throughput = throughput
        let selection = VariantSelector(box).select(from: try Self.playlist(Self.film))
        #expect(selection.variant?.uri == "sd-360.m3u8")
        #expect(selection.fit == .aboveBandwidth)
        #expect(selection.rejected.count == 4)
        #expect(!selection.rejected.contains { !$0.isPlayable })
    }

    @Test("on a display smaller than all variants, the smallest is selected")
    func smallDisplay() throws {
        var box = Self.box
        box.displaySize = Resolution(width: 100, height: 50)
        let selection = VariantSelector(box).select(from: try Self.playlist(Self.film))
        #expect(selection.variant?.uri == "sd-360.m3u8")
        #expect(selection.fit == .largerThanDisplay)
    }

    @Test("codecs: profiles, levels and unknown formats")
    func codecs() throws {
        let playlist = try Self.ladder(
            "",
            "BANDWIDTH=1,CODECS=\"avc1.42E01E,mp4a.40.2\" low",
            "BANDWIDTH=2,CODECS=\"avc1.640033,mp4a.40.2\" high-level",
            "BANDWIDTH=3,CODECS=\"avc1.7A0028,mp4a.40.2\" high-profile",
            "BANDWIDTH=4,CODECS=\"avc1.42E01E,zzzz.1\" unknown",
            "BANDWIDTH=5,CODECS=\"hvc1.2.4.L153.B0\" hevc",
            "BANDWIDTH=6,CODECS=\"avc1.42E01E,stpp.ttml.im1t\" text"
        )
        let selection = VariantSelector(PlayerCapabilities(codecs: .basic)).select(from: playlist)
        // An unsupported text format does not exclude the video.
        #expect(selection.variant?.uri == "text")
        #expect(reasons(selection, "low") == [.lessThanChosen(.bandwidth)])
        #expect(reasons(selection, "high-level") == [.codecsUnsupported([Codec("avc1.640033")])])
        #expect(reasons(selection, "high-profile") == [.codecsUnsupported([Codec("avc1.7A0028")])])
        #expect(reasons(selection, "unknown") == [.codecsUnsupported([Codec("zzzz.1")])])
        #expect(reasons(selection, "hevc") == [.codecsUnsupported([Codec("hvc1.2.4.L153.B0")])])
        let asked = PlayerCapabilities(codecs: CodecSupport { $0.text.hasPrefix("zzzz") || $0.family == .h264 })
        #expect(VariantSelector(asked).select(from: playlist).variant?.uri == "text")
        let audio = PlayerCapabilities(codecs: CodecSupport([.aac]))
        #expect(VariantSelector(audio).select(from: playlist).fit == .nothingPlayable)
    }

    @Test("video ranges")
    func videoRanges() throws {
        let playlist = try Self.ladder(
            "",
            "BANDWIDTH=1,CODECS=\"avc1.42E01E\" sdr",
            "BANDWIDTH=2,CODECS=\"avc1.42E01E\",VIDEO-RANGE=HLG hlg",
            "BANDWIDTH=3,CODECS=\"avc1.42E01E\",VIDEO-RANGE=XDR xdr"
        )
        var abilities = PlayerCapabilities(codecs: .basic)
        var selection = VariantSelector(abilities).select(from: playlist)
        #expect(selection.variant?.uri == "sdr")
        #expect(reasons(selection, "hlg") == [.videoRangeNotDisplayable(.hlg)])
        #expect(reasons(selection, "xdr") == [.videoRangeUnknown("XDR")])
        abilities.videoRanges = [.sdr, .hlg]
        selection = VariantSelector(abilities).select(from: playlist)
        #expect(selection.variant?.uri == "hlg")
        // Audio has no video range.
        abilities.videoRanges = []
        let audio = try Self.ladder("", "BANDWIDTH=1,CODECS=\"mp4a.40.2\" a")
        #expect(VariantSelector(abilities).select(from: audio).variant?.uri == "a")
    }

    @Test("stereo video, projections and unknown specifiers")
    func layouts() throws {
        let playlist = try Self.ladder(
            "#EXT-X-VERSION:12\n",
            "BANDWIDTH=1,SCORE=1 flat",
            "BANDWIDTH=2,SCORE=2,REQ-VIDEO-LAYOUT=\"CH-STEREO,CH-MONO\" stereo",
            "BANDWIDTH=3,SCORE=3,REQ-VIDEO-LAYOUT=\"CH-STEREO/PROJ-HEQU\" half",
            "BANDWIDTH=4,REQ-VIDEO-LAYOUT=\"CH-STEREO/PROJ-CUBE\" cube"
        )
        var abilities = PlayerCapabilities(codecs: .basic)
        var selection = VariantSelector(abilities).select(from: playlist)
        #expect(selection.variant?.uri == "flat")
        #expect(reasons(selection, "stereo") == [.videoLayoutNotRendered([.stereo])])
        #expect(reasons(selection, "half") == [.videoLayoutNotRendered([.stereo, .halfEquirectangular])])
        #expect(reasons(selection, "cube") == [.videoLayoutUnknown(["PROJ-CUBE"]), .videoLayoutNotRendered([.stereo])])
        abilities.showsStereo = true
        selection = VariantSelector(abilities).select(from: playlist)
        #expect(selection.variant?.uri == "stereo")
        // The ignored variant has no SCORE, but the SCORE of the others is still used.
        #expect(reasons(selection, "flat") == [.lowerScore(1, chosen: 2)])
        abilities.showsStereo = false
        #expect(!abilities.videoLayouts.contains(.stereo))
    }

    @Test("SCORE is decisive if all variants have one")
    func score() throws {
        let abilities = PlayerCapabilities(codecs: .basic)
        let all = try Self.ladder(
            "",
            "BANDWIDTH=9,SCORE=1,RESOLUTION=640x360 big",
            "BANDWIDTH=5,SCORE=2.5,RESOLUTION=320x180 small",
            "BANDWIDTH=6,SCORE=2.5,RESOLUTION=320x180 same"
        )
        let selection = VariantSelector(abilities).select(from: all)
        #expect(selection.variant?.uri == "same")
        #expect(reasons(selection, "big") == [.lowerScore(1, chosen: 2.5)])
        #expect(reasons(selection, "small") == [.lessThanChosen(.bandwidth)])
        let some = try Self.ladder(
            "",
            "BANDWIDTH=9,RESOLUTION=640x360 big",
            "BANDWIDTH=5,SCORE=2.5,RESOLUTION=320x180 small"
        )
        #expect(VariantSelector(abilities).select(from: some).variant?.uri == "big")
    }

    @Test("only variants of the applied pathway are selected")
    func pathways() throws {
        let steering = "#EXT-X-CONTENT-STEERING:SERVER-URI=\"s\",PATHWAY-ID=\"B\"\n"
        let variants = ["BANDWIDTH=3 none", "BANDWIDTH=2,PATHWAY-ID=\"A\" a", "BANDWIDTH=1,PATHWAY-ID=\"B\" b"]
        let steered = try Self.ladder(steering, variants[0], variants[1], variants[2])
        var abilities = PlayerCapabilities(codecs: .basic)
        var selection = VariantSelector(abilities).select(from: steered)
        #expect(selection.variant?.uri == "b")
        #expect(reasons(selection, "none") == [.pathway(".", applied: "B")])
        abilities.pathwayID = "A"
        selection = VariantSelector(abilities).select(from: steered)
        #expect(selection.variant?.uri == "a")
        abilities.pathwayID = "."
        #expect(VariantSelector(abilities).select(from: steered).variant?.uri == "none")
        abilities.pathwayID = "C"
        #expect(VariantSelector(abilities).select(from: steered).fit == .nothingPlayable)
        // Without content steering, or with an initial pathway without variants, all variants are candidates.
        abilities.pathwayID = nil
        let free = try Self.ladder("", variants[0], variants[1], variants[2])
        #expect(VariantSelector(abilities).select(from: free).variant?.uri == "none")
        let lost = try Self.ladder(steering, variants[0], variants[1])
        #expect(VariantSelector(abilities).select(from: lost).variant?.uri == "none")
    }

    @Test(
        "the criteria are compared in order",
        arguments: [
            ("RESOLUTION=4x4", "RESOLUTION=5x4", VariantCriterion.resolution),
            ("BANDWIDTH=9,VIDEO-RANGE=SDR", "BANDWIDTH=1,VIDEO-RANGE=PQ", .videoRange),
            ("BANDWIDTH=9,CODECS=\"avc1.640028\"", "BANDWIDTH=1,CODECS=\"hvc1.2.4.L93.B0\"", .codec),
            ("BANDWIDTH=9,FRAME-RATE=30", "BANDWIDTH=1,FRAME-RATE=30.001", .frameRate),
            (
                "BANDWIDTH=9,SUPPLEMENTAL-CODECS=\"dvh1.07.06\"", "BANDWIDTH=1,SUPPLEMENTAL-CODECS=\"dvh1.08.06\"",
                .supplementalCodecs
            ),
            ("BANDWIDTH=9", "BANDWIDTH=10", .bandwidth),
            ("AVERAGE-BANDWIDTH=8", "AVERAGE-BANDWIDTH=9", .averageBandwidth),
        ]
    )
    func ties(_ lesser: String, _ better: String, _ criterion: VariantCriterion) throws {
        func line(_ attributes: String, _ uri: String) -> String {
            (attributes.hasPrefix("BANDWIDTH") ? "" : "BANDWIDTH=9,") + "\(attributes) \(uri)"
        }
        let selector = VariantSelector(Self.box)
        for lines in [
            [line(lesser, "lesser"), line(better, "better")], [line(better, "better"), line(lesser, "lesser")],
        ] {
            let selection = selector.select(from: try Self.ladder("", lines[0], lines[1]))
            #expect(selection.variant?.uri == "better")
            #expect(selection.rejected.map(\.reasons) == [[.lessThanChosen(criterion)]])
        }
        let equal = selector.select(from: try Self.ladder("", line(better, "first"), line(better, "second")))
        #expect(equal.variant?.uri == "first")
        #expect(equal.rejected.map(\.reasons) == [[.lessThanChosen(.order)]])
    }

    @Test("switching up requires a margin, and switching down does not")
    func switching() throws {
        let playlist = try Self.ladder("", "BANDWIDTH=1000000 low", "BANDWIDTH=2000000 mid", "BANDWIDTH=4000000 high")
        var selector = VariantSelector(PlayerCapabilities(codecs: .basic))
        func target(_ throughput: UInt64, from index: Int) -> String? {
            selector.switchTarget(throughput: throughput, current: playlist.variants[index], in: playlist)?.uri
        }
        // Keeping mid requires 2.5 Mbit/s, and switching up to mid requires 2.875 Mbit/s.
        #expect(target(2_874_000, from: 0) == nil)
        #expect(target(2_876_000, from: 0) == "mid")
        #expect(target(2_500_000, from: 1) == nil)
        #expect(target(2_499_999, from: 1) == "low")
        #expect(target(10, from: 1) == "low")
        #expect(target(10, from: 0) == nil)
        #expect(target(.max, from: 0) == "high")
        #expect(target(.max, from: 2) == nil)
        selector.upSwitchMargin = 0
        #expect(target(2_500_000, from: 0) == "mid")
        #expect(target(.max, from: 0) == "high")
        selector.upSwitchMargin = .nan
        #expect(target(2_500_000, from: 0) == "mid")
        selector.abilities.bandwidthCap = 3_000_000
        #expect(target(.max, from: 2) == "mid")
        // The player switches away from a variant that was removed from the playlist.
        var gone = playlist.variants[1]
        gone.uri = "gone"
        #expect(selector.switchTarget(throughput: 3_000_000, current: gone, in: playlist)?.uri == "mid")
    }

    @Test("every reason has a description without control characters")
    func words() throws {
        let playlist = try Self.ladder(
            "",
            "BANDWIDTH=1,CODECS=\"zz\u{9B}31m\",VIDEO-RANGE=XDR,HDCP-LEVEL=TYPE-1,RESOLUTION=9x9,PATHWAY-ID=\"P\" v"
        )
        var abilities = PlayerCapabilities(codecs: .basic, throughput: 0, bandwidthCap: 0, pathwayID: "Q")
        abilities.displaySize = Resolution(width: 1, height: 1)
        let selection = VariantSelector(abilities).select(from: playlist)
        let words = selection.rejected.flatMap(\.reasons).map(\.description)
        #expect(words.count == 7)
        #expect(words.contains("its RESOLUTION of 9x9 is larger than the 1x1 display"))
        #expect(words.contains("HDCP-LEVEL is \"TYPE-1\", but the output has no HDCP"))
        #expect(!words.joined().unicodeScalars.contains { (0x7F...0x9F).contains($0.value) })
    }

    @Test("an empty playlist has no playable variant, and extreme numbers are handled")
    func extremes() throws {
        #expect(VariantSelector(Self.box).select(from: MultivariantPlaylist()).fit == .nothingPlayable)
        let most = UInt64.max
        let playlist = try Self.ladder(
            "",
            "BANDWIDTH=\(most),RESOLUTION=\(most)x\(most),SCORE=\(most) v",
            "BANDWIDTH=0 w"
        )
        var box = Self.box
        #expect(VariantSelector(box).select(from: playlist).variant?.uri == "w")
        box.throughput = most
        box.safetyFactor = .infinity
        box.displaySize = nil
        #expect(VariantSelector(box).select(from: playlist).variant?.uri == "v")
        for factor in [0, -1, Double.nan] {
            box.safetyFactor = factor
            #expect(VariantSelector(box).select(from: playlist).variant?.uri == "w")
        }
    }
}

extension Playlist {
    fileprivate var multivariant: MultivariantPlaylist? {
        if case .multivariant(let playlist) = self { playlist } else { nil }
    }
}
