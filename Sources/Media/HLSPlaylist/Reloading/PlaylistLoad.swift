/// A load of a Media Playlist: its time and its delivery directives (RFC 8216bis section 6.2.5).
public struct PlaylistLoad: Hashable, Sendable {
    /// The start of the load, by the clock of the events.
    public let startTime: Duration
    /// The media sequence number that the server waits for before it responds: `_HLS_msn`.
    public let mediaSequenceNumber: UInt64?
    /// The index of the partial segment that the server waits for: `_HLS_part`.
    public let part: UInt64?
    /// The part of the playlist that the response can omit.
    public let skip: Skip?
    /// The timeout of the load. A server delays the response to a blocking request for at most three target durations.
    public let timeout: Duration

    /// The content that a delta update omits: `_HLS_skip`.
    public enum Skip: String, Hashable, Sendable {
        /// Older segments.
        case segments = "YES"
        /// Older segments, and date ranges that were sent before.
        case segmentsAndDateRanges = "v2"
    }

    package init(
        startTime: Duration,
        mediaSequenceNumber: UInt64?,
        part: UInt64?,
        skip: Skip?,
        timeout: Duration
    ) {
        (self.startTime, self.timeout) = (startTime, timeout)
        (self.mediaSequenceNumber, self.part, self.skip) = (mediaSequenceNumber, part, skip)
    }

    /// True if the server delays the response until the playlist changes.
    public var isBlocking: Bool { mediaSequenceNumber != nil }

    /// The directives as query parameters in the required order; all consist of letters and digits.
    public var parameters: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        if let mediaSequenceNumber { result.append(("_HLS_msn", String(mediaSequenceNumber))) }
        if let part { result.append(("_HLS_part", String(part))) }
        if let skip { result.append(("_HLS_skip", skip.rawValue)) }
        return result
    }

    /// Returns the playlist's URI with the directives after its other query parameters. Directives in the URI are
    /// replaced, because they are from an earlier load.
    public func uri(_ playlist: String) -> String {
        let parameters = parameters
        let beforeFragment = playlist.prefix { $0 != "#" }
        let fragment = playlist[beforeFragment.endIndex...]
        let path = beforeFragment.prefix { $0 != "?" }
        let own = beforeFragment[path.endIndex...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("_HLS_") }
        let all = own.filter { !$0.isEmpty || own.count > 1 }.map(String.init) + parameters.map { "\($0)=\($1)" }
        return String(path) + (all.isEmpty ? "" : "?" + all.joined(separator: "&")) + fragment
    }
}
