import HLSPlaylist

extension ValidationRule {
    private static let revision = AuthoringRevision.june2025.rawValue

    /// Requirements that only one target has, about the formats of media.
    static let targetFormatRules: [ValidationRule] = [
        .rendition(
            "airplay2-channels-change",
            .should,
            "airplay2:2.10@\(revision)",
            .media,
            "The channels of audio do not change at a discontinuity.",
            advice: "Encode what is inserted with the channels of the content."
        ) { rendition, findings in
            for pair in rendition.discontinuousPairs {
                guard let first = pair.first.audioChannels, let second = pair.second.audioChannels, first != second
                else {
                    continue
                }
                findings.report(
                    .init(rendition, pair.after),
                    "The channels change.",
                    measured: "\(second) after \(first)"
                )
            }
        },
        .rendition(
            "airplay2-frame-rates-differ",
            .should,
            "airplay2:8.25@\(revision)",
            .media,
            "The frame rate at a discontinuity stays the same, or becomes half of it or twice it.",
            advice: "Encode what is inserted with the frame rate of the content."
        ) { rendition, findings in
            for pair in rendition.discontinuousPairs {
                guard let first = pair.first.constantFrameRate, let second = pair.second.constantFrameRate,
                    ![0.5, 1, 2].contains(where: { abs(second - first * $0) <= first * $0 * 0.02 })
                else { continue }
                findings.report(
                    .init(rendition, pair.after),
                    "The frame rate does not fit that of the segment before.",
                    measured: "\(frameRateText(second)) after \(frameRateText(first))"
                )
            }
        },
        ValidationRule(
            "tvos-atmos-rates",
            .should,
            "tvos:2.8@\(revision)",
            .media,
            "Dolby Atmos is offered with one bit rate.",
            advice: "Offer one rendition of Dolby Atmos for each language."
        ) { presentation, findings in
            var rates: [String: Double] = [:]
            for rendition in presentation.renditions where rendition.formats.contains(where: \.isAtmos) {
                guard let rate = MeasuredBitRate(rendition)?.average else { continue }
                for (tag, _) in rendition.roles.renditions where tag.type == .audio {
                    // Renditions of one language and one name are the same content.
                    let content = "\(tag.language ?? "")\n\(tag.name)"
                    guard let first = rates[content] else {
                        rates[content] = rate
                        continue
                    }
                    guard abs(rate - first) > first * 0.1 else { continue }
                    findings.report(
                        .init(rendition.name),
                        "Dolby Atmos of one language has several bit rates.",
                        measured: rateText(rate),
                        limit: rateText(first)
                    )
                    break
                }
            }
        },
        ValidationRule(
            "visionos-stereo-format",
            .must,
            "visionos:16.6@\(revision)",
            .initialization,
            "Stereo video is MV-HEVC.",
            advice: "Encode both views with MV-HEVC, instead of packing them into one picture."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions {
                let formats = rendition.formats.filter { $0.kind == .video }
                guard let format = formats.first, !formats.contains(where: \.details.isStereo) else { continue }
                for (variant, line) in rendition.roles.variants {
                    let entries = variant.streamInf.attributes.requiredVideoLayout.map { $0.split(separator: "/") }
                    let isMono = entries.contains { $0.contains("CH-MONO") }
                    // Parts with one view prove nothing about others that were not loaded.
                    guard entries.contains(where: { $0.contains("CH-STEREO") }), !isMono || rendition.isComplete else {
                        continue
                    }
                    findings.report(
                        .init(name, line: line),
                        "REQ-VIDEO-LAYOUT declares stereo video, and no video has two views of MV-HEVC.",
                        measured: format.codecs
                    )
                }
            }
        },
    ]
}

extension MeasuredRendition {
    /// The successive measured segments with a discontinuity between them.
    fileprivate var discontinuousPairs: [SegmentPair] {
        zip(segments, segments.dropFirst()).compactMap { before, after in
            guard let first = before.measurement, let second = after.measurement,
                after.isDiscontinuity || before.discontinuity != after.discontinuity
            else { return nil }
            return SegmentPair(before: before, first: first, after: after, second: second)
        }
    }
}

extension SegmentMeasurement {
    /// The channels of the first audio track; nil without audio, or if they are unknown.
    fileprivate var audioChannels: String? { tracks.first { $0.format.kind == .audio }?.format.channels }

    /// The frame rate of the first video track; nil without video, or if its frames have several durations.
    fileprivate var constantFrameRate: Double? {
        tracks.first { $0.format.kind == .video }?.constantFrameRate
    }
}

extension TrackFormat {
    /// True for E-AC-3 with Dolby Atmos.
    fileprivate var isAtmos: Bool { sampleEntry == "ec-3" && channels?.hasSuffix("/JOC") == true }
}
