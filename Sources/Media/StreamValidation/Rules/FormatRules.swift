import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about formats, and what the Multivariant Playlist declares of them.
    static let formatRules: [ValidationRule] = [
        ValidationRule(
            "media-codecs-incomplete",
            .must,
            "9.1",
            .initialization,
            "CODECS of a variant lists every format of its media and of its renditions.",
            advice: "Add the missing format to CODECS."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                let declared = variant.streamInf.attributes.codecs.map { Codec($0) }
                guard !declared.isEmpty else { return }
                for format in formats where format.kind == .video || format.kind == .audio {
                    let actual = Codec(format.codecs)
                    guard actual.family != .unknown,
                        !declared.contains(where: { $0.family == actual.family || $0.isBaseLayer(of: actual) })
                    else { continue }
                    findings.report(
                        place,
                        "CODECS lacks \(actual.family.rawValue), which the media contain.",
                        measured: format.codecs,
                        limit: variant.streamInf.attributes.codecs.joined(separator: ",")
                    )
                }
            }
        },
        ValidationRule(
            "codecs-differ",
            .must,
            "9.1",
            .initialization,
            "The profile and the level in CODECS are those of the media.",
            advice:
                "Write the profile and the level of the media into CODECS. Apple's validator takes HE-AAC for AAC-LC; it is "
                + "mp4a.40.5."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                let declared = variant.streamInf.attributes.codecs.map { Codec($0) }
                for format in formats where format.kind == .video || format.kind == .audio {
                    let actual = Codec(format.codecs)
                    let same = declared.filter { $0.family == actual.family }
                    guard actual.family != .unknown, !same.isEmpty,
                        !same.contains(where: { $0.text.lowercased() == format.codecs.lowercased() }),
                        !same.contains(where: { format.mayBe($0) })
                    else { continue }
                    // A device that can play what is declared may not be able to play a higher level.
                    let isHigher = same.allSatisfy { ($0.level ?? .max) < (actual.level ?? 0) }
                    let hasOtherProfile = same.allSatisfy {
                        $0.profile != nil && actual.profile != nil && $0.profile != actual.profile
                    }
                    findings.report(
                        place,
                        "CODECS is not that of the media.",
                        measured: format.codecs,
                        limit: same.map(\.text).joined(separator: ","),
                        level: isHigher || hasOtherProfile ? .must : .advice
                    )
                }
            }
        },
        ValidationRule(
            "resolution-differs",
            .must,
            "9.2",
            .initialization,
            "RESOLUTION of a variant is the size at which its pictures are displayed.",
            advice: "Write the display size after cropping and with the sample aspect ratio."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                guard let declared = variant.streamInf.attributes.resolution else { return }
                let sizes = formats.filter { $0.kind == .video }.compactMap(\.size)
                // Rounding of the aspect ratio makes a difference of a pixel.
                guard !sizes.isEmpty,
                    !sizes.contains(where: {
                        abs($0.width - Int(clamping: declared.width)) <= 2
                            && abs($0.height - Int(clamping: declared.height)) <= 2
                    })
                else { return }
                findings.report(
                    place,
                    "RESOLUTION is not the size of the pictures.",
                    measured: sizes.map { "\($0.width)x\($0.height)" }.joined(separator: ", "),
                    limit: "\(declared)"
                )
            }
        },
        ValidationRule(
            "video-range-differs",
            .must,
            "9.16",
            .initialization,
            "VIDEO-RANGE of a variant is the dynamic range of its media; SDR if it is absent.",
            advice: "Write the VIDEO-RANGE of the media: players choose HDR only by it."
        ) { presentation, findings in
            presentation.forEachVariant { variant, place, formats in
                let declared = variant.streamInf.attributes.videoRange ?? .sdr
                guard VideoRange.defined.contains(declared) else { return }
                let ranges = Set(formats.filter { $0.kind == .video }.compactMap(\.dynamicRange?.rawValue))
                // HLG may contain SDR, and PQ may contain both (RFC 8216bis, 4.4.6.2).
                let highest = ["PQ", "HLG", "SDR"].first(where: ranges.contains)
                guard let highest, highest != declared.rawValue else { return }
                findings.report(
                    place,
                    "VIDEO-RANGE is not the dynamic range of the media.",
                    measured: highest,
                    limit: declared.rawValue
                )
            }
        },
        ValidationRule(
            "frame-rate-differs",
            .must,
            "9.15",
            .media,
            "FRAME-RATE of a variant is the maximum frame rate of its media.",
            advice: "Write the maximum frame rate with three decimal digits."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions {
                let rates = rendition.measured.flatMap { $0.measurement.tracks }
                    .filter { $0.format.kind == .video }.compactMap(\.constantFrameRate)
                guard let highest = rates.max() else { continue }
                for (variant, line) in rendition.roles.variants {
                    guard let declared = variant.streamInf.attributes.frameRate, declared > 0,
                        abs(highest - declared) > declared * 0.02
                    else { continue }
                    findings.report(
                        .init(name, line: line),
                        "FRAME-RATE is not the maximum frame rate of the media.",
                        measured: frameRateText(highest),
                        limit: frameRateText(declared),
                        level: highest > declared ? .must : .should,
                        confidence: rendition.isComplete ? .proved : .estimate
                    )
                }
            }
        },
        ValidationRule(
            "channels-differ",
            .must,
            "8216bis:4.4.6.1",
            .initialization,
            "CHANNELS of an audio rendition is the number of channels of its media.",
            advice: "Write the number of channels of the media into CHANNELS."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions {
                guard let actual = rendition.formats.first(where: { $0.kind == .audio })?.channels else { continue }
                for (tag, line) in rendition.roles.renditions where tag.type == .audio {
                    guard let declared = tag.channels, let count = tag.channelCount,
                        "\(count)" != actual.prefix(while: { $0 != "/" })
                    else { continue }
                    findings.report(
                        .init(name, line: line),
                        "CHANNELS is not the number of channels of the media.",
                        measured: actual,
                        limit: declared
                    )
                }
            }
        },
        .rendition(
            "parameter-sets-in-samples",
            .should,
            "1.10",
            .initialization,
            "The sample entries are avc1, hvc1 and dvh1, and not avc3, hev1 and dvhe.",
            advice: "Package with the parameter sets in the init segment: Apple's devices do not play hev1."
        ) { rendition, findings in
            guard let format = rendition.formats.first(where: { ["avc3", "hev1", "dvhe"].contains($0.sampleEntry) })
            else {
                return
            }
            findings.report(
                .init(rendition.name),
                "The sample entry is \(format.sampleEntry).",
                measured: format.sampleEntry,
                level: format.sampleEntry == "avc3" ? .should : .must
            )
        },
        .rendition(
            "hevc-in-transport-stream",
            .must,
            "1.5",
            .initialization,
            "HEVC is in fragmented MP4.",
            advice: "Package HEVC as fragmented MP4."
        ) { rendition, findings in
            for format in rendition.formats where format.container == .transportStream && format.sampleEntry == "hvc1" {
                findings.report(
                    .init(rendition.name),
                    "HEVC is in a transport stream, which Apple's devices do not play."
                )
            }
        },
        .rendition(
            "audio-in-transport-stream",
            .should,
            "2.1",
            .initialization,
            "Audio is in fragmented MP4 or packed, and not in a transport stream with video.",
            advice: "Package audio as renditions of its own."
        ) { rendition, findings in
            let kinds = Set(rendition.formats.filter { $0.container == .transportStream }.map(\.kind))
            guard kinds.isSuperset(of: [.audio, .video]) else { return }
            findings.report(.init(rendition.name), "Audio and video are in one transport stream.")
        },
        .rendition(
            "several-audio-streams",
            .must,
            "2.17",
            .media,
            "A segment has one audio stream.",
            advice: "Package each audio stream as a rendition of its own."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                let count = measurement.tracks.count { $0.format.kind == .audio && $0.sampleCount > 0 }
                guard count > 1 else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The segment has several audio streams.",
                    measured: "\(count)"
                )
            }
        },
        .rendition(
            "format-changes",
            .must,
            "8.13",
            .media,
            "Formats change only at a discontinuity.",
            advice: "Write EXT-X-DISCONTINUITY, and EXT-X-MAP for fragmented MP4, where the encoding changes."
        ) { rendition, findings in
            for pair in rendition.continuousPairs {
                for (before, after) in pair.tracks where before.sampleCount > 0 && after.sampleCount > 0 {
                    // Two sample entries of one init segment may alternate (Apple's requirement 16.3).
                    let views = pair.before.map == pair.after.map ? nil : before.format.viewChange(to: after.format)
                    guard let change = before.format.change(to: after.format) ?? views else { continue }
                    findings.report(
                        .init(rendition, pair.after),
                        "The \(before.format.kind.rawValue) format changes without EXT-X-DISCONTINUITY.",
                        measured: change
                    )
                }
            }
        },
        ValidationRule(
            "captions-not-declared",
            .must,
            "4.4",
            .media,
            "Closed captions in the pictures are declared by EXT-X-MEDIA.",
            advice:
                "Declare the captions with EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS and a LANGUAGE, or CLOSED-CAPTIONS=NONE after "
                + "their removal."
        ) { presentation, findings in
            guard let playlist = presentation.playlist,
                !playlist.renditions.contains(where: { $0.type == .closedCaptions })
            else { return }
            for rendition in presentation.variants {
                guard
                    let (segment, _) = rendition.measured.first(where: {
                        $0.measurement.tracks.contains(where: \.hasClosedCaptions)
                    })
                else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The pictures carry closed captions, which are not declared."
                )
            }
        },
    ]
}

extension Codec {
    /// True for HE-AAC and HE-AAC version 2.
    var isHighEfficiencyAAC: Bool { family == .aac && (profile == 5 || profile == 29) }

    /// Returns whether this format in CODECS is the base layer of another one with Dolby Vision, whose own format is in
    /// SUPPLEMENTAL-CODECS.
    func isBaseLayer(of other: Codec) -> Bool {
        other.family == .dolbyVision && (family == .hevc || family == .av1 || family == .h264)
            || family == .dolbyVision && other.family == .hevc
    }
}

extension TrackFormat {
    /// Returns whether the stream can have a declared format that its configuration does not show: HE-AAC, whose spectral
    /// band replication ADTS headers never signal and an AudioSpecificConfig may not. Apple's validator takes it for
    /// AAC-LC.
    fileprivate func mayBe(_ declared: Codec) -> Bool {
        codecs == "mp4a.40.2" && (details.bandReplication ?? .implicit) == .implicit
            && declared.isHighEfficiencyAAC
    }

    /// Returns a description of the difference to the format of the next segment; nil if a decoder can continue.
    fileprivate func change(to next: TrackFormat) -> String? {
        if sampleEntry != next.sampleEntry { return "\(next.sampleEntry) after \(sampleEntry)" }
        if let size, let other = next.size, size != other {
            return "\(other.width)x\(other.height) after \(size.width)x\(size.height)"
        }
        if let sampleRate, let other = next.sampleRate, sampleRate != other {
            return "\(other) Hz after \(sampleRate) Hz"
        }
        if let channels, let other = next.channels, channels != other {
            return "\(other) channels after \(channels)"
        }
        return nil
    }

    /// Returns the change between monoscopic and stereoscopic video; nil without a change.
    fileprivate func viewChange(to next: TrackFormat) -> String? {
        guard kind == .video, details.isStereo != next.details.isStereo else { return nil }
        return next.details.isStereo ? "two views after one" : "one view after two"
    }
}

extension MeasuredPresentation {
    /// Calls a function for each variant tag, with its place and the formats of the variant and of its audio
    /// renditions.
    func forEachVariant(_ body: (Variant, ValidationFinding.Place, [TrackFormat]) -> Void) {
        guard let name = multivariant?.name else { return }
        for rendition in renditions {
            for (variant, line) in rendition.roles.variants {
                let others = audio(of: variant).filter { $0.name != rendition.name }
                var formats: [TrackFormat] = []
                for format in rendition.formats + others.flatMap(\.formats) where !formats.contains(format) {
                    formats.append(format)
                }
                body(variant, .init(name, line: line), formats)
            }
        }
    }
}
