public import HLSPlaylist

/// When a live Media Playlist is loaded again, and what of the answers is taken (RFC 8216bis sections 6.2.5, 6.3.4 and
/// 6.3.7). A value: events go in, actions come out; it neither loads nor waits.
///
///     var reload = LiveReload()
///     for action in reload.begin(now: clock.now) { … }            // .load
///     for action in reload.loaded(playlist, began: moment, now: clock.now) { … }   // .use, .load
///
/// | What came | The next load begins |
/// |---|---|
/// | a playlist that has changed | a target duration after this load began |
/// | the same, and the server blocks | at once: the server holds the answer back |
/// | a playlist that has not changed | half a target duration after this load ended |
/// | one that is refused | as if it had not changed |
/// | a delta update without its base | at once, and the whole is asked for |
/// | no answer | half a target duration after it was given up, twice as long for each further one; a target duration at most |
/// | a playlist that has ended | never |
///
/// A delta update is asked for when the playlist that is there is no older than half of the skip boundary.
public struct LiveReload: Sendable {
    /// How to go about it.
    public let settings: LiveReloadSettings
    /// The playlist that holds, delta updates merged; nil before the first.
    public private(set) var playlist: MediaPlaylist?
    /// Whether nothing is loaded any more.
    public private(set) var isOver = false

    /// When the load began that brought the playlist last, be it unchanged.
    private var lastLoad: Duration?
    /// When something was added last.
    private var lastAdvance: Duration?
    private var hasSaidStale = false
    private var failures = 0
    private var refusals = 0

    /// Makes a reload of a playlist that is not loaded yet.
    public init(settings: LiveReloadSettings = LiveReloadSettings()) {
        self.settings = settings
    }

    /// Asks for the first load. A player that has the playlist already leaves this out.
    public mutating func begin(now: Duration) -> [LiveReloadAction] {
        isOver ? [] : [.load(load(at: now))]
    }

    /// Takes in a playlist that was loaded.
    ///
    /// - Parameters:
    ///   - loaded: The playlist as it was read; a delta update is merged here.
    ///   - began: When its load began, by the clock of `now`.
    ///   - now: The moment.
    public mutating func loaded(_ loaded: MediaPlaylist, began: Duration, now: Duration) -> [LiveReloadAction] {
        guard !isOver else { return [] }
        failures = 0
        let merged: MediaPlaylist
        do throws(PlaylistRefusal) {
            merged = try accepted(loaded)
        } catch .skipNotInBase {
            return refuse(.skipNotInBase, began, now, pause: .zero)
        } catch {
            return refuse(error, began, now, pause: half)
        }
        refusals = 0
        let hasAdvanced = playlist.map { Progress($0) != Progress(merged) } ?? true
        let hasChanged = hasAdvanced || playlist != merged
        playlist = merged
        lastLoad = began
        if hasAdvanced {
            lastAdvance = now
            hasSaidStale = false
        }
        var actions: [LiveReloadAction] = hasChanged ? [.use(merged)] : []
        if merged.isEnded || merged.playlistType == .vod {
            isOver = true
            return actions + [.ended]
        }
        actions += judgeStaleness(now)
        guard !isOver else { return actions }
        let next: Duration
        if !hasChanged {
            next = now + half
        } else if blocks {
            next = max(now, began + settings.shortestInterval)
        } else {
            next = max(now, began + target)
        }
        return actions + [.load(load(at: next))]
    }

    /// Takes in that a load brought no playlist: no answer, an error status, or what cannot be read.
    public mutating func failed(began: Duration, now: Duration) -> [LiveReloadAction] {
        guard !isOver else { return [] }
        failures += 1
        var actions: [LiveReloadAction] = []
        guard failures < max(settings.attempts, 1) else {
            isOver = true
            return [.gaveUp(.noAnswer(attempts: failures))]
        }
        actions.append(.notice(.noAnswer(attempts: failures)))
        actions += judgeStaleness(now)
        guard !isOver else { return actions }
        return actions + [.load(load(at: now + min(half * (1 << min(failures - 1, 4)), target)))]
    }

    // MARK: Steps

    /// The playlist that comes of an answer.
    private func accepted(_ loaded: MediaPlaylist) throws(PlaylistRefusal) -> MediaPlaylist {
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

    private mutating func refuse(
        _ refusal: PlaylistRefusal,
        _ began: Duration,
        _ now: Duration,
        pause: Duration
    ) -> [LiveReloadAction] {
        refusals += 1
        guard refusals < max(settings.attempts, 1) else {
            isOver = true
            return [.gaveUp(.refused(refusal))]
        }
        // What is merged into an old base may be refused again. A whole playlist stands by itself.
        lastLoad = nil
        let actions: [LiveReloadAction] = [.notice(.refused(refusal))] + judgeStaleness(now)
        guard !isOver else { return actions }
        return actions + [.load(load(at: max(now + pause, began + settings.shortestInterval), isBlocking: false))]
    }

    /// Says when nothing was added for too long, and ends it when that was much too long.
    private mutating func judgeStaleness(_ now: Duration) -> [LiveReloadAction] {
        guard let lastAdvance else { return [] }
        let age = now - lastAdvance
        if let longest = settings.givesUpAfterTargetDurations, longest > 0,
            age >= max(target * longest, target * 3 / 2)
        {
            isOver = true
            return [.gaveUp(.stale(age))]
        }
        guard !hasSaidStale, age >= target * 3 / 2 else { return [] }
        hasSaidStale = true
        return [.notice(.stale(age))]
    }

    /// The target duration: a second at least, lest a server have itself overrun, and an hour at most.
    private var target: Duration { .seconds(min(max(playlist?.targetDuration ?? 1, 1), 3600)) }
    private var half: Duration { target / 2 }
    private var blocks: Bool { settings.usesBlocking && playlist?.serverControl?.canBlockReload == true }

    private func load(at moment: Duration, isBlocking: Bool = true) -> PlaylistLoad {
        let parts = playlist?.upcoming.parts.count ?? 0
        let waitsForParts = settings.waitsForParts && playlist?.partInf != nil
        let number = isBlocking && blocks ? playlist?.endSequenceNumber : nil
        return PlaylistLoad(
            moment: moment,
            mediaSequenceNumber: number,
            part: number != nil && waitsForParts ? UInt64(parts) : nil,
            skip: skip(at: moment),
            timeout: number == nil ? settings.timeout : max(target * 3, settings.timeout)
        )
    }

    private func skip(at moment: Duration) -> PlaylistLoad.Skip? {
        guard settings.usesDeltaUpdates, let lastLoad, let control = playlist?.serverControl,
            let boundary = control.canSkipUntil, boundary > 0,
            moment - lastLoad <= MediaTime.duration(boundary / 2)
        else { return nil }
        return control.canSkipDateRanges ? .segmentsAndDateRanges : .segments
    }

    /// How far a playlist is. Comments that change are no progress.
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
    /// The media sequence number after that of the last segment; nil when it passes 2^64.
    var endSequenceNumber: UInt64? {
        let (sum, overflow) = (mediaSequence ?? 0).addingReportingOverflow(UInt64(segments.count))
        return overflow ? nil : sum
    }
}
