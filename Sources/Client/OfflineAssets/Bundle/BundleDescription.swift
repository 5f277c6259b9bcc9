/// The summary of a bundle: the first line of `bundle.json`, short enough to list a thousand bundles at once.
public struct BundleSummary: Sendable, Hashable {
    /// The state of a bundle.
    ///
    ///     downloading ──> unverified ──> complete
    public enum State: String, Sendable, CaseIterable {
        /// Files are missing.
        case downloading
        /// All files are complete and verified, but offline playback has not been verified.
        case unverified
        /// Offline playback has been verified, or the bundle does not need keys.
        case complete
    }

    /// The title, under which the bundle's keys are also stored.
    public var title: String
    /// The URL of the playlist as requested. It may contain a token: display `MediaLoadError.place` of it.
    public var originalURL: String
    /// The state of the bundle.
    public var state: State
    /// The time at which the download started, in seconds since 1970.
    public var created: Int
    /// The time at which the state last changed, in seconds since 1970.
    public var changed: Int
    /// The duration in seconds, with a precision of one millisecond.
    public var duration: Double
    /// The size of all media in bytes; 0 until all files are complete.
    public var byteCount: UInt64
    /// The identifiers of the keys, without duplicates: ``DownloadKey/identifier``. Empty for clear media.
    public var keys: [String]
}

/// The contents of `bundle.json`.
public struct BundleDescription: Sendable, Hashable {
    /// The summary of the bundle.
    public var summary: BundleSummary
    /// A text that describes the selected variants and renditions: ``BundleSelection/description``.
    public var selection: String
    /// The local playlists; the first is the main playlist, `main.m3u8`.
    public var playlists: [BundlePlaylist]
    /// The media files, in download order.
    public var resources: [BundleResource]
    /// The media that the bundle lacks, one line each with the place and the reason. Empty for a bundle with all media.
    public var missing: [String] = []
    /// The duration to record from a live stream, in seconds; nil for a VOD stream.
    public var recordingDuration: Double?

    /// The title, under which the bundle's keys are also stored.
    public var title: String { summary.title }
    /// The URL of the playlist as requested.
    public var originalURL: String { summary.originalURL }
    /// The state of the bundle.
    public var state: BundleSummary.State { summary.state }
    /// The identifiers of the keys.
    public var keys: [String] { summary.keys }
}
