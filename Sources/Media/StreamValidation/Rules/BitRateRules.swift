package import HLSPlaylist

extension ValidationRule {
    /// Rules about measured bit rates.
    static let bitRateRules: [ValidationRule] = [
        ValidationRule(
            "peak-above-bandwidth",
            .must,
            "1.27",
            .media,
            "The measured peak of a variant is at most 10 % above BANDWIDTH (live: 25 %).",
            advice:
                "Declare the measured peak, which includes the largest audio rendition, or limit the encoder's peak."
        ) { presentation, findings in
            for load in presentation.variantLoads {
                let tolerance = load.isLive ? 1.25 : 1.1
                let declared = Double(load.variant.streamInf.attributes.bandwidth)
                guard load.rate.peak > declared * tolerance else { continue }
                findings.report(
                    load.place,
                    "The measured peak is \(percent(load.rate.peak, declared)) above BANDWIDTH: players choose the "
                        + "variant on connections that are too slow for it.",
                    measured: rateText(load.rate.peak),
                    limit: "\(rateText(declared * tolerance)) (BANDWIDTH + \(load.isLive ? 25 : 10) %)"
                )
            }
        },
        ValidationRule(
            "peak-below-bandwidth",
            .should,
            "1.27",
            .media,
            "The measured peak of a video on demand variant is at most 10 % below BANDWIDTH.",
            advice: "Declare the measured peak: players leave the variant out on connections that are fast enough."
        ) { presentation, findings in
            for load in presentation.variantLoads where !load.isLive && load.rate.isExact {
                let declared = Double(load.variant.streamInf.attributes.bandwidth)
                guard load.rate.peak < declared * 0.9 else { continue }
                findings.report(
                    load.place,
                    "The measured peak is \(percent(load.rate.peak, declared)) below BANDWIDTH.",
                    measured: rateText(load.rate.peak),
                    limit: "\(rateText(declared * 0.9)) (BANDWIDTH - 10 %)"
                )
            }
        },
        ValidationRule(
            "average-above-average-bandwidth",
            .must,
            "1.26",
            .media,
            "The measured average of a variant is at most 10 % above AVERAGE-BANDWIDTH.",
            advice: "Declare the measured average, including the largest audio rendition."
        ) { presentation, findings in
            for load in presentation.variantLoads {
                guard let average = load.variant.streamInf.attributes.averageBandwidth else { continue }
                let declared = Double(average)
                guard load.rate.average > declared * 1.1 else { continue }
                findings.report(
                    load.place,
                    "The measured average is \(percent(load.rate.average, declared)) above AVERAGE-BANDWIDTH.",
                    measured: rateText(load.rate.average),
                    limit: "\(rateText(declared * 1.1)) (AVERAGE-BANDWIDTH + 10 %)",
                    confidence: load.rate.isExact ? .proved : .estimate
                )
            }
        },
        ValidationRule(
            "average-below-average-bandwidth",
            .should,
            "1.26",
            .media,
            "The measured average of a video on demand variant is at most 10 % below AVERAGE-BANDWIDTH.",
            advice: "Declare the measured average."
        ) { presentation, findings in
            for load in presentation.variantLoads where !load.isLive && load.rate.isExact {
                guard let average = load.variant.streamInf.attributes.averageBandwidth else { continue }
                let declared = Double(average)
                guard load.rate.average < declared * 0.9 else { continue }
                findings.report(
                    load.place,
                    "The measured average is \(percent(load.rate.average, declared)) below AVERAGE-BANDWIDTH.",
                    measured: rateText(load.rate.average),
                    limit: "\(rateText(declared * 0.9)) (AVERAGE-BANDWIDTH - 10 %)"
                )
            }
        },
        .rendition(
            "peak-above-twice-average",
            .should,
            "1.30",
            .media,
            "The measured peak of video on demand is at most twice its average.",
            advice: "Limit the encoder's peak rate, for example with a smaller buffer (VBV)."
        ) { rendition, findings in
            guard !rendition.isLive, !rendition.isIFrames, rendition.kind == .video,
                let rate = MeasuredBitRate(rendition), rate.isExact, rate.peak > rate.average * 2
            else { return }
            findings.report(
                .init(rendition.name),
                "The measured peak is more than twice the average.",
                measured: rateText(rate.peak),
                limit: "\(rateText(rate.average * 2)) (twice the average)"
            )
        },
        ValidationRule(
            "i-frame-bandwidth",
            .must,
            "6.9",
            .media,
            "BANDWIDTH of an I-frame variant is its measured peak, with a tolerance of 10 %.",
            advice: "Declare the measured peak of the I-frame playlist."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions where !rendition.roles.iFrameVariants.isEmpty {
                guard let rate = MeasuredBitRate(rendition) else { continue }
                for (tag, line) in rendition.roles.iFrameVariants {
                    let declared = Double(tag.attributes.bandwidth)
                    let isAbove = rate.peak > declared * 1.1
                    guard isAbove || !rendition.isLive && rate.isExact && rate.peak < declared * 0.9 else { continue }
                    findings.report(
                        .init(name, line: line),
                        "The measured peak is \(percent(rate.peak, declared)) \(isAbove ? "above" : "below") BANDWIDTH.",
                        measured: rateText(rate.peak),
                        limit: rateText(declared),
                        level: isAbove ? .must : .should
                    )
                }
            }
        },
        .rendition(
            "bitrate-tag-wrong",
            .must,
            "8216bis:4.4.4.8",
            .media,
            "The bit rate of a segment is between 90 % and 110 % of the EXT-X-BITRATE that applies to it.",
            advice: "Write EXT-X-BITRATE for each change of the bit rate, or leave the tag out."
        ) { rendition, findings in
            for segment in rendition.segments {
                guard let declared = segment.declaredBitrate, let count = segment.byteCount, segment.duration > 0 else {
                    continue
                }
                let rate = Double(count) * 8 / segment.duration
                let bounds = Double(declared) * 900...Double(declared) * 1100
                // The tag has whole kilobits.
                guard !bounds.contains(rate), abs(rate - Double(declared) * 1000) > 1000 else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The bit rate of the segment is not that of EXT-X-BITRATE.",
                    measured: rateText(rate),
                    limit: "\(declared) kbit/s ± 10 %"
                )
            }
        },
    ]

    /// Returns a bit rate in kbit/s.
    package static func rateText(_ rate: Double) -> String { "\(Int(rounding: rate / 1000)) kbit/s" }

    /// Returns the difference of two values as a percentage, without its sign.
    static func percent(_ value: Double, _ reference: Double) -> String {
        guard reference > 0 else { return "infinitely" }
        return "\(Int(rounding: abs(value - reference) / reference * 100)) %"
    }
}

/// The measured bit rate of a variant with its largest renditions.
package struct VariantLoad {
    package let variant: Variant
    /// The tag in the Multivariant Playlist.
    package let place: ValidationFinding.Place
    package let rate: MeasuredBitRate
    package let isLive: Bool
}

extension MeasuredPresentation {
    /// The bit rates of the variants, with those of the playable combination of renditions that needs most (RFC 8216bis,
    /// 4.4.6.2): the largest of the video, the audio and the subtitle renditions. A variant that several tags refer to
    /// occurs once for each.
    package var variantLoads: [VariantLoad] {
        guard let name = multivariant?.name else { return [] }
        var rates: [String: MeasuredBitRate] = [:]
        for rendition in renditions { rates[rendition.name] = MeasuredBitRate(rendition) }
        return renditions.flatMap { rendition in
            rendition.roles.variants.compactMap { variant, line in
                guard var rate = rates[rendition.name] else { return nil }
                for type in [MediaTag.MediaType.video, .audio, .subtitles] {
                    let others = renditions(type, of: variant).filter { $0.name != rendition.name }
                    let otherRates = others.compactMap { rates[$0.name] }
                    let peak = otherRates.map(\.peak).max() ?? 0
                    let average = otherRates.map(\.average).max() ?? 0
                    // Another angle is played instead of the variant's own video.
                    rate.peak = type == .video ? max(rate.peak, peak) : rate.peak + peak
                    rate.average = type == .video ? max(rate.average, average) : rate.average + average
                    rate.isExact =
                        rate.isExact && otherRates.count == others.count && otherRates.allSatisfy(\.isExact)
                }
                return VariantLoad(
                    variant: variant,
                    place: .init(name, line: line),
                    rate: rate,
                    isLive: rendition.isLive
                )
            }
        }
    }
}
