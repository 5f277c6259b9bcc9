extension LintRule {
    /// The rules for VIDEO-RANGE and SUPPLEMENTAL-CODECS.
    static let appleDynamicRangeRules: [LintRule] = [
        multivariantPlaylist(
            "apple-no-sdr",
            .error,
            "1.24",
            "a presentation with HDR must have SDR variants too"
        ) { subject in
            let video = subject.videoVariants.map { $0.variant.streamInf.attributes }
            guard !video.isEmpty, !subject.isAllStereoscopic, video.allSatisfy(\.isHDR) else { return nil }
            return "all variants are HDR, so displays without HDR have none: add variants with VIDEO-RANGE=SDR"
        },
        LintRule(
            "apple-video-range-missing",
            .error,
            .multivariant,
            section: "Apple 9.16",
            "every variant with video must have VIDEO-RANGE, unless all are SDR",
            .multivariant { subject, findings in
                let all = subject.allAttributes
                guard let other = all.first(where: { $0.attributes.isHDR }) else { return }
                for (attributes, line) in all where attributes.videoRange == nil && attributes.isVideo {
                    findings.report(
                        line,
                        "the tag has no VIDEO-RANGE, but the one on line \(other.line.number) is HDR: write "
                            + "VIDEO-RANGE=SDR, HLG or PQ"
                    )
                }
            }
        ),
        attributes(
            "apple-supplemental-codecs",
            .error,
            "appendix",
            "SUPPLEMENTAL-CODECS must have dvh1.08 with hvc1, or dav1.10 with av01, with the brand db1p or db4h",
            at: "SUPPLEMENTAL-CODECS"
        ) { attributes in
            for element in attributes.supplementalCodecs.map({ SupplementalCodec($0) }) {
                if let problem = problem(element, attributes) { return problem }
            }
            return nil
        },
        attributes(
            "apple-supplemental-codecs-range",
            .error,
            "appendix",
            "the brand in SUPPLEMENTAL-CODECS must agree with VIDEO-RANGE",
            at: "SUPPLEMENTAL-CODECS"
        ) { attributes in
            for brand in attributes.supplementalCodecs.flatMap({ SupplementalCodec($0).brands }) {
                guard let range = ranges[brand], attributes.videoRange ?? .sdr != range else { continue }
                return "the brand \(ReadingContext.quoted(brand)) requires VIDEO-RANGE=\(range), but VIDEO-RANGE is "
                    + "\(ReadingContext.quoted((attributes.videoRange ?? .sdr).rawValue))"
                    + (attributes.videoRange == nil ? " by default" : "")
            }
            return nil
        },
    ]

    /// The ranges that compatibility brands require: Dolby Vision with a base layer in HDR10 or HLG, and HDR10+.
    private static let ranges: [String: VideoRange] = ["db1p": .pq, "db4h": .hlg, "cdm4": .pq]

    /// Returns what is wrong with Dolby Vision in SUPPLEMENTAL-CODECS; nil for other formats.
    private static func problem(_ element: SupplementalCodec, _ attributes: VariantAttributes) -> String? {
        let codec = element.codec
        guard codec.family == .dolbyVision else { return nil }
        let text = ReadingContext.quoted(codec.text)
        let base: Codec.Family
        switch (codec.sampleEntry.lowercased(), codec.profile) {
        case ("dvh1", 8): base = .hevc
        case ("dav1", 10): base = .av1
        default:
            return "SUPPLEMENTAL-CODECS has \(text), which Apple devices do not play as a supplement: write dvh1.08 "
                + "for HEVC or dav1.10 for AV1; a format without a base layer belongs in CODECS"
        }
        let formats = attributes.videoFormats
        if !formats.isEmpty, !formats.contains(where: { $0.family == base }) {
            return "SUPPLEMENTAL-CODECS has \(text), whose base layer is \(base.rawValue), but CODECS has "
                + "\(LintText.quoted(formats.map(\.text)))"
        }
        guard !element.brands.contains("db1p"), !element.brands.contains("db4h") else { return nil }
        return "SUPPLEMENTAL-CODECS has \(text) without the brand of its base layer: write \"\(codec.text)/db1p\" for "
            + "PQ, or \"\(codec.text)/db4h\" for HLG"
    }
}
