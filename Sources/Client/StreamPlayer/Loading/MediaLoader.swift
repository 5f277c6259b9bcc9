/// A loader of playlists and media. It returns whole resources or byte ranges; it does not retry.
public protocol MediaLoader: Sendable {
    /// Loads a resource.
    ///
    /// - Throws: ``MediaLoadError``. The call returns soon after its task is cancelled.
    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia

    /// Loads a resource with a callback that can abandon the download.
    ///
    /// - Parameters:
    ///   - resource: The resource to load.
    ///   - shouldContinue: A function that is called a few times per second during the download, also while no bytes arrive.
    ///     The download ends if it returns false.
    /// - Throws: ``MediaLoadError``; ``MediaLoadError/Code/abandoned`` if the callback ended the download. The call
    ///   returns soon after its task is cancelled.
    func load(
        _ resource: MediaResource,
        shouldContinue: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia
}

extension MediaLoader {
    /// Loads the whole resource without calling the callback.
    public func load(
        _ resource: MediaResource,
        shouldContinue _: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia { try await load(resource) }
}

/// The progress of a download.
public struct MediaProgress: Sendable, Hashable {
    /// The number of bytes received.
    public var received: UInt64
    /// The size of the whole resource in bytes; nil if the server did not specify it.
    public var expected: UInt64?

    /// Creates a progress value.
    public init(received: UInt64, expected: UInt64?) { (self.received, self.expected) = (received, expected) }
}

/// A resource to load.
public struct MediaResource: Sendable, Hashable {
    /// The absolute URL.
    public var url: String
    /// The byte range to load; nil means the whole resource.
    public var range: Range<UInt64>?
    /// The maximum size, in bytes.
    public var maximumSize: Int
    /// True if the resource is text such as a playlist, which a server may compress.
    public var isText = false
    /// The maximum time without progress; nil means the loader's. A server delays the response to a blocking reload of
    /// a live playlist.
    public var idleTimeout: Duration?

    /// Creates the description of a resource, by default of at most 256 MiB.
    public init(_ url: String, range: Range<UInt64>? = nil, maximumSize: Int = 256 << 20) {
        (self.url, self.range, self.maximumSize) = (url, range, maximumSize)
    }
}

/// A loaded resource.
public struct LoadedMedia: Sendable {
    /// The bytes; for a range, only those of the range.
    public var bytes: [UInt8]
    /// The URL after redirects, against which relative URLs in the resource are resolved.
    public var url: String

    /// Creates a loaded resource.
    public init(bytes: [UInt8], url: String) { (self.bytes, self.url) = (bytes, url) }
}
