/// A load of a Media Playlist: when, and with which delivery directives (RFC 8216bis section 6.2.5).
public struct PlaylistLoad: Hashable, Sendable {
    /// When to begin, by the clock of the events.
    public let moment: Duration
    /// The media sequence number that the server waits for before it answers: `_HLS_msn`.
    public let mediaSequenceNumber: UInt64?
    /// The index of the partial segment that it waits for: `_HLS_part`.
    public let part: UInt64?
    /// What may be left out of the answer.
    public let skip: Skip?
    /// How long an answer may take. A server holds a blocking request back for three target durations at most.
    public let timeout: Duration

    /// What a delta update leaves out: `_HLS_skip`.
    public enum Skip: String, Hashable, Sendable {
        /// Older segments.
        case segments = "YES"
        /// Older segments, and date ranges that were sent before.
        case segmentsAndDateRanges = "v2"
    }

    /// Whether the server answers only when it has something new.
    public var isBlocking: Bool { mediaSequenceNumber != nil }

    /// The directives as query parameters, in the order in which they have to stand; all are letters and digits.
    public var parameters: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        if let mediaSequenceNumber { result.append(("_HLS_msn", String(mediaSequenceNumber))) }
        if let part { result.append(("_HLS_part", String(part))) }
        if let skip { result.append(("_HLS_skip", skip.rawValue)) }
        return result
    }

    /// The playlist's URI with the directives behind its own query parameters. Directives that it has already are
    /// replaced, since they are from an earlier load.
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
