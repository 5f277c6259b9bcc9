import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about containers.
    static let containerRules: [ValidationRule] = [
        .rendition(
            "segment-with-movie",
            .must,
            "8.20",
            .media,
            "Segments of MP4 have no moov box of their own, but an EXT-X-MAP.",
            advice: "Package as fragmented MP4: the moov box belongs in the init segment, to which EXT-X-MAP refers."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.structure?.hasMovie == true {
                findings.report(
                    .init(rendition, segment),
                    segment.map == nil
                        ? "The segment has a moov box, and no EXT-X-MAP applies."
                        : "The segment has a moov box, although EXT-X-MAP refers to an init segment.",
                    level: segment.map == nil ? .must : .should
                )
            }
        },
        .rendition(
            "samples-located-by-file",
            .must,
            "8216bis:3.1.2",
            .media,
            "Fragments locate their samples relative to the moof box.",
            advice: "Let the packager set default-base-is-moof in tfhd, and leave base_data_offset out."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.structure?.hasFileOffsets == true {
                findings.report(.init(rendition, segment), "A tfhd box has a base_data_offset, an offset in a file.")
            }
        },
        .rendition(
            "decode-time-missing",
            .must,
            "8216bis:3.1.2",
            .media,
            "Each track fragment has a decode time (tfdt).",
            advice: "Let the packager write tfdt: without it, players cannot start at the segment."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.structure?.lacksDecodeTime == true {
                findings.report(.init(rendition, segment), "A track fragment has no tfdt box.")
            }
        },
        .rendition(
            "samples-in-other-file",
            .must,
            "8216bis:3.1.2",
            .initialization,
            "The samples are in the segments themselves.",
            advice: "Set the flag self-contained in the dref box of the init segment."
        ) { rendition, findings in
            guard rendition.formats.contains(where: { !$0.details.isSelfContained }) else { return }
            findings.report(.init(rendition.name), "By the dref box, the samples are in another file.")
        },
        .rendition(
            "parameter-sets-missing",
            .must,
            "1.1",
            .initialization,
            "The sample entries avc1, hvc1 and dvh1 contain the parameter sets.",
            advice: "Let the packager write the parameter sets into avcC or hvcC: decoders cannot start without them."
        ) { rendition, findings in
            guard let format = rendition.formats.first(where: { !$0.details.hasParameterSets }) else { return }
            findings.report(
                .init(rendition.name),
                "The sample entry has no parameter sets.",
                measured: format.sampleEntry
            )
        },
        .rendition(
            "i-frame-without-fragment",
            .must,
            "6.10",
            .media,
            "The byte range of an I-frame contains its moof box.",
            advice: "Start the byte range at the moof box, and end it after the picture."
        ) { rendition, findings in
            guard rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                guard let structure = measurement.structure, structure.fragmentCount == 0 else { continue }
                findings.report(.init(rendition, segment), "The I-frame has no moof box.")
            }
        },
        .rendition(
            "i-frame-not-key-frame",
            .must,
            "8216bis:4.4.3.6",
            .media,
            "Each segment of an I-frame playlist is a picture that can be decoded by itself.",
            advice: "List the key frames, with the byte ranges that they have in the current segments."
        ) { rendition, findings in
            guard rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                let tracks = measurement.tracks.filter { $0.format.kind == .video && $0.sampleCount > 0 }
                guard tracks.contains(where: { $0.firstPicture == .other }) else { continue }
                findings.report(.init(rendition, segment), "The segment does not begin with a key frame.")
            }
        },
        .rendition(
            "webvtt-cue-damaged",
            .should,
            "8216bis:3.1.4",
            .media,
            "Every cue of WebVTT can be read.",
            advice: "Repair the cue: players leave it out."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.damagedCues > 0 {
                findings.report(
                    .init(rendition, segment),
                    "Cues of the segment cannot be read.",
                    measured: "\(measurement.damagedCues)",
                    limit: "0"
                )
            }
        },
    ]
}
