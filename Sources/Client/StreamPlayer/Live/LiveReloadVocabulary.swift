public import HLSPlaylist

/// What ``LiveReload`` wants done.
public enum LiveReloadAction: Sendable {
    /// Load the playlist, and tell ``LiveReload/loaded(_:began:now:)`` or ``LiveReload/failed(began:now:)`` how it went.
    /// There is one load at a time.
    case load(PlaylistLoad)
    /// Play on with this playlist: it has changed. Delta updates are merged already.
    case use(MediaPlaylist)
    /// Something for the log, or for a player that has other variants to go to. Loading goes on.
    case notice(LiveReloadNotice)
    /// Nothing will be added to the playlist: EXT-X-ENDLIST. Nothing is loaded any more.
    case ended
    /// Nothing is loaded any more. Play another variant, or give up.
    case gaveUp(LiveReloadNotice)
}

/// What is wrong with a live playlist.
public enum LiveReloadNotice: Hashable, Sendable {
    /// Nothing was added for 1.5 target durations or longer; the value says for how long (section
    /// 6.3.4). It is said once until something is added.
    case stale(Duration)
    /// The server has not answered, or not with a playlist, so many times in a row.
    case noAnswer(attempts: Int)
    /// A playlist was refused, and the one before stays.
    case refused(PlaylistRefusal)
}

/// Why a reloaded playlist was not taken.
public enum PlaylistRefusal: Error, Hashable, Sendable {
    /// Its first media sequence number is lower than before (section 4.4.3.2): an old copy, or an encoder that began
    /// anew.
    case sequenceWentBack(from: UInt64, to: UInt64)
    /// It ends before the end that was seen; the numbers are of the segment after its last one (section 6.2.1).
    case endWentBack(from: UInt64, to: UInt64)
    /// Its media sequence numbers pass 2^64.
    case sequenceOverflow(first: UInt64)
    /// It is a delta update whose base is not there (section 6.3.7). The whole is loaded next.
    case skipNotInBase
}

/// How live playlists are loaded again.
public struct LiveReloadSettings: Hashable, Sendable {
    /// Whether partial segments are waited for, as a player does that plays them. Otherwise whole segments are.
    public var waitsForParts: Bool
    /// Whether blocking reloads are asked for where the server has them.
    public var usesBlocking: Bool
    /// Whether delta updates are asked for where the server has them.
    public var usesDeltaUpdates: Bool
    /// How many failures or refusals in a row end it; at least 1.
    public var attempts: Int
    /// How long a load may take that does not block.
    public var timeout: Duration
    /// How long without anything new ends it, in target durations; nil for no end. The notice comes at 1.5.
    public var givesUpAfterTargetDurations: Double?
    /// The least time from one load's beginning to the next one's, whatever the playlist says.
    public var shortestInterval: Duration

    /// Makes settings.
    public init(
        waitsForParts: Bool = false,
        usesBlocking: Bool = true,
        usesDeltaUpdates: Bool = true,
        attempts: Int = 6,
        timeout: Duration = .seconds(10),
        givesUpAfterTargetDurations: Double? = 6,
        shortestInterval: Duration = .milliseconds(100)
    ) {
        self.waitsForParts = waitsForParts
        self.usesBlocking = usesBlocking
        self.usesDeltaUpdates = usesDeltaUpdates
        self.attempts = attempts
        self.timeout = timeout
        self.givesUpAfterTargetDurations = givesUpAfterTargetDurations
        self.shortestInterval = shortestInterval
    }
}
