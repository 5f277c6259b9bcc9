import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about the codecs of the media, whatever CODECS declares.
    static let codecRules: [ValidationRule] = [
        .rendition(
            "video-codec",
            .must,
            "1.1",
            .initialization,
            "Video is H.264, HEVC, Dolby Vision or AV1.",
            advice: "Encode with H.264 or HEVC."
        ) { rendition, findings in
            let allowed: Set<String> = ["avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "av01"]
            // Motion JPEG is allowed for trick play.
            let trickPlay: Set<String> = ["mjpg", "jpeg"]
            for format in rendition.formats {
                // Stream types 1 and 2 are MPEG-1 and MPEG-2 video.
                let isOther = format.kind == .video && !allowed.contains(format.sampleEntry)
                let isMPEG = ["stream type 1", "stream type 2"].contains(format.sampleEntry)
                guard isOther || isMPEG, !(rendition.isIFrames && trickPlay.contains(format.sampleEntry)) else {
                    continue
                }
                findings.report(
                    .init(rendition.name),
                    "Apple's devices do not play the video codec.",
                    measured: isMPEG ? "MPEG video" : format.codecs
                )
            }
        },
        .rendition(
            "audio-codec",
            .should,
            "2.2",
            .initialization,
            "Audio is AAC, AC-3, E-AC-3, ALAC, FLAC or APAC.",
            advice: "Encode with AAC; what other codecs Apple's devices play, depends on the container and the system."
        ) { rendition, findings in
            let allowed: Set<Codec.Family> = [.aac, .ac3, .eac3, .alac, .flac, .apac]
            for format in rendition.formats where format.kind == .audio {
                guard !allowed.contains(Codec(format.codecs).family) else { continue }
                findings.report(
                    .init(rendition.name),
                    "The audio codec is not one of Apple's list.",
                    measured: format.codecs
                )
            }
        },
        .rendition(
            "codec-changes",
            .should,
            "8.16",
            .media,
            "The codecs do not change at a discontinuity.",
            advice: "Encode what is inserted with the codecs of the content: another decoder causes a pause."
        ) { rendition, findings in
            for (before, after) in zip(rendition.segments, rendition.segments.dropFirst())
            where after.isDiscontinuity || before.discontinuity != after.discontinuity {
                guard let first = before.measurement?.leadingTrack?.format,
                    let second = after.measurement?.leadingTrack?.format, first.kind == second.kind,
                    first.sampleEntry != second.sampleEntry
                else { continue }
                findings.report(
                    .init(rendition, after),
                    "The codec changes.",
                    measured: "\(second.sampleEntry) after \(first.sampleEntry)"
                )
            }
        },
    ]
}
