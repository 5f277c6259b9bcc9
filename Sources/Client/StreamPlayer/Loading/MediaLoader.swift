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

/// An error of a media loader.
public struct MediaLoadError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Sendable, Hashable {
        /// The connection failed or was interrupted.
        case noConnection = "no-connection"
        /// The response was not complete before the timeout.
        case deadline
        /// The resource exceeds the maximum size.
        case tooLarge = "too-large"
        /// The URL is not supported.
        case badAddress = "bad-address"
        /// The resource does not exist: status 404 or 410, or a missing file.
        case notFound = "not-found"
        /// The server responded with a status other than 200 and 206.
        case status
        /// The server returned bytes other than the requested range.
        case wrongRange = "wrong-range"
        /// A local file was shortened or changed after it was written.
        case damaged
        /// The callback ended the download.
        case abandoned
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of error.
    public let code: Code
    /// The URL without user information, query and fragment, which may contain tokens.
    public let place: String
    /// The HTTP status, if there was a response.
    public let status: Int?

    /// Creates an error for a URL.
    public init(_ code: Code, _ url: String, status: Int? = nil) {
        (self.code, self.status) = (code, status)
        place = Self.place(url)
    }

    /// True if the resource is a local file.
    private var isLocal: Bool { place.lowercased().hasPrefix("file:") }

    /// True if a retry may succeed. A local file is not loaded again: it is either there, or it is not.
    public var isTemporary: Bool {
        switch code {
        case .noConnection, .deadline: true
        case .status: status.map { $0 == 408 || $0 == 429 || $0 >= 500 } ?? false
        // At the live edge, a segment may be listed shortly before it is available.
        case .notFound, .wrongRange: !isLocal
        case .tooLarge, .badAddress, .damaged, .abandoned, .cancelled: false
        }
    }

    /// The URL, the code and the status, on one line.
    public var description: String {
        guard !isLocal || code != .notFound else { return "\(place): the file does not exist, or cannot be read" }
        guard code != .damaged else { return "\(place): the file has changed since it was downloaded" }
        return "\(place): \(code.rawValue)" + (status.map { " (\($0))" } ?? "")
    }

    /// Returns a URL in a form that can be logged.
    static func place(_ url: String) -> String {
        var text = url.prefix { $0 != "?" && $0 != "#" }
        // Removes the user information before the @ in the authority, which ends at the first slash after scheme://.
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
            let authority = text.index(colon, offsetBy: 3)
            let end = text[authority...].firstIndex(of: "/") ?? text.endIndex
            if let at = text[authority..<end].lastIndex(of: "@") { text.removeSubrange(authority...at) }
        }
        return String(text.prefix(300))
    }
}
