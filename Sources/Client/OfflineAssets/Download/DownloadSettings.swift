/// The settings of a download.
public struct DownloadSettings: Sendable {
    /// The number of concurrent downloads; 4 by default.
    public var parallel = 4
    /// The number of concurrent downloads from one host and port; 4 by default.
    public var parallelPerHost = 4
    /// The number of attempts to load a resource without progress before the download stops; 6 by default.
    public var attempts = 6
    /// The delay before the second attempt, doubled for each further attempt; half a second by default. A random part
    /// of up to half of the delay is added, so that downloads that failed together do not retry together.
    public var initialRetryDelay = Duration.milliseconds(500)
    /// The maximum delay between two attempts, even if a server requires more (`Retry-After`); two minutes by default.
    public var maximumRetryDelay = Duration.seconds(120)
    /// The timeout for the head of a response; 30 seconds by default.
    public var headTimeout = Duration.seconds(30)
    /// The time in which at least ``minimumProgress`` bytes must arrive; otherwise the connection is treated as
    /// interrupted. 30 seconds by default.
    public var idleTimeout = Duration.seconds(30)
    /// The minimum progress within ``idleTimeout``, in bytes; 1,024 by default.
    public var minimumProgress = 1024
    /// The number of bytes of a resource after which they are synchronized to the disk, to limit the loss in a crash; 4
    /// MiB by default.
    public var checkpointBytes = 4 << 20
    /// The time after which bytes of a resource are synchronized to the disk; two seconds by default.
    public var checkpointTime = Duration.seconds(2)
    /// True if the download completes without segments that the server does not have, or returns in a form that is not
    /// media. The local playlists mark them with EXT-X-GAP. False by default: such a segment ends the download.
    public var allowsMissingSegments = false
    /// True if a file that does not exist is requested again: at a live edge, it may be listed before it is available.
    var retriesMissingFiles = false
    /// The limits for data from a server that may be hostile.
    public var limits = DownloadLimits()

    /// Creates the default settings.
    public init() {}
}

/// The limits for data from a server that may be hostile or broken. What exceeds a limit is rejected before it is
/// downloaded, or as soon as the excess is detected.
public struct DownloadLimits: Sendable, Hashable {
    /// The maximum size of a playlist in bytes: 32 MiB.
    public var playlistBytes = 32 << 20
    /// The maximum number of Media Playlists: 256.
    public var playlists = 256
    /// The maximum number of segments in a playlist: 200,000, which is more than four days of two-second segments.
    public var segments = 200_000
    /// The maximum number of files: 500,000.
    public var resources = 500_000
    /// The maximum size of a file in bytes: 8 GiB.
    public var resourceBytes: UInt64 = 8 << 30
    /// The maximum total of the byte ranges in the playlists, in bytes: 1 TiB.
    public var bytes: UInt64 = 1 << 40
    /// The maximum number of bytes to skip before a range if the server does not support ranges: 64 MiB.
    public var skippedBytes: UInt64 = 64 << 20

    /// Creates the default limits.
    public init() {}
}
