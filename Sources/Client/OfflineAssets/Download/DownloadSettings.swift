/// How a download is carried out.
public struct DownloadSettings: Sendable {
    /// How many resources are fetched at once; 4 by default.
    public var parallel = 4
    /// How many of these from one host and port; 4 by default.
    public var parallelPerHost = 4
    /// How often a resource is tried without a byte of progress before the download stops; 6 by default.
    public var attempts = 6
    /// The pause before the second try, which doubles with each one; half a second by default. Up to half of it again is
    /// added by chance, so that downloads that failed together do not come back together.
    public var firstPause = Duration.milliseconds(500)
    /// The longest pause between two tries, also where a server asks for more (`Retry-After`); two minutes by default.
    public var longestPause = Duration.seconds(120)
    /// How long a server may take for the head of its answer; 30 seconds by default.
    public var headTimeout = Duration.seconds(30)
    /// The span in which at least ``leastProgress`` bytes must come, or the connection counts as broken; 30 seconds by
    /// default.
    public var idleTimeout = Duration.seconds(30)
    /// In bytes; 1,024 by default.
    public var leastProgress = 1024
    /// After how many bytes of one resource they are written to the disk for good, so that a crash costs no more; 4 MiB by
    /// default.
    public var checkpointBytes = 4 << 20
    /// After how much time of one resource; two seconds by default.
    public var checkpointTime = Duration.seconds(2)
    /// How much is taken from a server that may be hostile.
    public var limits = DownloadLimits()

    /// Makes the settings that are said above.
    public init() {}
}

/// How much is taken from a server that may be hostile or broken. What passes a limit is refused before it is fetched, or
/// as soon as it shows.
public struct DownloadLimits: Sendable, Hashable {
    /// The greatest size of a playlist in bytes: 32 MiB.
    public var playlistBytes = 32 << 20
    /// The greatest number of Media Playlists: 256.
    public var playlists = 256
    /// The greatest number of segments of one playlist: 200,000, which is four days of segments of two seconds.
    public var segments = 200_000
    /// The greatest number of files: 500,000.
    public var resources = 500_000
    /// The greatest size of one file in bytes: 8 GiB.
    public var resourceBytes: UInt64 = 8 << 30
    /// The greatest sum of the byte ranges that playlists name, in bytes: 1 TiB.
    public var bytes: UInt64 = 1 << 40
    /// How many bytes before the wanted ones are passed over at a server that knows no ranges: 64 MiB.
    public var skippedBytes: UInt64 = 64 << 20

    /// The documented limits.
    public init() {}
}
