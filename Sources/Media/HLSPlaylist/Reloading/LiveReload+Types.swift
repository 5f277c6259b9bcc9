/// An action that ``LiveReload`` requests.
public enum LiveReloadAction: Sendable {
    /// Loads the playlist, and reports the result to ``LiveReload/loaded(_:began:now:)`` or
    /// ``LiveReload/failed(began:now:)``. There is only one load at a time.
    case load(PlaylistLoad)
    /// Continues playback with this playlist, which has changed. Delta updates are already merged.
    case use(MediaPlaylist)
    /// Continues playback with the playlist of a restarted encoder, whose media sequence numbers start again: a
    /// discontinuity. See ``SegmentTimeline/restart(with:)``.
    case restart(MediaPlaylist)
    /// A notice for the log, or for a player that can switch to another variant. Reloads continue.
    case notice(LiveReloadNotice)
    /// The playlist is complete (EXT-X-ENDLIST). Reloads have ended.
    case ended
    /// Reloads have ended because of an error. The player can switch to another variant or stop.
    case failed(LiveReloadNotice)
}

/// A problem of a live playlist.
public enum LiveReloadNotice: Hashable, Sendable {
    /// The playlist is stale: nothing was added for at least 1.5 target durations; the value is the time since the last
    /// addition (section 6.3.4). Reported once until something is added.
    case stale(Duration)
    /// Several loads in a row failed, or their responses were not playlists.
    case noResponse(attempts: Int)
    /// A playlist was rejected; the previous one remains in use.
    case refused(PlaylistRejection)
    /// The encoder was restarted: the playlist begins with the media sequence number `first`, though `expected` was the
    /// next one.
    case restarted(expected: UInt64, first: UInt64)
}

/// The reason for the rejection of a reloaded playlist.
public enum PlaylistRejection: Error, Hashable, Sendable {
    /// Its media sequence number is lower than before (section 4.4.3.2): an outdated copy, or an encoder that was
    /// restarted.
    case sequenceWentBack(from: UInt64, to: UInt64)
    /// Its end is before the previous end; the numbers are those of the segment after the last one (section 6.2.1).
    case endWentBack(from: UInt64, to: UInt64)
    /// Its media sequence numbers exceed the range of UInt64.
    case sequenceOverflow(first: UInt64)
    /// It is a delta update whose base is not loaded (section 6.3.7). The whole playlist is loaded next.
    case skipNotInBase
}

/// The settings for reloads of live playlists.
public struct LiveReloadSettings: Hashable, Sendable {
    /// True if reloads wait for partial segments, for a player that plays them; otherwise for whole segments.
    public var waitsForParts: Bool
    /// True if blocking reloads are requested if the server supports them.
    public var usesBlocking: Bool
    /// True if delta updates are requested if the server supports them.
    public var usesDeltaUpdates: Bool
    /// The number of consecutive failures or rejections that ends the reloads; at least 1.
    public var attempts: Int
    /// The minimum time of failures, or without additions, that ends the reloads: at short target durations, an
    /// interruption of a few seconds would otherwise end playback.
    public var minimumInterruption: Duration
    /// The maximum time of failures that is tolerated because the segments of the playlist still last.
    public var maximumInterruption: Duration
    /// The timeout of a load that is not blocking.
    public var timeout: Duration
    /// The time without additions, in target durations, that ends the reloads; nil means never. The notice is reported
    /// at 1.5.
    public var maximumStaleTargetDurations: Double?
    /// The minimum time between the starts of two loads, regardless of the playlist.
    public var minimumInterval: Duration

    /// Creates settings.
    public init(
        waitsForParts: Bool = false,
        usesBlocking: Bool = true,
        usesDeltaUpdates: Bool = true,
        attempts: Int = 6,
        minimumInterruption: Duration = .seconds(15),
        maximumInterruption: Duration = .seconds(60),
        timeout: Duration = .seconds(10),
        maximumStaleTargetDurations: Double? = 6,
        minimumInterval: Duration = .milliseconds(100)
    ) {
        self.waitsForParts = waitsForParts
        self.usesBlocking = usesBlocking
        self.usesDeltaUpdates = usesDeltaUpdates
        self.attempts = attempts
        (self.minimumInterruption, self.maximumInterruption) = (minimumInterruption, maximumInterruption)
        self.timeout = timeout
        self.maximumStaleTargetDurations = maximumStaleTargetDurations
        self.minimumInterval = minimumInterval
    }
}
