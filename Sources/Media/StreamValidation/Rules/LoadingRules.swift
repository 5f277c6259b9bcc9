import HLSPlaylist

extension ValidationRule {
    /// Rules about what must be there and readable.
    static let loadingRules: [ValidationRule] = [
        ValidationRule(
            "playlist-missing",
            .critical,
            "8216bis:4.4.6",
            .playlist,
            "Every Media Playlist that the Multivariant Playlist refers to can be loaded.",
            advice: "Publish the playlist, or remove its tag."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name else { return }
            for playlist in presentation.missing {
                findings.report(
                    .init(name, line: playlist.line),
                    "The Media Playlist cannot be loaded: \(playlist.reason)."
                )
            }
        },
        .rendition(
            "segment-missing",
            .critical,
            "8216bis:6.2.1",
            .media,
            "Every segment that a playlist lists can be loaded.",
            advice: "Publish the segment, or remove it from the playlist; mark it with EXT-X-GAP if it is lost."
        ) { rendition, findings in
            for segment in rendition.segments {
                guard case .missing(let reason) = segment.outcome else { continue }
                findings.report(.init(rendition, segment), "The segment cannot be loaded: \(reason).")
            }
        },
        .rendition(
            "segment-unreadable",
            .critical,
            "8216bis:3.1",
            .media,
            "Every segment is a complete media segment of a format of HLS.",
            advice:
                "Package the segment again; a server that answers with a page of text and status 200 is a frequent cause."
        ) { rendition, findings in
            for segment in rendition.segments {
                guard case .unreadable(let reason) = segment.outcome else { continue }
                findings.report(.init(rendition, segment), "The segment cannot be read: \(reason).")
            }
        },
        .rendition(
            "transport-damaged",
            .must,
            "7.2",
            .media,
            "The continuity counters of a transport stream are continuous.",
            advice: "Look for lost packets between encoder and packager."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.damage > 0 {
                findings.report(
                    .init(rendition, segment),
                    "Transport packets are missing or damaged.",
                    measured: "\(measurement.damage)",
                    limit: "0"
                )
            }
        },
        .rendition(
            "transport-tables-missing",
            .should,
            "8216bis:3.1.1",
            .media,
            "A transport stream segment without EXT-X-MAP begins with a PAT and a PMT.",
            advice: "Let the packager repeat the tables at the start of each segment."
        ) { rendition, findings in
            guard !rendition.isIFrames else { return }
            for (segment, measurement) in rendition.measured where !measurement.startsWithTables && segment.map == nil {
                findings.report(.init(rendition, segment), "The segment does not begin with a PAT and a PMT.")
            }
        },
        .rendition(
            "webvtt-time-map-missing",
            .must,
            "5.3",
            .media,
            "WebVTT segments have an X-TIMESTAMP-MAP.",
            advice: "Write X-TIMESTAMP-MAP in the header of each WebVTT segment."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where !measurement.hasTimestampMap {
                findings.report(.init(rendition, segment), "The WebVTT segment has no X-TIMESTAMP-MAP.")
            }
        },
    ]
}
