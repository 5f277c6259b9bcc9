import HLSPlaylist

extension ValidationRule {
    /// Rules of Apple's page "About the Common Media Application Format with HLS", which has no numbers.
    static let cmafRules: [ValidationRule] = [
        .rendition(
            "cmaf-container",
            .must,
            "cmaf:container",
            .initialization,
            "Video and audio are in fragmented MP4.",
            advice: "Package the presentation as fragmented MP4."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                guard let container = measurement.container, container != .mp4, container != .webVTT else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The segment has another container.",
                    measured: container.rawValue,
                    limit: "mp4"
                )
            }
        },
        .rendition(
            "cmaf-single-track",
            .must,
            "cmaf:tracks",
            .initialization,
            "A playlist has one track.",
            advice: "Package each track in a playlist of its own."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured where measurement.container == .mp4 {
                guard measurement.tracks.count > 1 else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The segment has several tracks.",
                    measured: "\(measurement.tracks.count)",
                    limit: "1"
                )
            }
        },
        .rendition(
            "cmaf-encryption-scheme",
            .must,
            "cmaf:encryption",
            .initialization,
            "Segments are encrypted with the scheme cbcs, or clear.",
            advice: "Encrypt with cbcs, which all DRM systems of today support."
        ) { rendition, findings in
            for (segment, measurement) in rendition.measured {
                guard let scheme = measurement.tracks.lazy.compactMap(\.format.protection?.scheme).first,
                    measurement.container == .mp4, scheme != "cbcs"
                else { continue }
                findings.report(.init(rendition, segment), "The scheme is another.", measured: scheme, limit: "cbcs")
            }
        },
        ValidationRule(
            "cmaf-session-key",
            .should,
            "cmaf:session-key",
            .playlist,
            "The Multivariant Playlist of an encrypted presentation has EXT-X-SESSION-KEY.",
            advice: "Add an EXT-X-SESSION-KEY for each key, so that players can request them early."
        ) { presentation, findings in
            guard let name = presentation.multivariant?.name, let playlist = presentation.playlist,
                playlist.sessionKeys.isEmpty,
                presentation.renditions.contains(where: { $0.segments.contains { $0.keys.isEncrypted } })
            else { return }
            findings.report(.init(name), "There is no EXT-X-SESSION-KEY.")
        },
    ]
}
