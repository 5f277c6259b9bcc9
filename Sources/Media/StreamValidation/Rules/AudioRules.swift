import HLSPlaylist
import MediaFormats
import TextCoding

extension ValidationRule {
    /// Rules about audio.
    static let audioRules: [ValidationRule] = [
        ValidationRule(
            "he-aac-signaling",
            .must,
            "2.24",
            .initialization,
            "HE-AAC in MP4 is signaled explicitly: the audio object type is 5 or 29.",
            advice: "Let the packager write the AudioSpecificConfig with explicit signaling."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                for format in rendition.formats where format.container == .mp4 {
                    let isDeclared = presentation.codecs(for: rendition).contains(where: \.isHighEfficiencyAAC)
                    let isLowComplexityDeclared = presentation.codecs(for: rendition).contains {
                        $0.family == .aac && $0.profile == 2
                    }
                    switch format.details.bandReplication {
                    case .backwardCompatible: break
                    case .implicit where isDeclared && !isLowComplexityDeclared: break
                    default: continue
                    }
                    findings.report(
                        .init(rendition.name),
                        format.details.bandReplication == .implicit
                            ? "CODECS declares HE-AAC, and the AudioSpecificConfig does not signal it."
                            : "The AudioSpecificConfig signals HE-AAC only in an extension."
                    )
                }
            }
        },
        ValidationRule(
            "he-aac-bit-rate",
            .should,
            "2.4",
            .media,
            "HE-AAC has at most 64 kbit/s.",
            advice: "Encode with a lower bit rate, or with AAC-LC."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                let declared = presentation.codecs(for: rendition).filter { $0.family == .aac }
                let isDeclared = !declared.isEmpty && declared.allSatisfy(\.isHighEfficiencyAAC)
                let isMeasured = rendition.formats.contains { Codec($0.codecs).isHighEfficiencyAAC }
                guard isMeasured || isDeclared, let rate = rendition.audioRate, rate > 64_000 * 1.1 else { continue }
                findings.report(
                    .init(rendition.name),
                    "The bit rate of HE-AAC is above 64 kbit/s.",
                    measured: rateText(rate),
                    limit: "64 kbit/s",
                    confidence: rendition.isComplete ? .proved : .estimate
                )
            }
        },
        .rendition(
            "audio-bit-rate-high",
            .should,
            "2.9",
            .media,
            "The bit rate of audio is in the range of its codec and its channels.",
            advice: "Encode with a lower bit rate: more is not audible, and takes from the video."
        ) { rendition, findings in
            guard let format = rendition.formats.first(where: { $0.kind == .audio }), let rate = rendition.audioRate,
                let limit = format.maximumAudioRate, rate > limit * 1.1
            else { return }
            findings.report(
                .init(rendition.name),
                "The bit rate of the audio is above the range for its codec.",
                measured: rateText(rate),
                limit: rateText(limit),
                confidence: rendition.isComplete ? .proved : .estimate
            )
        },
        .rendition(
            "multichannel-audio-muxed",
            .must,
            "9.6",
            .initialization,
            "Audio with more than two channels is apart from video.",
            advice: "Package the audio as a rendition of its own, beside one in stereo."
        ) { rendition, findings in
            guard rendition.kind == .video else { return }
            for format in rendition.formats where format.kind == .audio {
                guard let text = format.channels?.prefix(while: \.isNumber), let count = Int(text), count > 2 else {
                    continue
                }
                findings.report(
                    .init(rendition.name),
                    "Audio with more than two channels is in the segments of the video.",
                    measured: counted(count, "channel"),
                    limit: "2 channels"
                )
            }
        },
        ValidationRule(
            "codecs-superfluous",
            .should,
            "9.1",
            .initialization,
            "CODECS of a variant lists no format that neither its media nor its renditions have.",
            advice: "Remove the format from CODECS; give each audio codec a group and variants of its own."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                for kind in [TrackFormat.Kind.video, .audio] {
                    let actual = formats.filter { $0.kind == kind }.map { Codec($0.codecs) }
                    // What is not measured, or not known, may be what is declared.
                    guard !actual.isEmpty, !actual.contains(where: { $0.family == .unknown }),
                        !formats.contains(where: { $0.kind == .other }), presentation.isMeasured(variant)
                    else { continue }
                    for declared in variant.streamInf.attributes.codecs.map({ Codec($0) })
                    where declared.kind.rawValue == kind.rawValue {
                        guard
                            !actual.contains(where: {
                                $0.family == declared.family || $0.isBaseLayer(of: declared)
                                    || declared.isBaseLayer(of: $0)
                            })
                        else { continue }
                        findings.report(
                            place,
                            "CODECS lists \(declared.family.rawValue), which the media do not contain: players that lack it "
                                + "leave the variant out.",
                            measured: actual.map(\.text).joined(separator: ","),
                            limit: declared.text
                        )
                    }
                }
            }
        },
    ]
}

extension TrackFormat {
    /// The highest bit rate of the range of rule 2.9 in bits per second; nil for codecs and channels without one.
    fileprivate var maximumAudioRate: Double? {
        guard let text = channels?.prefix(while: \.isNumber), let count = Int(text) else { return nil }
        switch (Codec(codecs).family, count) {
        case (.aac, 1...2), (.eac3, 1...2): return 160_000
        case (.aac, 3...6): return 320_000
        case (.ac3, 3...6): return 384_000
        // A dependent substream and Dolby Atmos have the range of 7.1 channels.
        case (.eac3, _): return 384_000
        default: return nil
        }
    }
}

extension MeasuredRendition {
    /// The average bit rate of the audio frames in bits per second, without their container; nil if none was measured.
    fileprivate var audioRate: Double? {
        var (bytes, seconds) = (0, 0.0)
        for (_, measurement) in measured {
            for track in measurement.tracks where track.format.kind == .audio {
                guard let duration = track.duration else { continue }
                bytes += track.byteCount
                seconds += duration
            }
        }
        return seconds > 0 ? Double(bytes) * 8 / seconds : nil
    }
}

extension MeasuredPresentation {
    /// The formats in CODECS of the variants that a Media Playlist belongs to.
    func codecs(for rendition: MeasuredRendition) -> [Codec] {
        let groups = Set(rendition.roles.renditions.map(\.tag.groupID))
        let own = rendition.roles.variants.map(\.variant)
        let others = (playlist?.variants ?? []).filter { $0.streamInf.audio.map(groups.contains) ?? false }
        return (own + others).flatMap { $0.streamInf.attributes.codecs }.map { Codec($0) }
    }

    /// Returns whether something was measured in every Media Playlist of a variant's audio.
    fileprivate func isMeasured(_ variant: Variant) -> Bool {
        let group = variant.streamInf.audio
        let tags = playlist?.renditions.filter { $0.type == .audio && $0.groupID == group && $0.uri != nil } ?? []
        let loaded = audio(of: variant)
        return loaded.allSatisfy { !$0.formats.isEmpty } && loaded.count >= Set(tags.map(\.uri)).count
    }
}
