extension LintRule {
    /// The rules for the set of variants: bit rates, sizes and redundancy.
    static let appleLadderRules: [LintRule] = [
        multivariantPlaylist(
            "apple-single-bit-rate",
            .error,
            "9.9",
            "a presentation must have variants with several bit rates"
        ) { subject in
            let variants = subject.videoVariants.isEmpty ? subject.variants : subject.videoVariants
            guard let first = variants.first?.variant else { return nil }
            // Variants with one playlist differ only in their renditions; equal bit rates are redundant copies.
            let hasOther = variants.contains {
                $0.variant.uri != first.uri && $0.variant.streamInf.attributes.bandwidth != first.bandwidth
            }
            guard !hasOther else { return nil }
            return "all variants have one bit rate, so clients cannot adapt to the network: add variants with other "
                + "bit rates"
        },
        multivariantPlaylist(
            "apple-codec-range",
            .warning,
            "1.23",
            "the variants of each video codec should cover the full range of bit rates"
        ) { subject in
            var lowest: [Codec.Family: UInt64] = [:]
            for (variant, _) in subject.videoVariants where variant.requiredVideoLayout.isEmpty {
                guard let family = variant.streamInf.attributes.videoFormats.first?.family else { continue }
                lowest[family] = min(lowest[family] ?? .max, variant.streamInf.attributes.averageOrPeak)
            }
            guard let least = lowest.values.min(), least > 0 else { return nil }
            let high = lowest.filter { $0.value / 3 > least }.min { $0.key.rawValue < $1.key.rawValue }
            guard let high else { return nil }
            return "the lowest bit rate in \(high.key.rawValue) is \(high.value), but \(least) in another codec, and "
                + "clients do not change the codec during playback: add \(high.key.rawValue) variants with lower bit "
                + "rates"
        },
        LintRule(
            "apple-ladder",
            .note,
            .multivariant,
            section: "Apple 1.25",
            "the bit rates of H.264 and HEVC should be near those that Apple recommends for the size",
            .multivariant { subject, findings in
                for (variant, line) in subject.variants {
                    let attributes = variant.streamInf.attributes
                    guard let resolution = attributes.resolution, let average = attributes.averageBandwidth,
                        let rungs = BitRateLadder.rungs(for: attributes, resolution),
                        let low = rungs.first, let high = rungs.last
                    else { continue }
                    let rate = Double(average) / 1000
                    // The average includes the audio, and content differs: only a factor of 2 is worth a note.
                    guard rate < low / 2 || rate > high * 2 + 400 else { continue }
                    let range = low == high ? "\(Int(low))" : "\(Int(low)) to \(Int(high))"
                    findings.report(
                        line,
                        attribute: "AVERAGE-BANDWIDTH",
                        "the average is \(Int(rate)) kbit/s at \(resolution), where Apple recommends \(range) kbit/s as "
                            + "a starting point"
                    )
                }
            }
        ),
        LintRule(
            "apple-first-variant",
            .warning,
            .multivariant,
            section: "Apple 1.32",
            "the first variant of each audio group should be the one with about 2000 kbit/s, or 730 for cellular",
            .multivariant { subject, findings in
                guard !subject.file.isRefused(.streamInf) else { return }
                var groups: [String: [(variant: Variant, line: PlaylistLine)]] = [:]
                var order: [String] = []
                for item in subject.videoVariants {
                    let group = item.variant.streamInf.audio ?? ""
                    if groups[group] == nil { order.append(group) }
                    groups[group, default: []].append(item)
                }
                for group in order {
                    guard let members = groups[group], let first = members.first,
                        !members.contains(where: { $0.variant.streamInf.attributes.isStereoscopic })
                    else { continue }
                    let rates = members.map { Double($0.variant.streamInf.attributes.averageOrPeak) }
                    let isBest = [2_000_000.0, 730_000].contains { target in
                        let own = abs(rates[0] - target)
                        return own <= target / 2 || rates.allSatisfy { abs($0 - target) >= own }
                    }
                    guard !isBest else { continue }
                    findings.report(
                        first.line,
                        "clients start with this variant of \(Int(rates[0] / 1000)) kbit/s: place the one nearest to "
                            + "2000 kbit/s first"
                    )
                }
            }
        ),
        LintRule(
            "apple-aspect-ratios-differ",
            .warning,
            .multivariant,
            section: "Apple 1.33",
            "all variants should have one aspect ratio",
            .multivariant { subject, findings in
                var first: (ratio: Double, line: PlaylistLine)?
                for (variant, line) in subject.variants {
                    guard let resolution = variant.resolution, let ratio = resolution.aspectRatio else { continue }
                    guard let known = first else {
                        first = (ratio, line)
                        continue
                    }
                    // Sizes are rounded to even numbers, or to multiples of 16 such as in 480x272.
                    guard abs(ratio / known.ratio - 1) > 0.03 else { continue }
                    findings.report(
                        line,
                        attribute: "RESOLUTION",
                        "the aspect ratio of \(resolution) differs from that of the variant on line "
                            + "\(known.line.number): scale the picture to one aspect ratio"
                    )
                }
            }
        ),
        multivariantPlaylist(
            "apple-uhd-bit-rate",
            .warning,
            "1.34",
            "some UHD variants should have 15 Mbit/s or less"
        ) { subject in
            let rates = subject.variants.map(\.variant.streamInf.attributes).filter { attributes in
                guard let size = attributes.resolution, !attributes.isStereoscopic else { return false }
                return max(size.width, size.height) > 2560
            }.map(\.averageOrPeak)
            guard let least = rates.min(), least > 15_000_000 else { return nil }
            return "the lowest bit rate of UHD is \(least / 1000) kbit/s: add a UHD variant with 15000 kbit/s or less"
        },
        multivariantPlaylist(
            "apple-single-hd-variant",
            .warning,
            "9.10",
            "HD video should have two variants at its highest resolution"
        ) { subject in
            func pixels(_ size: Resolution) -> Double { Double(size.width) * Double(size.height) }
            let sized = subject.variants.compactMap { item in item.variant.resolution.map { (item.variant, $0) } }
            guard let top = sized.map(\.1).max(by: { pixels($0) < pixels($1) }), top.isHD || top.isAboveHD,
                Set(sized.filter { $0.1 == top }.map(\.0.streamInf.attributes.bandwidth)).count == 1
            else { return nil }
            return
                "only one bit rate has the highest resolution, \(top): add a second variant of that size with another "
                + "bit rate"
        },
        multivariantPlaylist(
            "apple-no-failover",
            .warning,
            "10.2",
            "variants should have copies on another server"
        ) { subject in
            guard !subject.variants.isEmpty, subject.playlist.contentSteering == nil else { return nil }
            var uris: [StreamInfTag: String] = [:]
            for (variant, _) in subject.variants {
                var tag = variant.streamInf
                tag.attributes.pathwayID = nil
                if let known = uris[tag], known != variant.uri { return nil }
                uris[tag] = variant.uri
            }
            return "no variant has a copy for failover: repeat the variants with the same attributes and the URIs of "
                + "another server, or use EXT-X-CONTENT-STEERING"
        },
    ]
}

/// Apple's recommended average bit rates of variants in kbit/s, by size (section 1.25).
private enum BitRateLadder {
    private static let h264: [UInt64: [Double]] = [
        234: [145], 360: [365], 432: [730, 1100], 540: [2000], 720: [3000, 4500], 1080: [6000, 7800],
    ]
    private static let hevc: [UInt64: [Double]] = [
        360: [145], 432: [300], 540: [600, 1600], 720: [2400, 3400], 1080: [4500, 5800], 1440: [8100],
        2160: [11600, 16800],
    ]
    private static let hevcHDR: [UInt64: [Double]] = [
        360: [160], 432: [360], 540: [730, 1930], 720: [2900, 4080], 1080: [5400, 7000], 1440: [9700],
        2160: [13900, 20000],
    ]

    /// Returns the lowest and the highest bit rate for a size of 16:9; nil for other sizes and formats.
    static func rungs(for attributes: VariantAttributes, _ size: Resolution) -> [Double]? {
        guard let ratio = size.aspectRatio, abs(ratio * 9 / 16 - 1) < 0.01, !attributes.isStereoscopic else {
            return nil
        }
        switch attributes.videoFormats.first?.family {
        case .h264: return h264[size.height]
        case .hevc: return (attributes.isHDR ? hevcHDR : hevc)[size.height]
        default: return nil
        }
    }
}
