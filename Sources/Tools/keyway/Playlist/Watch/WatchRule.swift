import HLSPlaylist

/// A rule about the times at which a server updates a live playlist. `keyway playlist check --watch` checks it.
struct WatchRule: Sendable {
    let id: RuleID
    let severity: Diagnostic.Severity
    /// The section of RFC 8216bis.
    let section: String
    /// The requirement, on one line.
    let summary: String

    static let loadFailed = WatchRule(
        id: "watch-load-failed",
        severity: .error,
        section: "6.3.4",
        summary: "each reload of a playlist should succeed"
    )
    static let standstill = WatchRule(
        id: "watch-standstill",
        severity: .error,
        section: "6.2.1",
        summary: "a new segment must be available no later than 1.5 target durations after the previous one"
    )
    static let earlyUpdate = WatchRule(
        id: "watch-early-update",
        severity: .warning,
        section: "6.2.1",
        summary: "a new segment must be available no earlier than half a target duration after the previous one"
    )
    static let blockIgnored = WatchRule(
        id: "watch-block-ignored",
        severity: .error,
        section: "6.2.5.2",
        summary: "the response to a blocking reload must contain the segment or partial segment that it waits for"
    )

    /// All rules.
    static let all = [loadFailed, standstill, earlyUpdate, blockIgnored]
}
