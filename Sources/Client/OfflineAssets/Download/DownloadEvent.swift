public import StreamPlayer

/// What happens while a presentation is downloaded.
public enum DownloadEvent: Sendable {
    /// What will be fetched is known, from the server's playlists or from a bundle that was begun before.
    case planned(DownloadPlanFacts)
    /// The keys are being asked for; how many.
    case acquiringKeys(Int)
    /// How far it is. Often: at most ten times a second.
    case progress(AssetDownloadProgress)
    /// A resource could not be fetched, and is tried again after a pause.
    case retrying(file: String, MediaLoadError, attempt: Int, pause: Duration)
    /// A file that was begun is fetched from its first byte on, and why.
    case beginsAnew(file: String, AnewReason)
    /// A file that was complete is fetched again, as it is not what it was.
    case repairing(file: String, AssetBundleError)
    /// The playlists are loaded again, so that addresses hold which the server does not take any more, and what it said;
    /// nil: the download was given another address, or a local playlist is damaged.
    case loadingPlaylistsAgain(DownloadError?)
    /// It waits to be resumed.
    case paused
    /// It goes on.
    case resumed
    /// All files are there; the keys are tried without a network.
    case proving
    /// It is over.
    case finished(BundleSummary)
}

/// Why what was already there of a file is thrown away.
public enum AnewReason: String, Sendable, CaseIterable {
    /// Its ETag, date or length is another than when it was begun.
    case changed
    /// The server sends the whole resource, and not the rest.
    case noRanges = "no-ranges"
    /// The server names neither a strong ETag nor a date, so that nobody knows whether the rest belongs to the beginning.
    case noValidator = "no-validator"
    /// The rest that was asked for does not exist.
    case outOfRange = "out-of-range"
}

/// What a download will fetch.
public struct DownloadPlanFacts: Sendable, Hashable {
    /// Whether a bundle that was begun before goes on.
    public let isResumed: Bool
    /// What was chosen: the labels of the Media Playlists.
    public let playlists: [BundlePlaylist]
    /// How many files there are.
    public let files: Int
    /// How many of them are complete already.
    public let completeFiles: Int
    /// The length of the film in seconds.
    public let duration: Double
}

/// How far a download is.
public struct AssetDownloadProgress: Sendable, Hashable {
    /// The spans of time that are there, of everything that was chosen.
    public let loaded: LoadedTimeRanges
    /// The time that will be there, from 0 on, in seconds.
    public let expected: Double
    /// The bytes that are there, those of incomplete files included.
    public let bytes: UInt64
    /// The bytes that came from the network in this run.
    public let received: UInt64
    /// Complete files, and all.
    public let files: Int, allFiles: Int

    /// The share of the time that is there, 0 to 1.
    public var fraction: Double { expected > 0 ? min(1, loaded.duration / expected) : files == allFiles ? 1 : 0 }
}
