public import StreamPlayer

/// An event of a download.
public enum DownloadEvent: Sendable {
    /// The download was planned, from the server's playlists or from an existing bundle.
    case planned(DownloadPlanSummary)
    /// The keys are being requested; the value is their number.
    case acquiringKeys(Int)
    /// The download made progress. Reported at most ten times per second.
    case progress(AssetDownloadProgress)
    /// A resource could not be loaded and is retried after a delay.
    case retrying(file: String, MediaLoadError, attempt: Int, pause: Duration)
    /// A partial file is downloaded from its first byte again, with the reason.
    case restarting(file: String, RestartReason)
    /// A segment is missing on the server, and the download continues without it.
    case missing(file: String, DownloadError)
    /// A complete file is downloaded again, because it is damaged.
    case repairing(file: String, AssetBundleError)
    /// The playlists are reloaded to replace URLs that the server rejects, with the error; nil means that the URL of
    /// the download changed, or that a local playlist is damaged.
    case reloadingPlaylists(DownloadError?)
    /// The download was paused.
    case paused
    /// The download was resumed.
    case resumed
    /// All files are complete; offline playback is being verified.
    case proving
    /// The download has finished.
    case finished(BundleSummary)
}

/// The reason why a partial file is discarded.
public enum RestartReason: String, Sendable, CaseIterable {
    /// Its ETag, date or length has changed since the download started.
    case changed
    /// The server returns the whole resource instead of the requested range.
    case noRanges = "no-ranges"
    /// The server returns neither a strong ETag nor a date, so that the rest cannot be matched with the partial file.
    case noValidator = "no-validator"
    /// The requested range does not exist.
    case outOfRange = "out-of-range"
}

/// The plan of a download.
public struct DownloadPlanSummary: Sendable, Hashable {
    /// True if an existing bundle is resumed.
    public let isResumed: Bool
    /// The selected Media Playlists.
    public let playlists: [BundlePlaylist]
    /// The number of files.
    public let files: Int
    /// The number of files that are already complete.
    public let completeFiles: Int
    /// The duration in seconds.
    public let duration: Double
}

/// The progress of a download.
public struct AssetDownloadProgress: Sendable, Hashable {
    /// The time ranges that are loaded for all selected playlists.
    public let loaded: LoadedTimeRanges
    /// The total duration to load, in seconds.
    public let expected: Double
    /// The number of bytes on the disk, including partial files.
    public let bytes: UInt64
    /// The number of bytes received in this run.
    public let received: UInt64
    /// The number of complete files, and the total.
    public let files: Int, allFiles: Int

    /// The fraction of the duration that is loaded, 0 to 1.
    public var fraction: Double { expected > 0 ? min(1, loaded.duration / expected) : files == allFiles ? 1 : 0 }
}
