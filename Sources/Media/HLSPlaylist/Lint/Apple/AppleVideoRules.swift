extension LintRule {
    /// The rules for video formats, profiles and levels.
    static let appleVideoRules: [LintRule] = [
        attributes(
            "apple-video-codec",
            .error,
            "1.1",
            "video must be H.264, HEVC, Dolby Vision or AV1",
            at: "CODECS"
        ) { attributes in
            let wrong = attributes.videoFormats.filter { $0.family == .vp8 || $0.family == .vp9 }
            guard !wrong.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(wrong.map(\.text))), which Apple devices do not play in HLS: add a "
                + "variant in H.264, HEVC or AV1, or remove this one"
        },
        multivariantPlaylist(
            "apple-h264-level-high",
            .warning,
            "1.3",
            "some H.264 variants should be at or below High Profile, level 4.1"
        ) { subject in
            let formats = subject.formats(.h264)
            guard !formats.isEmpty, formats.allSatisfy({ $0.level ?? 0 > 41 }) else { return nil }
            return "all H.264 variants are above level 4.1, so older devices play none of them: add one with a CODECS "
                + "element such as \"avc1.640029\""
        },
        attributes(
            "apple-h264-level",
            .error,
            "1.3",
            "H.264 must be at or below High Profile, level 5.2",
            at: "CODECS"
        ) { attributes in
            let wrong = attributes.videoFormats.filter { $0.family == .h264 && isAboveHigh($0) }
            guard !wrong.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(wrong.map(\.text))), which is above High Profile, level 5.2: encode "
                + "at most at \"avc1.640034\""
        },
        attributes(
            "apple-h264-profile",
            .warning,
            "1.4",
            "H.264 should have High Profile, not Main or Baseline",
            at: "CODECS"
        ) { attributes in
            let low = attributes.videoFormats.filter { $0.family == .h264 && [66, 77, 88].contains($0.profile) }
            guard !low.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(low.map(\.text))), which is not High Profile: all current devices "
                + "decode High Profile, which has a better quality at the same bit rate"
        },
        multivariantPlaylist(
            "apple-hevc-level-high",
            .warning,
            "1.6",
            "some HEVC variants should be at or below Main 10 Profile, level 4.0, Main Tier"
        ) { subject in
            let formats = subject.formats(.hevc).filter { !$0.isMultiviewHEVC }
            guard !formats.isEmpty, formats.allSatisfy({ $0.level ?? 0 > 120 || $0.isHighTier }) else { return nil }
            return "all HEVC variants are above level 4.0 or have High Tier: add one with a CODECS element such as "
                + "\"hvc1.2.4.L120.B0\""
        },
        attributes(
            "apple-hevc-level",
            .error,
            "1.6",
            "HEVC must be at or below Main 10 Profile, level 5.1, High Tier",
            at: "CODECS"
        ) { attributes in
            let wrong = attributes.videoFormats.filter { codec in
                codec.family == .hevc && !codec.isMultiviewHEVC && !attributes.isImmersive
                    && (codec.level ?? 0 > 153 || ![nil, 1, 2].contains(codec.profile))
            }
            guard !wrong.isEmpty else { return nil }
            return "CODECS has \(LintText.quoted(wrong.map(\.text))), which is above Main 10 Profile, level 5.1: "
                + "encode at most at \"hvc1.2.4.H153.B0\""
        },
        attributes(
            "apple-dolby-vision-profile",
            .error,
            "1.9",
            "Dolby Vision in CODECS must be profile 5, 10 or 20, level 9 or lower",
            at: "CODECS"
        ) { attributes in
            for codec in attributes.videoFormats where codec.family == .dolbyVision {
                if codec.profile == 8 {
                    return "CODECS has \(ReadingContext.quoted(codec.text)), but profile 8 has a base layer that other "
                        + "devices play: write the base layer in CODECS, and this format with its brand in "
                        + "SUPPLEMENTAL-CODECS"
                }
                if let profile = codec.profile, ![5, 10, 20].contains(profile) {
                    return "CODECS has \(ReadingContext.quoted(codec.text)), but Apple devices play only the Dolby "
                        + "Vision profiles 5, 8, 10 and 20"
                }
                if let level = codec.level, level > 9 {
                    return "CODECS has \(ReadingContext.quoted(codec.text)), but Apple devices play Dolby Vision only "
                        + "up to level 9"
                }
            }
            return nil
        },
        attributes(
            "apple-dolby-vision-level",
            .warning,
            "1.9",
            "Dolby Vision profile 5 should be at or below level 7",
            at: "CODECS"
        ) { attributes in
            let high = attributes.videoFormats.first {
                $0.family == .dolbyVision && $0.profile == 5 && ($0.level == 8 || $0.level == 9)
            }
            guard let high else { return nil }
            return
                "CODECS has \(ReadingContext.quoted(high.text)), a level that iPhone, iPad and Apple Vision Pro play, "
                + "but other devices do not: offer a variant at level 7 or lower too"
        },
        attributes(
            "apple-sample-entry",
            .warning,
            "1.10",
            "the sample entries should be avc1, hvc1 and dvh1, not avc3, hev1 and dvhe",
            at: "CODECS"
        ) { attributes in
            for codec in attributes.videoFormats {
                guard let better = sampleEntries[codec.sampleEntry.lowercased()] else { continue }
                return "CODECS has \(ReadingContext.quoted(codec.text)), whose parameter sets are in the samples: "
                    + "package the media as \(better)"
            }
            return nil
        },
        multivariantPlaylist(
            "apple-no-h264",
            .warning,
            "1.12",
            "some variants should be in H.264, which all devices play"
        ) { subject in
            let formats = subject.videoVariants.flatMap { $0.variant.streamInf.attributes.videoFormats }
            guard !formats.isEmpty, !subject.isAllStereoscopic, !formats.contains(where: { $0.family == .h264 })
            else { return nil }
            return "no variant is in H.264: add variants with a CODECS element such as \"avc1.640028\""
        },
        attributes(
            "apple-av1-level",
            .error,
            "1.37",
            "AV1 must be at or below level 6.2",
            at: "CODECS"
        ) { attributes in
            guard let high = attributes.videoFormats.first(where: { $0.family == .av1 && $0.level ?? 0 > 18 }) else {
                return nil
            }
            return "CODECS has \(ReadingContext.quoted(high.text)), which is above level 6.2: encode at most at the "
                + "level index 18"
        },
    ]

    private static let sampleEntries = ["avc3": "avc1", "hev1": "hvc1", "dvhe": "dvh1"]

    private static func isAboveHigh(_ codec: Codec) -> Bool {
        // The profiles above High have more bits per sample or more chroma samples. 44, 118 and 128 are higher too.
        codec.level ?? 0 > 52 || ![nil, 66, 77, 88, 100].contains(codec.profile)
    }
}

extension MultivariantSubject {
    /// The formats of a family in CODECS of the variants.
    fileprivate func formats(_ family: Codec.Family) -> [Codec] {
        variants.flatMap { $0.variant.streamInf.attributes.videoFormats }.filter { $0.family == family }
    }
}

extension Codec {
    /// True for HEVC with High Tier.
    fileprivate var isHighTier: Bool {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        return family == .hevc && parts.count > 3 && parts[3].first == "H"
    }
}
