import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the bit rates of I-frame playlists. A rate that is too high for the variants is not reported again for the
    /// table of recommended rates.
    static let iFrameRateRules: [ValidationRule] = [
        ValidationRule(
            "i-frame-rate-high",
            .should,
            "6.5",
            .media,
            "The bit rate of I-frames is that of the variant times their number per second, divided by 8.",
            advice: "Encode separate key frames for trick play: players show 8 per second."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                guard let load = presentation.iFrameLoad(of: rendition), load.isTooHigh, let expected = load.expected
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "The I-frames need more than three times the bit rate that lets players show 8 per second.",
                    measured: rateText(load.rate.average),
                    limit: rateText(expected),
                    confidence: load.rate.isExact ? .proved : .estimate
                )
            }
        },
        ValidationRule(
            "i-frame-rate-not-recommended",
            .advice,
            "6.7",
            .media,
            "The average bit rate of I-frames in H.264 or HEVC is at most twice the one that Apple recommends for the size.",
            advice:
                "Encode key frames for trick play with a lower bit rate; Apple's values are starting points, not limits."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                guard let load = presentation.iFrameLoad(of: rendition), !load.isTooHigh,
                    let format = rendition.formats.first(where: { $0.kind == .video }),
                    let recommended = format.recommendedIFrameRate, load.rate.average > recommended * 2
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "The average bit rate of the I-frames is more than twice the recommended one.",
                    measured: rateText(load.rate.average),
                    limit: rateText(recommended),
                    confidence: load.rate.isExact ? .proved : .estimate
                )
            }
        },
    ]
}

/// The bit rate of an I-frame playlist.
private struct IFrameLoad {
    let rate: MeasuredBitRate
    /// The bit rate that lets players show 8 frames per second, by the variants of the same size; nil without one.
    let expected: Double?

    /// A still picture with details needs more, whatever the encoder does.
    var isTooHigh: Bool { expected.map { rate.average > $0 * 3 } ?? false }
}

extension MeasuredPresentation {
    /// Returns the bit rate of an I-frame playlist; nil for other playlists and without measurements.
    fileprivate func iFrameLoad(of rendition: MeasuredRendition) -> IFrameLoad? {
        guard rendition.isIFrames, let rate = MeasuredBitRate(rendition), let size = rendition.formats.first?.size
        else {
            return nil
        }
        let others = variants.filter { variant in !variant.isIFrames && variant.formats.contains { $0.size == size } }
        let duration = rendition.segments.reduce(0) { $0 + $1.duration }
        let normal = others.compactMap { MeasuredBitRate($0)?.average }.max()
        let expected = normal.flatMap { rate in
            duration > 0 ? rate * Double(rendition.segments.count) / duration / 8 : nil
        }
        return IFrameLoad(rate: rate, expected: expected)
    }
}

extension TrackFormat {
    /// The average bit rate of I-frames that Apple recommends for the width, in bits per second; nil for other codecs and
    /// widths. Of two values for a size, it is the higher one.
    fileprivate var recommendedIFrameRate: Double? {
        guard let width = size?.width else { return nil }
        let isHDR = dynamicRange != nil && dynamicRange != .sdr
        let kilobits: Double? =
            switch (Codec(codecs).family, width) {
            case (.h264, 640): 45
            case (.h264, 768): 90
            case (.h264, 960): 250
            case (.h264, 1280): 375
            case (.h264, 1920): 580
            case (.hevc, 768): isHDR ? 55 : 40
            case (.hevc, 960): isHDR ? 238 : 200
            case (.hevc, 1280): isHDR ? 360 : 300
            case (.hevc, 1920): isHDR ? 650 : 525
            default: nil
            }
        return kilobits.map { $0 * 1000 }
    }
}
