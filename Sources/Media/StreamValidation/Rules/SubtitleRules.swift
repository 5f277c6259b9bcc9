import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about subtitles and closed captions.
    static let subtitleRules: [ValidationRule] = [
        ValidationRule(
            "captions-not-found",
            .should,
            "4.3",
            .media,
            "Closed captions that EXT-X-MEDIA declares are in the pictures.",
            advice: "Write CLOSED-CAPTIONS=NONE, or insert the captions before encoding."
        ) { presentation, findings in
            guard let playlist = presentation.playlist, let name = presentation.multivariant?.name else { return }
            for rendition in presentation.variants where rendition.kind == .video {
                guard
                    !rendition.measured.contains(where: { $0.measurement.tracks.contains(where: \.hasClosedCaptions) })
                else { continue }
                for (variant, line) in rendition.roles.variants {
                    guard case .group(let group)? = variant.streamInf.closedCaptions,
                        !playlist.renditions(.closedCaptions, in: group).isEmpty
                    else { continue }
                    findings.report(
                        .init(name, line: line),
                        "CLOSED-CAPTIONS declares captions, and the pictures carry none.",
                        confidence: rendition.isComplete ? .proved : .estimate
                    )
                }
            }
        },
        .rendition(
            "subtitle-format",
            .must,
            "5.2",
            .initialization,
            "Subtitles are WebVTT, or the text profile of IMSC1 in MP4.",
            advice: "Convert the subtitles to WebVTT."
        ) { rendition, findings in
            for format in rendition.formats where format.kind == .subtitles {
                guard !["wvtt", "stpp", "c608"].contains(format.sampleEntry) else { continue }
                findings.report(
                    .init(rendition.name),
                    "The format of the subtitles is neither WebVTT nor IMSC1.",
                    measured: format.sampleEntry
                )
            }
        },
    ]
}
