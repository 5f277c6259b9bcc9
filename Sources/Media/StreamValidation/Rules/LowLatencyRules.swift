import HLSPlaylist

extension ValidationRule {
    /// Rules about the delivery of low-latency presentations. The rules for the text of their playlists, such as the
    /// durations of Partial Segments and HOLD-BACK, are those of `HLSPlaylist`.
    static let lowLatencyRules: [ValidationRule] =
        observedLowLatencyRules + [
            .rendition(
                "parts-announced",
                .must,
                "14.1",
                .playlist,
                "A live playlist with EXT-X-PART-INF has Partial Segments.",
                advice: "Write EXT-X-PART, or remove EXT-X-PART-INF."
            ) { rendition, findings in
                let playlist = rendition.playlist
                guard playlist.partInf != nil, !playlist.isEnded, !rendition.isIFrames, !playlist.segments.isEmpty,
                    playlist.upcoming.parts.isEmpty, playlist.segments.allSatisfy(\.parts.isEmpty)
                else { return }
                findings.report(.init(rendition.name), "The playlist has EXT-X-PART-INF, but no EXT-X-PART.")
            },
            .rendition(
                "low-latency-http-version",
                .must,
                "8216bis:B.1",
                .http,
                "Low-latency playlists and their segments are delivered over HTTP/2 or later.",
                advice:
                    "Enable HTTP/2 on the server or the CDN: players load several resources at once over one connection."
            ) { rendition, findings in
                guard rendition.playlist.partInf != nil, rendition.isLive, !rendition.isIFrames else { return }
                if let version = rendition.http?.majorVersion, version < 2 {
                    findings.report(
                        .init(rendition.name),
                        "The low-latency playlist is delivered over an older version of HTTP.",
                        measured: "HTTP/\(version)",
                        limit: "HTTP/2"
                    )
                } else if let segment = rendition.segments.first(where: { $0.http?.majorVersion ?? 2 < 2 }) {
                    findings.report(
                        .init(rendition, segment),
                        "Segments of the low-latency playlist are delivered over an older version of HTTP.",
                        measured: "HTTP/\(segment.http?.majorVersion ?? 1)",
                        limit: "HTTP/2"
                    )
                }
            },
            .rendition(
                "blocking-reload-caching",
                .advice,
                "keyway:-",
                .http,
                "Caches may keep the response to a blocking reload, for at most six Target Durations.",
                advice:
                    "Send Cache-Control with a max-age of six Target Durations: the URL of a blocking reload names its version."
            ) { rendition, findings in
                guard let http = rendition.blockingHTTP, let control = CacheControl(http) else { return }
                let limit = 6 * Double(max(1, rendition.playlist.targetDuration))
                guard control.isForbidden || control.longest ?? 0 > limit else { return }
                findings.report(
                    .init(rendition.name),
                    control.isForbidden
                        ? "Caches must not keep the response to a blocking reload, so every player asks the origin."
                        : "Caches may keep the response to a blocking reload for too long.",
                    measured: secondsText(control.longest ?? 0),
                    limit: secondsText(limit)
                )
            },
        ]

    /// The rules that are checked while a presentation changes.
    static let observedLowLatencyRules: [ValidationRule] = [
        .observed(
            "part-missing",
            .must,
            "8216bis:6.2.2",
            .media,
            "A Partial Segment can be loaded until three Target Durations after it leaves the playlist.",
            advice: "Publish the part before the playlist lists it, and delete it later."
        ),
        .observed(
            "part-not-independent",
            .must,
            "8216bis:4.4.4.9",
            .media,
            "A Partial Segment with INDEPENDENT=YES contains a key frame.",
            advice: "Write INDEPENDENT=YES only for parts that contain an IDR picture."
        ),
        .observed(
            "part-independent-unmarked",
            .advice,
            "8216bis:4.4.4.9",
            .media,
            "A Partial Segment that starts with a key frame has INDEPENDENT=YES.",
            advice:
                "Write INDEPENDENT=YES for each part with an IDR picture: players start and switch only at such parts."
        ),
        .observed(
            "part-duration-wrong",
            .should,
            "8216bis:4.4.4.9",
            .media,
            "DURATION of EXT-X-PART is the duration of the media, with a tolerance of a frame.",
            advice: "Write the duration of the media that the part contains."
        ),
        .observed(
            "part-late",
            .advice,
            "8216bis:6.2.1",
            .playlist,
            "A Partial Segment is listed at most a Part Target Duration after the one before it.",
            advice: "Look for what delays parts between the encoder and the server, or raise PART-TARGET."
        ),
        .observed(
            "key-not-announced",
            .should,
            "8216bis:4.4.6.5",
            .playlist,
            "A new key is in EXT-X-SESSION-KEY before the first segment or part that needs it, if other keys are.",
            advice: "Publish the Multivariant Playlist with the next key before the Media Playlists use it."
        ),
        .observed(
            "part-differs-from-segment",
            .should,
            "8216bis:4.4.4.9",
            .media,
            "The Partial Segments together are the bytes of their segment.",
            advice: "Concatenate the parts to the segment, without packaging it again."
        ),
        .observed(
            "hint-not-fulfilled",
            .should,
            "8216bis:4.4.5.3",
            .playlist,
            "The next Partial Segment and the next init segment are those that EXT-X-PRELOAD-HINT announced.",
            advice: "Hint at the resource that the next part will have; players have already requested it."
        ),
        .observed(
            "hint-refused",
            .should,
            "8216bis:6.2.6",
            .http,
            "A request for a hinted part, sent before the part exists, is answered when it does.",
            advice: "Let the server delay the response to a request for the hinted resource until the part is complete."
        ),
        .observed(
            "hint-content",
            .must,
            "8216bis:6.2.6",
            .media,
            "The response to a request for a hinted part has exactly the bytes of the part.",
            advice: "Send no byte of a part before all of it is available, and no other bytes."
        ),
        .observed(
            "rendition-report-wrong",
            .must,
            "8216bis:4.4.5.4",
            .playlist,
            "EXT-X-RENDITION-REPORT names the last segment and part of its playlist.",
            advice: "Write the reports when the playlist is served, from the current state of the other ones."
        ),
        .observed(
            "block-not-refused",
            .should,
            "8216bis:6.2.5.2",
            .http,
            "A request for a segment far in the future, or for a part of no segment, is refused with status 400.",
            advice: "Refuse _HLS_msn above the last number plus 2, and _HLS_part without _HLS_msn."
        ),
        .observed(
            "block-too-long",
            .must,
            "8216bis:6.2.5.2",
            .http,
            "A blocking reload is answered within three Target Durations, if need be with status 503.",
            advice: "Limit the time for which the server delays a response."
        ),
        .observed(
            "delta-update-wrong",
            .must,
            "8216bis:6.2.5.1",
            .playlist,
            "A delta update and the playlist before it result in the whole playlist.",
            advice: "Skip only segments that are older than CAN-SKIP-UNTIL, and count them."
        ),
    ]
}
