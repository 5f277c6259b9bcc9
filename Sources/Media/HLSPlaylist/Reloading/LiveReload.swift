/// The schedule of live Media Playlist reloads, and the validation of their results (RFC 8216bis sections 6.2.5, 6.3.4
/// and 6.3.7). A state machine: events in, actions out; it neither loads nor waits.
///
///     var reload = LiveReload()
///     for action in reload.start(now: clock.now) { … }            // .load
///     for action in reload.loaded(playlist, began: moment, now: clock.now) { … }   // .use, .load
///
/// | Result | Start of the next load |
/// |---|---|
/// | a playlist that has changed | a target duration after this load started |
/// | a playlist that has changed, with blocking reloads | at once: the server delays the response |
/// | a playlist that has not changed | half a target duration after this load finished |
/// | a playlist that is rejected | as if it had not changed |
/// | a playlist that goes back, of a restarted encoder | as if it had changed |
/// | a delta update without its base | at once, for the whole playlist |
/// | no response | half a target duration after the failure, doubled for each further one, at most a target duration |
/// | a playlist that has ended | never |
///
/// A delta update is requested if the current playlist is not older than half of the skip boundary.
public struct LiveReload: Sendable {
    /// The settings of the reloads.
    public let settings: LiveReloadSettings
    /// The current playlist, with delta updates merged; nil before the first load.
    public private(set) var playlist: MediaPlaylist?
    /// True if reloads have ended.
    public private(set) var isOver = false

    /// The start of the last successful load, whether or not the playlist had changed.
    private var lastLoad: Duration?
    /// The time of the last addition to the playlist.
    private var lastAdvance: Duration?
    private var hasReportedStale = false
    private var failures = 0
    /// The start of the first of the failed loads in a row.
    private var firstFailure: Duration?
    private var rejections = 0
    /// The first of the playlists that were rejected in a row because they went back.
    private var rejected: MediaPlaylist?

    /// Creates the state for a playlist that is not loaded yet.
    public init(settings: LiveReloadSettings = LiveReloadSettings()) {
        self.settings = settings
    }

    /// Requests the first load. Not needed if the player has already loaded the playlist.
    public mutating func start(now: Duration) -> [LiveReloadAction] {
        isOver ? [] : [.load(load(at: now))]
    }

    /// Handles a loaded playlist.
    ///
    /// - Parameters:
    ///   - loaded: The playlist as parsed; a delta update is merged here.
    ///   - began: The start of its load, by the clock of `now`.
    ///   - now: The current time.
    public mutating func loaded(_ loaded: MediaPlaylist, began: Duration, now: Duration) -> [LiveReloadAction] {
        guard !isOver else { return [] }
        (failures, firstFailure) = (0, nil)
        if let restart = restart(loaded, began, now) { return restart }
        let merged: MediaPlaylist
        do throws(PlaylistRejection) {
            merged = try accepted(loaded)
        } catch .skipNotInBase {
            return reject(.skipNotInBase, began, now, pause: .zero)
        } catch {
            rejected = rejected ?? loaded
            return reject(error, began, now, pause: half)
        }
        (rejections, rejected) = (0, nil)
        let hasAdvanced = playlist.map { Progress($0) != Progress(merged) } ?? true
        let hasChanged = hasAdvanced || playlist != merged
        playlist = merged
        lastLoad = began
        if hasAdvanced {
            lastAdvance = now
            hasReportedStale = false
        }
        var actions: [LiveReloadAction] = hasChanged ? [.use(merged)] : []
        if merged.isEnded || merged.playlistType == .vod {
            isOver = true
            return actions + [.ended]
        }
        actions += checkStaleness(now)
        guard !isOver else { return actions }
        let next: Duration
        if !hasChanged {
            next = now + half
        } else if blocks {
            next = max(now, began + settings.minimumInterval)
        } else {
            next = max(now, began + target)
        }
        return actions + [.load(load(at: next))]
    }

    /// Handles a failed load: no response, an error status, or a response that cannot be parsed.
    ///
    /// Reloads end after ``LiveReloadSettings/attempts`` failures in a row, but not while the segments of the playlist
    /// last, or before ``LiveReloadSettings/minimumInterruption``.
    ///
    /// - Parameters:
    ///   - began: The start of the load.
    ///   - now: The current time.
    ///   - retryAfter: The delay before the next load that the server requires. The segments of the playlist last for
    ///     ``window``, so the delay is not longer than that.
    public mutating func failed(
        began: Duration,
        now: Duration,
        retryAfter: Duration? = nil
    ) -> [LiveReloadAction] {
        guard !isOver else { return [] }
        failures += 1
        let first = firstFailure ?? began
        firstFailure = first
        let longest = max(settings.minimumInterruption, window)
        guard failures < max(settings.attempts, 1) || now - first < longest else {
            isOver = true
            return [.failed(.noResponse(attempts: failures))]
        }
        var actions: [LiveReloadAction] = [.notice(.noResponse(attempts: failures))]
        actions += checkStaleness(now, endsReloads: false)
        let pause = min(half * (1 << min(failures - 1, 4)), target)
        let required = min(retryAfter ?? .zero, max(window, target))
        return actions + [.load(load(at: now + max(pause, required)))]
    }

    // MARK: Steps

    /// Returns the actions for the playlist of a restarted encoder; nil for any other playlist.
    private mutating func restart(_ loaded: MediaPlaylist, _ began: Duration, _ now: Duration) -> [LiveReloadAction]? {
        let isLastAttempt = rejections + 1 >= settings.attempts
        guard let known = playlist, loaded.isRestart(of: known, after: rejected, isLastAttempt: isLastAttempt) else {
            return nil
        }
        let notice = LiveReloadNotice.restarted(
            expected: known.endSequenceNumber ?? 0,
            first: loaded.mediaSequence ?? 0
        )
        playlist = nil
        return [.notice(notice)]
            + self.loaded(loaded, began: began, now: now).map { action in
                if case .use(let playlist) = action { .restart(playlist) } else { action }
            }
    }

    /// Returns the playlist that results from a response.
    private func accepted(_ loaded: MediaPlaylist) throws(PlaylistRejection) -> MediaPlaylist {
        let merged: MediaPlaylist
        if loaded.isDeltaUpdate {
            guard let playlist, let result = try? playlist.applying(loaded) else { throw .skipNotInBase }
            merged = result
        } else {
            merged = loaded
        }
        let first = merged.mediaSequence ?? 0
        guard let end = merged.endSequenceNumber else { throw .sequenceOverflow(first: first) }
        guard let playlist else { return merged }
        let before = playlist.mediaSequence ?? 0
        guard first >= before else { throw .sequenceWentBack(from: before, to: first) }
        let endBefore = playlist.endSequenceNumber ?? 0
        guard end >= endBefore else { throw .endWentBack(from: endBefore, to: end) }
        return merged
    }

    private mutating func reject(
        _ rejection: PlaylistRejection,
        _ began: Duration,
        _ now: Duration,
        pause: Duration
    ) -> [LiveReloadAction] {
        rejections += 1
        guard rejections < max(settings.attempts, 1) else {
            isOver = true
            return [.failed(.refused(rejection))]
        }
        // An update merged into an outdated base may be rejected again, so the whole playlist is loaded.
        lastLoad = nil
        let actions: [LiveReloadAction] = [.notice(.refused(rejection))] + checkStaleness(now)
        guard !isOver else { return actions }
        return actions + [.load(load(at: max(now + pause, began + settings.minimumInterval), isBlocking: false))]
    }

    /// Reports a stale playlist once, and ends the reloads if it stays stale for too long.
    private mutating func checkStaleness(_ now: Duration, endsReloads: Bool = true) -> [LiveReloadAction] {
        guard let lastAdvance else { return [] }
        let age = now - lastAdvance
        if endsReloads, let longest = settings.maximumStaleTargetDurations, longest > 0,
            age >= max(target * longest, target * 3 / 2, settings.minimumInterruption)
        {
            isOver = true
            return [.failed(.stale(age))]
        }
        guard !hasReportedStale, age >= target * 3 / 2 else { return [] }
        hasReportedStale = true
        return [.notice(.stale(age))]
    }

    /// The duration of the segments in the current playlist, at most
    /// ``LiveReloadSettings/maximumInterruption``.
    package var window: Duration {
        let longest = PlaybackTime.seconds(settings.maximumInterruption)
        var seconds = 0.0
        // The playlist of an event may list the segments of days.
        for segment in playlist?.segments.reversed() ?? [] {
            seconds += PlaybackTime.clamped(segment.duration)
            if seconds >= longest { break }
        }
        return PlaybackTime.duration(min(seconds, longest))
    }

    /// The target duration, clamped to 1 to 3600 seconds, so that the server is not overloaded.
    private var target: Duration { .seconds(min(max(playlist?.targetDuration ?? 1, 1), 3600)) }
    private var half: Duration { target / 2 }
    private var blocks: Bool { settings.usesBlocking && playlist?.serverControl?.canBlockReload == true }

    private func load(at moment: Duration, isBlocking: Bool = true) -> PlaylistLoad {
        let parts = playlist?.upcoming.parts.count ?? 0
        let waitsForParts = settings.waitsForParts && playlist?.partInf != nil
        let number = isBlocking && blocks ? playlist?.endSequenceNumber : nil
        return PlaylistLoad(
            startTime: moment,
            mediaSequenceNumber: number,
            part: number != nil && waitsForParts ? UInt64(parts) : nil,
            skip: skip(at: moment),
            timeout: number == nil ? settings.timeout : max(target * 3, settings.timeout)
        )
    }

    private func skip(at moment: Duration) -> PlaylistLoad.Skip? {
        guard settings.usesDeltaUpdates, let lastLoad, let control = playlist?.serverControl,
            let boundary = control.canSkipUntil, boundary > 0,
            moment - lastLoad <= PlaybackTime.duration(boundary / 2)
        else { return nil }
        return control.canSkipDateRanges ? .segmentsAndDateRanges : .segments
    }

    /// The progress of a playlist. Changed comments are not progress.
    private struct Progress: Equatable {
        let end: UInt64?
        let parts: Int
        let isEnded: Bool

        init(_ playlist: MediaPlaylist) {
            end = playlist.endSequenceNumber
            parts = playlist.upcoming.parts.count
            isEnded = playlist.isEnded
        }
    }
}

extension MediaPlaylist {
    /// The media sequence number after the last segment's; nil if it exceeds the range of UInt64.
    package var endSequenceNumber: UInt64? {
        let (sum, overflow) = (mediaSequence ?? 0).addingReportingOverflow(UInt64(segments.count))
        return overflow ? nil : sum
    }
}
