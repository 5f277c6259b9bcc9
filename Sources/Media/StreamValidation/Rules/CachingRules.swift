import HLSPlaylist

extension ValidationRule {
    /// Rules about the time for which caches may keep responses (RFC 9111). A response without Cache-Control violates none.
    static let cachingRules: [ValidationRule] = [
        .rendition(
            "live-playlist-cached-long",
            .should,
            "8216bis:6.2.1",
            .http,
            "Caches may keep a live playlist for at most a Target Duration.",
            advice:
                "Send Cache-Control with a max-age of half a Target Duration: players get old playlists from caches."
        ) { rendition, findings in
            guard rendition.isLive, let http = rendition.http, let seconds = CacheControl(http)?.longest else { return }
            let target = Double(max(1, rendition.playlist.targetDuration))
            // A response to a blocking reload never changes, and may be kept for some time.
            let limit =
                rendition.isWatched && rendition.playlist.serverControl?.canBlockReload == true ? 6 * target : target
            guard seconds > limit else { return }
            findings.report(
                .init(rendition.name),
                "Cache-Control lets caches keep the live playlist for too long.",
                measured: secondsText(seconds),
                limit: secondsText(limit)
            )
        },
        .rendition(
            "segments-not-cacheable",
            .advice,
            "keyway:-",
            .http,
            "Caches may keep segments of video on demand.",
            advice: "Send Cache-Control with a long max-age for segments: a CDN loads each from the origin every time."
        ) { rendition, findings in
            guard !rendition.isLive else { return }
            for segment in rendition.segments {
                guard let http = segment.http, let control = CacheControl(http), control.isForbidden else { continue }
                findings.report(.init(rendition, segment), "Cache-Control forbids caches to keep the segment.")
            }
        },
    ]
}

/// The directives of a Cache-Control field that limit the time for which a response is kept (RFC 9111, section 5.2.2).
struct CacheControl: Hashable, Sendable {
    /// True if no cache may use the response without asking the server: no-store or no-cache without field names.
    private(set) var isUncached = false
    /// The value of max-age in seconds.
    private(set) var maximumAge: Double?
    /// The value of s-maxage in seconds, which applies to shared caches instead of max-age.
    private(set) var sharedMaximumAge: Double?

    /// Parses the field of a response; nil without one. Of repeated directives, the first one counts.
    init?(_ http: HTTPObservation) {
        guard let text = http.cacheControl else { return nil }
        for part in text.lowercased().split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { !" \t\"".contains($0) } }
            guard let name = pair.first else { continue }
            let seconds = pair.count > 1 ? UInt32(pair[1]).map(Double.init) : nil
            switch name {
            case "no-store": isUncached = true
            case "no-cache": if pair.count == 1 { isUncached = true }
            case "max-age": maximumAge = maximumAge ?? seconds
            case "s-maxage": sharedMaximumAge = sharedMaximumAge ?? seconds
            default: break
            }
        }
    }

    /// The longest time in seconds for which a cache may use the response; nil if the field does not specify one.
    var longest: Double? {
        isUncached ? 0 : [maximumAge, sharedMaximumAge].compactMap { $0 }.max()
    }

    /// True if the field forbids every cache to use the response without asking the server.
    var isForbidden: Bool { longest == 0 }
}
