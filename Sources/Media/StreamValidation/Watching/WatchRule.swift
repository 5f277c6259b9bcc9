package import HLSPlaylist

/// A rule about the times at which a server updates a live playlist. `keyway playlist check --watch`
/// and `keyway validate --watch` check it.
package struct WatchRule: Sendable {
    package let id: RuleID
    package let severity: Diagnostic.Severity
    /// The section of RFC 8216bis.
    package let section: String
    /// The requirement, on one line.
    package let summary: String

    package static let loadFailed = WatchRule(
        id: "watch-load-failed",
        severity: .error,
        section: "6.3.4",
        summary: "each reload of a playlist should succeed"
    )
    package static let standstill = WatchRule(
        id: "watch-standstill",
        severity: .error,
        section: "6.2.1",
        summary: "a new segment must be available no later than 1.5 target durations after the previous one"
    )
    package static let earlyUpdate = WatchRule(
        id: "watch-early-update",
        severity: .warning,
        section: "6.2.1",
        summary: "a new segment must be available no earlier than half a target duration after the previous one"
    )
    package static let blockIgnored = WatchRule(
        id: "watch-block-ignored",
        severity: .error,
        section: "6.2.5.2",
        summary: "the response to a blocking reload must contain the segment or partial segment that it waits for"
    )

    /// All rules.
    package static let all = [loadFailed, standstill, earlyUpdate, blockIgnored]
}
