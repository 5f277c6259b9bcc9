import HLSPlaylist
import MediaFormats

extension ValidationRule {
    /// Rules about subtitles and closed captions.
    static let subtitleRules: [ValidationRule] = [
        ValidationRule(
            "subtitles-short",
            .must,
            "5.5",
            .playlist,
            "A subtitle playlist lasts as long as the content.",
            advice: "Add segments without cues to the end of the subtitle playlist."
        ) { presentation, findings in
            let videos = presentation.variants.filter { !$0.isLive }
            guard let longest = videos.max(by: { $0.playlist.duration < $1.playlist.duration }) else { return }
            let duration = longest.playlist.duration
            let limit = Double(max(1, longest.playlist.targetDuration))
            for rendition in presentation.renditions where !rendition.isLive {
                guard rendition.roles.renditions.contains(where: { $0.tag.type == .subtitles }),
                    duration - rendition.playlist.duration > limit
                else { continue }
                findings.report(
                    .init(rendition.name),
                    "The subtitles end before the content.",
                    measured: secondsText(rendition.playlist.duration),
                    limit: secondsText(duration)
                )
            }
        },
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
        ValidationRule(
            "subtitle-codec-undeclared",
            .should,
            "5.10",
            .initialization,
            "CODECS of a variant with IMSC1 subtitles lists stpp.ttml.im1t.",
            advice: "Add stpp.ttml.im1t to CODECS: players that lack it cannot choose other subtitles."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            let groups = presentation.renditions.filter { $0.formats.contains { $0.sampleEntry == "stpp" } }
                .flatMap(\.roles.renditions).filter { $0.tag.type == .subtitles }.map(\.tag.groupID)
            for (variant, line) in presentation.renditions.flatMap(\.roles.variants) {
                guard let group = variant.streamInf.subtitles, groups.contains(group),
                    !variant.streamInf.attributes.codecs.contains(where: { $0.hasPrefix("stpp") })
                else { continue }
                findings.report(
                    .init(name, line: line),
                    "The subtitles are IMSC1, and CODECS does not list stpp.ttml.im1t."
                )
            }
        },
    ]
}
