import Foundation
import HLSPlaylist
import ToolSupport

/// A watcher that reloads a live Media Playlist as often as section 6.3.4 allows, and checks each version against the
/// one before.
struct ReloadWatch {
    let checker: PlaylistChecker
    let input: PlaylistInput

    /// The longest reload interval, in seconds; a playlist that requires a longer one is not watched.
    private static let longestWait = 600.0
    /// The shortest reload interval, in seconds.
    private static let shortestWait = 0.2

    /// Reloads a playlist until it has ended, at most this many times.
    ///
    /// - Returns: The findings about the changes between two versions, and findings about a version by rules that no
    ///   earlier version broke.
    func findings(
        from first: PlaylistChecker.Subject,
        loadedAt start: ContinuousClock.Instant,
        times: Int,
        known: [CheckFinding]
    ) async throws(CommandFailure) -> [CheckFinding] {
        var before = first
        var loadedAt = start
        var isChanged = true
        var changedAt = start
        var rules = Set(known.map(\.rule))
        var findings: [CheckFinding] = []
        for reload in 1...max(1, times) {
            guard let playlist = before.media, !playlist.isEnded else { break }
            try await wait(playlist, isChanged: isChanged, since: loadedAt)
            loadedAt = .now
            let after = try await checker.read(input)
            isChanged = after.loaded.bytes != before.loaded.bytes
            if isChanged {
                changedAt = loadedAt
            } else {
                reportStandstill(playlist, loadedAt - changedAt)
            }
            findings += checker.check(from: before, to: after, reload: reload)
            let own = await checker.check(after).findings.filter { !rules.contains($0.rule) }
            rules.formUnion(own.map(\.rule))
            findings += own.map { $0.at(reload: reload) }
            guard after.media != nil else { break }
            before = after
        }
        return findings
    }

    private func wait(
        _ playlist: MediaPlaylist,
        isChanged: Bool,
        since start: ContinuousClock.Instant
    ) async throws(CommandFailure) {
        let seconds = Self.interval(playlist, isChanged: isChanged)
        guard seconds <= Self.longestWait else {
            throw .input(
                "\(PlaylistText.printable(input.name)) can be reloaded only every \(shortNumber(seconds)) s",
                next: "--watch requires a shorter target duration"
            )
        }
        try? await Task.sleep(until: start + .seconds(seconds), clock: .continuous)
    }

    /// Returns the number of seconds between the starts of two loads.
    static func interval(_ playlist: MediaPlaylist, isChanged: Bool) -> Double {
        let last = playlist.segments.last?.duration ?? Double(playlist.targetDuration)
        return max(shortestWait, isChanged ? last : Double(playlist.targetDuration) / 2)
    }

    /// Prints a note if the playlist has not changed for 1.5 target durations, which is an error of the server.
    private func reportStandstill(_ playlist: MediaPlaylist, _ time: Duration) {
        guard time >= .seconds(1.5 * Double(playlist.targetDuration)) else { return }
        let seconds = time.formatted(.units(allowed: [.seconds], width: .narrow))
        let note = "the playlist has not changed for \(seconds), which is more than 1.5 target durations"
        PlaylistChecker.printNote(note, of: input.name)
    }
}

extension CheckFinding {
    /// Returns the same finding with the number of a reload.
    fileprivate func at(reload: Int) -> CheckFinding {
        CheckFinding(copying: self, reload: reload)
    }

    private init(copying other: CheckFinding, reload: Int) {
        isAboutManifest = other.isAboutManifest
        rule = other.rule
        severity = other.severity
        file = other.file
        line = other.line
        column = other.column
        message = other.message
        text = other.text
        self.reload = reload
    }
}
