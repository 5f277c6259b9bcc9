public import HLSPlaylist

/// The settings of a player.
public struct PlayerSettings: Sendable {
    /// The speed at which media is loaded.
    public enum Pace: Sendable, Hashable {
        /// As fast as the network and the output allow.
        case unpaced
        /// At most `ahead` before the position of a viewer.
        case realTime(ahead: Duration)
    }

    /// The abilities of the player: display, codecs, protection levels, and throughput if known.
    public var abilities: PlayerCapabilities
    /// The preferences of the viewer: languages and subtitles.
    public var preferences: RenditionPreferences
    /// The speed at which media is loaded; unpaced by default.
    public var pace = Pace.unpaced
    /// The maximum duration to play, in seconds of media; nil means until the end. A live stream may never end.
    public var maximumDuration: Double?
    /// True if the player switches variants by throughput; true by default.
    public var isAdaptive = true
    /// The weights of the buffer in the choice of variants.
    public var quality = QualitySettings()
    /// The thresholds at which playback starts and resumes.
    public var buffer = BufferModel.Settings()
    /// True if Partial Segments are played as soon as they are available (Low-Latency HLS), if the playlists list them;
    /// true by default.
    public var usesParts = true
    /// Returns the current date, from which the latency of a live presentation is computed; nil to leave it out.
    public var date: (@Sendable () -> PlaylistDate)?
    /// True if the subtitles that the preferences select are loaded; false by default.
    public var loadsSubtitles = false
    /// The maximum number of attempts to load a resource; 4 by default.
    public var attempts = 4
    /// The delay before the second attempt, doubled for each further attempt; half a second by default.
    public var initialRetryDelay = Duration.milliseconds(500)
    /// The maximum delay before an attempt that a server can require with Retry-After; 30 seconds by default.
    public var maximumRetryAfter = Duration.seconds(30)
    /// The variables that a Media Playlist imports (EXT-X-DEFINE with IMPORT) if it is played without a Multivariant
    /// Playlist.
    public var variables: [String: String] = [:]

    /// Creates settings.
    public init(
        abilities: PlayerCapabilities = .everything,
        preferences: RenditionPreferences = RenditionPreferences()
    ) {
        (self.abilities, self.preferences) = (abilities, preferences)
    }
}

extension PlayerCapabilities {
    /// The abilities of a player without display and decoder: all media can be played that its keys allow.
    public static var everything: PlayerCapabilities {
        PlayerCapabilities(
            codecs: CodecSupport { $0.family != .unknown },
            keySystems: [.fairPlay: ["AppleMain", "AppleBaseline", "Main", "Baseline"], .identity: []],
            hdcp: .type1,
            videoRanges: [.sdr, .pq, .hlg]
        )
    }
}
