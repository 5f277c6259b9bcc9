import Foundation
import HLSPlaylist

/// Reloads a live Media Playlist as often as section 6.3.4 allows, and judges each snapshot against the one before.
struct ReloadWatch {
    let judge: PlaylistJudge
    let input: PlaylistInput

    /// A playlist that wants to be left alone for longer is not watched, in seconds.
    private static let longestWait = 600.0
    /// Whatever the playlist says, in seconds.
    private static let shortestWait = 0.2

    /// Reloads a playlist until it has ended, this many times at most.
    ///
    /// - Returns: What is wrong between two snapshots, and what is wrong with one of them by rules that all before it keep.
    func findings(
        from first: PlaylistJudge.Subject,
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
            let after = try await judge.read(input)
            isChanged = after.loaded.bytes != before.loaded.bytes
            if isChanged {
                changedAt = loadedAt
            } else {
                reportStandstill(playlist, loadedAt - changedAt)
            }
            findings += judge.check(from: before, to: after, reload: reload)
            let own = await judge.check(after).findings.filter { !rules.contains($0.rule) }
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
                "\(PlaylistText.shown(input.name)) may be reloaded after \(shortNumber(seconds)) s only",
                next: "its durations are too long to be watched"
            )
        }
        try? await Task.sleep(until: start + .seconds(seconds), clock: .continuous)
    }

    /// How many seconds after the beginning of a load the next one may begin.
    static func interval(_ playlist: MediaPlaylist, isChanged: Bool) -> Double {
        let last = playlist.segments.last?.duration ?? Double(playlist.targetDuration)
        return max(shortestWait, isChanged ? last : Double(playlist.targetDuration) / 2)
    }

    /// After one and a half target durations without change, something is wrong with the server.
    private func reportStandstill(_ playlist: MediaPlaylist, _ time: Duration) {
        guard time >= .seconds(1.5 * Double(playlist.targetDuration)) else { return }
        let seconds = time.formatted(.units(allowed: [.seconds], width: .narrow))
        let words = "it has not changed for \(seconds), which is more than 1.5 target durations"
        PlaylistJudge.complain(words, of: input.name)
    }
}

extension CheckFinding {
    /// The same finding, in a reload.
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
