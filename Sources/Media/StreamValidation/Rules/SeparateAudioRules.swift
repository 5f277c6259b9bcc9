import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about where the audio of a presentation is, and in which container.
    static let separateAudioRules: [ValidationRule] = [
        ValidationRule(
            "audio-undeclared",
            .must,
            "8.9",
            .initialization,
            "Audio apart from video is declared by EXT-X-MEDIA, and the variant refers to its group.",
            advice: "Write an EXT-X-MEDIA tag with TYPE=AUDIO, and its group into AUDIO of the variant."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for rendition in presentation.renditions where rendition.isComplete && rendition.kind == .video {
                let formats = rendition.formats
                // Another kind can be audio of a codec that is not known.
                guard !formats.contains(where: { $0.kind == .audio || $0.kind == .other }) else { continue }
                for (variant, line) in rendition.roles.variants where variant.streamInf.audio == nil {
                    let declared = variant.streamInf.attributes.codecs.filter { Codec($0).kind == .audio }
                    guard !declared.isEmpty else { continue }
                    findings.report(
                        .init(name, line: line),
                        "CODECS lists audio, the segments have none, and the variant refers to no audio group: it plays without "
                            + "sound.",
                        measured: formats.map(\.codecs).joined(separator: ","),
                        limit: declared.joined(separator: ",")
                    )
                }
            }
        },
        ValidationRule(
            "angles-with-audio",
            .must,
            "9.8",
            .initialization,
            "Audio is apart from video if there are several angles.",
            advice: "Package the audio as a rendition of its own, so that it continues when the angle changes."
        ) { presentation, findings in
            let angles = presentation.playlist?.renditions.filter { $0.type == .video } ?? []
            let groups = Dictionary(grouping: angles, by: \.groupID).filter { $0.value.count > 1 }
            guard !groups.isEmpty else { return }
            for rendition in presentation.renditions where !rendition.isIFrames && rendition.kind == .video {
                let own = rendition.roles.renditions.map(\.tag.groupID)
                let referred = rendition.roles.variants.compactMap(\.variant.streamInf.attributes.video)
                guard (own + referred).contains(where: { groups[$0] != nil }),
                    let audio = rendition.formats.first(where: { $0.kind == .audio })
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "The segments of an angle contain audio.",
                    measured: audio.codecs
                )
            }
        },
        ValidationRule(
            "audio-not-in-movie",
            .must,
            "2.25",
            .initialization,
            "Audio in xHE-AAC, ALAC, FLAC and APAC is in fragmented MP4.",
            advice: "Package the audio as fragmented MP4, with EXT-X-MAP."
        ) { presentation, findings in
            for rendition in presentation.renditions {
                let declared = presentation.codecs(for: rendition).filter { $0.kind == .audio }
                guard !declared.isEmpty, declared.allSatisfy(\.requiresMovie),
                    let format = rendition.formats.first(where: { $0.kind != .subtitles }), format.container != .mp4
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "CODECS declares a format that Apple's devices play only in fragmented MP4.",
                    measured: format.container.rawValue,
                    limit: Set(declared.map(\.text)).sorted().joined(separator: ",")
                )
            }
        },
    ]
}

extension Codec {
    /// True for xHE-AAC, ALAC, FLAC and APAC.
    fileprivate var requiresMovie: Bool {
        switch family {
        case .alac, .flac, .apac: true
        case .aac: profile == 42
        default: false
        }
    }
}
