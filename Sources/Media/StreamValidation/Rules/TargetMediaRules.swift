import HLSPlaylist

extension ValidationRule {
    /// Requirements that only one target has, about Media Playlists and segments. Those of podcasts are from Apple's pages
    /// about HLS video in Apple Podcasts, which have no numbers.
    static let targetMediaRules: [ValidationRule] = [
        .rendition(
            "podcasts-key-frames",
            .should,
            "podcasts:key-frames",
            .media,
            "Key frames of podcasts are 2 to 6 seconds apart.",
            advice: "Set the encoder's key frame interval to a value from 2 to 6 seconds."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured {
                for track in measurement.tracks where track.format.kind == .video {
                    let gaps = zip(track.keyFrames, track.keyFrames.dropFirst()).map { $1 - $0 }
                    guard let wrong = gaps.first(where: { $0 < 1.95 || $0 > 6.05 }) else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "The distance of two key frames is not that of podcasts.",
                        measured: secondsText(wrong),
                        limit: "2 s to 6 s"
                    )
                }
            }
        },
        .rendition(
            "podcasts-audio-format",
            .should,
            "podcasts:audio",
            .initialization,
            "Audio of podcasts is AAC-LC with 48 kHz.",
            advice: "Encode the audio as AAC-LC with a sample rate of 48 kHz."
        ) { rendition, findings in
            for format in rendition.formats where format.kind == .audio {
                guard format.codecs != "mp4a.40.2" || format.sampleRate ?? 48_000 != 48_000 else { continue }
                findings.report(
                    .init(rendition.name),
                    "The audio has another format.",
                    measured: format.codecs + (format.sampleRate.map { ", \($0) Hz" } ?? ""),
                    limit: "mp4a.40.2, 48000 Hz"
                )
            }
        },
        .rendition(
            "tvos-live-window",
            .should,
            "tvos:8.12@\(AuthoringRevision.june2025.rawValue)",
            .playlist,
            "Live playlists have at least 120 minutes.",
            advice: "Keep segments in the playlist longer, so that viewers can go back."
        ) { rendition, findings in
            guard rendition.isLive, rendition.playlist.mediaSequence ?? 0 > 1, let last = rendition.segments.last else {
                return
            }
            let duration = last.start + last.duration
            guard duration < 7200 else { return }
            findings.report(
                .init(rendition.name),
                "The live playlist is shorter.",
                measured: secondsText(duration),
                limit: secondsText(7200)
            )
        },
    ]
}
