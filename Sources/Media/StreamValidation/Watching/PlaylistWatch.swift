package import HLSPlaylist
import TextCoding

/// The state of one watched Media Playlist. A state machine: it neither loads nor waits, so that any course of
/// events can be simulated. `LiveReload` schedules the loads, as for a player.
package struct PlaylistWatch: Sendable {
    /// The checks of a watch.
    package struct Checks: Sendable {
        package let linter: Linter
        /// The enabled rules of ``WatchRule``.
        package let rules: Set<RuleID>

        /// Creates the checks of a watch.
        package init(linter: Linter, rules: Set<RuleID>) { (self.linter, self.rules) = (linter, rules) }
    }

    /// A violation of a rule.
    package struct Finding: Sendable {
        package let diagnostic: Diagnostic
        /// The snapshot that contains the line; nil if the finding is about no line.
        package let file: LintFile?
        /// The number of the reload that shows the finding, from 1.
        package let reload: Int
    }

    /// The reason why a watch has ended.
    package enum End: String, Sendable {
        case ended
        case limit
        case interrupted
    }

    /// The name of the playlist in output.
    package let name: String
    /// The findings so far, without those that continue.
    package private(set) var findings: [Finding] = []
    /// The next load; nil if the playlist has ended.
    package private(set) var next: PlaylistLoad?
    /// The start of the next load.
    package private(set) var nextStart = Duration.zero
    /// The number of reloads, including failed ones.
    package private(set) var reloads = 0
    /// The number of failed reloads.
    package private(set) var failures = 0
    /// The number of segments that were added.
    package private(set) var newSegments: UInt64 = 0

    private let checks: Checks
    private let settings: LiveReloadSettings
    private var schedule: LiveReload
    private let start: Duration
    /// The times at which new segments appeared.
    package private(set) var times: UpdateTimes
    /// The last snapshot that reloads are compared with, with the segments that a delta update skips.
    package private(set) var base: LintFile
    /// The rules that earlier snapshots broke.
    private var rules: Set<RuleID>
    /// The number of failures since the last success.
    private var failuresInRow = 0
    private var firstFailure: (reload: Int, reason: String)?
    /// True if the numbers of the last snapshot went back, so that the next one can have many more segments.
    private var hasStartedOver = false
    private var standstillReloads: [Int] = []
    private var earlyReloads: [Int] = []
    /// The reason for the end; nil before it.
    package private(set) var end: End?
    /// The duration of the watch; zero before its end.
    package private(set) var duration = Duration.zero

    /// The shortest interval between two loads.
    private static let shortestPause = Duration.milliseconds(200)
    /// The longest interval between two attempts while loads fail.
    private static let longestPause = Duration.seconds(30)

    /// Starts to watch a playlist that was loaded and checked.
    ///
    /// - Parameters:
    ///   - known: The rules that it broke.
    ///   - isRemote: True if the playlist is loaded from a server, which can delay a response and send delta updates.
    ///   - timeout: The timeout of a load that the server does not delay.
    ///   - began: The start of its load.
    package init(
        _ file: LintFile,
        name: String,
        checks: Checks,
        known: Set<RuleID>,
        isRemote: Bool,
        timeout: Duration,
        began: Duration,
        now: Duration
    ) {
        (self.name, self.checks) = (name, checks)
        // The watch itself judges standstills and failures, and never gives up.
        settings = LiveReloadSettings(
            waitsForParts: true,
            usesBlocking: isRemote,
            usesDeltaUpdates: isRemote,
            attempts: .max,
            timeout: timeout,
            maximumStaleTargetDurations: nil
        )
        base = file
        rules = known
        start = began
        times = UpdateTimes(began: began, now: now)
        schedule = LiveReload(settings: settings)
        if let playlist = file.media { perform(schedule.loaded(playlist, began: began, now: now)) }
    }

    // MARK: Events

    /// Handles a loaded snapshot.
    ///
    /// - Parameter file: The snapshot.
    package mutating func loaded(_ file: LintFile, _ load: PlaylistLoad, began: Duration, now: Duration) {
        guard let playlist = file.media, file.isPlaylist else {
            return failed("the response is not a Media Playlist", load, began: began, now: now)
        }
        reloads += 1
        reportFailures()
        // After failed reloads, missed segments are not a problem of the playlist.
        let changes = checks.linter.check(reloadFrom: base, to: file)
            .filter { failuresInRow == 0 || $0.rule != "reload-segments-missed" }
        failuresInRow = 0
        findings += changes.map { Finding(diagnostic: $0, file: file, reload: reloads) }
        let own = checks.linter.check(file).filter { !rules.contains($0.rule) }
        rules.formUnion(own.map(\.rule))
        findings += own.map { Finding(diagnostic: $0, file: file, reload: reloads) }
        let before = base.media
        if rebase(file) { noteTimes(before, playlist, load, began, now) }
        var actions = schedule.loaded(playlist, began: began, now: now)
        hasStartedOver = actions.hasStartedOver
        if hasStartedOver {
            // The rules report it; the watch continues with the new numbers.
            schedule = LiveReload(settings: settings)
            actions = schedule.loaded(playlist, began: began, now: now)
        }
        perform(actions)
        let isChanged = actions.contains { if case .use = $0 { true } else { false } }
        guard isChanged, let next, !next.isBlocking, let last = base.media?.segments.last else { return }
        // A player may wait longer; a segment that is shorter than the target duration can be observed earlier.
        nextStart = min(nextStart, max(now, began + max(Self.duration(of: last), Self.shortestPause)))
    }

    /// Handles a failed load.
    ///
    /// - Parameter reason: The reason, without a URL.
    package mutating func failed(_ reason: String, _ load: PlaylistLoad, began: Duration, now: Duration) {
        reloads += 1
        failures += 1
        failuresInRow += 1
        if firstFailure == nil { firstFailure = (reloads, reason) }
        if load.isBlocking, now - began >= target, times.delayed(now: now, target: target) {
            standstillReloads.append(reloads)
        }
        perform(schedule.failed(began: began, now: now))
        let pause = min(target / 2 * (1 << min(failuresInRow - 1, 10)), max(target, Self.longestPause))
        nextStart = now + pause
    }

    /// Ends the watch, and completes the findings.
    package mutating func end(_ end: End, now: Duration) {
        guard self.end == nil else { return }
        (self.end, duration) = (next == nil ? .ended : end, now - start)
        next = nil
        reportFailures()
        let limit = Self.seconds(target * 3 / 2)
        for (standstill, reload) in zip(times.standstills, standstillReloads) {
            let rest = standstill.isOver ? "" : ", and none since"
            report(
                .standstill,
                reload,
                "no new segment for at least \(Self.seconds(standstill.duration)); 1.5 target durations are \(limit)\(rest)"
            )
        }
        guard let first = earlyReloads.first else { return }
        let times = earlyReloads.count == 1 ? "" : ", \(counted(earlyReloads.count, "time"))"
        report(
            .earlyUpdate,
            first,
            "new segments appeared less than half a target duration (\(Self.seconds(target / 2))) after the "
                + "previous ones\(times)"
        )
    }

    // MARK: Steps

    private var target: Duration { .seconds(min(max(base.media?.targetDuration ?? 1, 1), 3600)) }

    /// Returns the duration of a segment, bounded like the target duration.
    private static func duration(of segment: MediaSegment) -> Duration {
        .milliseconds(Int64(min(max(segment.duration, 0), 3600) * 1000))
    }

    private mutating func perform(_ actions: [LiveReloadAction]) {
        next = nil
        for case .load(let load) in actions { (next, nextStart) = (load, load.startTime) }
    }

    /// Takes a snapshot as the next base; a delta update is completed from the current base.
    ///
    /// - Returns: False for an update that does not fit; the whole playlist is loaded next.
    private mutating func rebase(_ new: LintFile) -> Bool {
        guard let update = new.media, update.isDeltaUpdate else {
            base = new
            return true
        }
        guard var merged = try? base.media?.applying(update) else { return false }
        // EXT-X-SKIP needs version 9, which the whole playlist may not need.
        merged.version = base.media?.version
        guard let bytes = try? merged.write(), let file = try? LintFile(name: new.name, bytes: bytes) else {
            return false
        }
        base = file
        return true
    }

    private mutating func noteTimes(
        _ before: MediaPlaylist?,
        _ playlist: MediaPlaylist,
        _ load: PlaylistLoad,
        _ began: Duration,
        _ now: Duration
    ) {
        let (old, new) = (before?.end ?? 0, base.media?.end ?? 0)
        if new > old {
            newSegments += new - old
            let added = base.media?.segments.suffix(Int(clamping: new - old)) ?? []
            let found = times.advanced(
                began: began,
                now: now,
                target: target,
                segments: added.map { Self.duration(of: $0) },
                isBlocking: load.isBlocking
            )
            if found.isStandstill { standstillReloads.append(reloads) }
            // The last segment may appear at any time.
            if found.isEarly, !playlist.isEnded, !hasStartedOver { earlyReloads.append(reloads) }
        } else if !playlist.isEnded, times.unchanged(began: began, now: now, target: target) {
            standstillReloads.append(reloads)
        }
        guard let awaited = load.mediaSequenceNumber, !playlist.isEnded, new <= awaited else { return }
        let parts = new == awaited ? base.media?.upcoming.parts.count ?? 0 : 0
        if let part = load.part {
            guard UInt64(parts) <= part else { return }
            report(
                .blockIgnored,
                reloads,
                "the response to a blocking reload does not contain partial segment \(part) of segment \(awaited)"
            )
        } else {
            report(.blockIgnored, reloads, "the response to a blocking reload does not contain segment \(awaited)")
        }
    }

    // MARK: Findings

    /// Returns the findings since the last call, and forgets them, so that a long watch needs no more memory.
    package mutating func takeFindings() -> [Finding] {
        defer { findings = [] }
        return findings
    }

    /// Reports the failures in a row as one finding.
    private mutating func reportFailures() {
        guard let first = firstFailure else { return }
        firstFailure = nil
        let rest = failuresInRow == 1 ? "" : "; so did the \(counted(failuresInRow - 1, "attempt")) after it"
        report(.loadFailed, first.reload, "the reload failed: \(first.reason)\(rest)")
    }

    private mutating func report(_ rule: WatchRule, _ reload: Int, _ message: String) {
        guard checks.rules.contains(rule.id) else { return }
        let diagnostic = Diagnostic(rule: rule.id, severity: rule.severity, line: 0, message: message)
        findings.append(Finding(diagnostic: diagnostic, file: nil, reload: reload))
    }

    /// Returns a duration as text, rounded to tenths of a second.
    package static func seconds(_ time: Duration) -> String {
        let tenths = Int(rounding: time / .milliseconds(100))
        return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") s"
    }
}

extension [LiveReloadAction] {
    /// True if the playlist was rejected because its sequence numbers went back, or is that of a restarted encoder.
    fileprivate var hasStartedOver: Bool {
        contains { action in
            switch action {
            case .notice(.refused(.sequenceWentBack)), .notice(.refused(.endWentBack)), .restart: true
            default: false
            }
        }
    }
}

extension LintFile {
    /// The playlist, if it is a Media Playlist.
    package var media: MediaPlaylist? { if case .media(let playlist) = playlist { playlist } else { nil } }

    /// True if the file begins like a playlist.
    var isPlaylist: Bool { !diagnostics.contains { $0.rule == .missingExtM3U } }
}

extension MediaPlaylist {
    /// The media sequence number after that of the last segment.
    fileprivate var end: UInt64 { (mediaSequence ?? 0) &+ UInt64(segments.count) }
}
