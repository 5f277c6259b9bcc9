public import HLSPlaylist

/// How a player plays.
public struct PlayerSettings: Sendable {
    /// How fast media are taken.
    public enum Pace: Sendable, Hashable {
        /// As fast as they come and the output takes them.
        case unpaced
        /// At most `ahead` before where a viewer would be.
        case realTime(ahead: Duration)
    }

    /// What the player can do: display, codecs, levels of protection, throughput if known.
    public var abilities: PlayerAbilities
    /// What the viewer wants: languages, subtitles.
    public var preferences: RenditionPreferences
    /// How fast media are taken; unpaced by default.
    public var pace = Pace.unpaced
    /// How much is played, in seconds of media; nil for all. A live stream has no end by itself.
    public var maximumDuration: Double?
    /// Whether variants are switched by throughput; true by default.
    public var isAdaptive = true
    /// How the buffer is weighed in choosing variants.
    public var quality = QualitySettings()
    /// When playback starts, and goes on after a stall.
    public var buffer = BufferModel.Settings()
    /// Whether subtitles that the preferences choose are loaded too; false by default.
    public var loadsSubtitles = false
    /// How often a resource is asked for before its failure ends playback; 4 by default.
    public var attempts = 4
    /// The pause before the second attempt, which doubles with each one; half a second by default.
    public var firstPause = Duration.milliseconds(500)

    /// Makes settings.
    public init(
        abilities: PlayerAbilities = .everything,
        preferences: RenditionPreferences = RenditionPreferences()
    ) {
        (self.abilities, self.preferences) = (abilities, preferences)
    }
}

extension PlayerAbilities {
    /// Of a player that has no screen and no decoder: everything may be played that its keys let it.
    public static var everything: PlayerAbilities {
        PlayerAbilities(
            codecs: CodecAbilities { $0.family != .unknown },
            keySystems: [.fairPlay: ["AppleMain", "AppleBaseline", "Main", "Baseline"], .identity: []],
            hdcp: .type1,
            videoRanges: [.sdr, .pq, .hlg]
        )
    }
}
