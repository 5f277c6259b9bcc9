/// What a bundle is, short enough to be read for a thousand bundles at once: the first line of `bundle.json`.
public struct BundleSummary: Sendable, Hashable {
    /// How far a bundle is.
    ///
    ///     downloading ──> unproven ──> complete
    public enum State: String, Sendable, CaseIterable {
        /// Files are missing.
        case downloading
        /// All files are there and are what they should be; that it plays without a network has not been shown.
        case unproven
        /// It has been shown to start playing without a network, or needs no keys.
        case complete
    }

    /// What people call it, and what its keys are kept under.
    public var title: String
    /// Where its playlist came from, as it was asked for. It may hold a token: show `MediaLoadError.place` of it.
    public var originalURL: String
    /// How far it is.
    public var state: State
    /// When the download began, in seconds since 1970.
    public var created: Int
    /// When the state last changed, in seconds since 1970.
    public var changed: Int
    /// The length of the film in seconds, to the millisecond.
    public var duration: Double
    /// The size of all media in bytes; 0 until all are there.
    public var byteCount: UInt64
    /// What its keys are called: ``DownloadKey/identifier``, each once. Empty for clear media.
    public var keys: [String]
}

/// What `bundle.json` says.
public struct BundleDescription: Sendable, Hashable {
    /// What the bundle is.
    public var summary: BundleSummary
    /// What was chosen, in words: ``BundleSelection/description``.
    public var selection: String
    /// The local playlists; the one to play is the first, `main.m3u8`.
    public var playlists: [BundlePlaylist]
    /// The files of media, in the order in which they are fetched.
    public var resources: [BundleResource]

    /// What people call it, and what its keys are kept under.
    public var title: String { summary.title }
    /// Where its playlist came from, as it was asked for.
    public var originalURL: String { summary.originalURL }
    /// How far it is.
    public var state: BundleSummary.State { summary.state }
    /// What its keys are called.
    public var keys: [String] { summary.keys }
}
