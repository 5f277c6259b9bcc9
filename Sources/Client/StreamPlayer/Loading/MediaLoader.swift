/// What fetches playlists and media. It returns whole resources or byte ranges of them; it does not retry.
public protocol MediaLoader: Sendable {
    /// Fetches a resource.
    ///
    /// - Throws: ``MediaLoadError``. It ends soon after its task is cancelled.
    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia

    /// Fetches a resource, and lets somebody decide on the way whether it goes on.
    ///
    /// - Parameter goesOn: Asked a few times a second while the resource is on its way, also where nothing comes. False
    ///   ends it.
    /// - Throws: ``MediaLoadError``, ``MediaLoadError/Code/abandoned`` where it was ended. It ends soon after its task is
    ///   cancelled.
    func load(
        _ resource: MediaResource,
        whileItGoesOn goesOn: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia
}

extension MediaLoader {
    /// Fetches a resource as a whole, and asks nobody.
    public func load(
        _ resource: MediaResource,
        whileItGoesOn _: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia { try await load(resource) }
}

/// How much of a resource has come.
public struct MediaProgress: Sendable, Hashable {
    /// The bytes that have come.
    public var received: UInt64
    /// The bytes of the whole; nil when the server does not say.
    public var expected: UInt64?

    /// Makes a progress.
    public init(received: UInt64, expected: UInt64?) { (self.received, self.expected) = (received, expected) }
}

/// What is to be fetched.
public struct MediaResource: Sendable, Hashable {
    /// An absolute URL.
    public var url: String
    /// Its bytes that are wanted; nil for all of them.
    public var range: Range<UInt64>?
    /// The greatest size that is taken, in bytes.
    public var maximumSize: Int

    /// Describes a resource, of at most 256 MiB unless said otherwise.
    public init(_ url: String, range: Range<UInt64>? = nil, maximumSize: Int = 256 << 20) {
        (self.url, self.range, self.maximumSize) = (url, range, maximumSize)
    }
}

/// What was fetched.
public struct LoadedMedia: Sendable {
    /// The bytes; of a range, only those.
    public var bytes: [UInt8]
    /// Where they came from in the end, after redirects: what relative URLs in it are relative to.
    public var url: String

    /// Makes an answer.
    public init(bytes: [UInt8], url: String) { (self.bytes, self.url) = (bytes, url) }
}

/// Why a resource is not there.
public struct MediaLoadError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable, Hashable {
        /// No connection, or one that broke off.
        case noConnection = "no-connection"
        /// The answer did not come, or did not end, in time.
        case deadline
        /// It is larger than what is taken.
        case tooLarge = "too-large"
        /// The URL cannot be asked.
        case badAddress = "bad-address"
        /// There is no such resource: 404 or 410, or no such file.
        case notFound = "not-found"
        /// Another status than 200 or 206.
        case status
        /// The server sent other bytes than the range that was asked for.
        case wrongRange = "wrong-range"
        /// Who was asked on the way ended it.
        case abandoned
        /// The task was cancelled.
        case cancelled
    }

    /// What went wrong.
    public let code: Code
    /// The URL without user, query and fragment, which may hold tokens.
    public let place: String
    /// The status of the answer, if one came.
    public let status: Int?

    /// Makes an error about a URL.
    public init(_ code: Code, _ url: String, status: Int? = nil) {
        (self.code, self.status) = (code, status)
        place = Self.place(url)
    }

    /// Whether the same may succeed a moment later.
    public var mayPass: Bool {
        switch code {
        case .noConnection, .deadline, .wrongRange: true
        case .status: status.map { $0 == 408 || $0 == 429 || $0 >= 500 } ?? false
        // At the live edge a segment may be announced a moment before it is there.
        case .notFound: true
        case .tooLarge, .badAddress, .abandoned, .cancelled: false
        }
    }

    /// One line.
    public var description: String { "\(place): \(code.rawValue)" + (status.map { " (\($0))" } ?? "") }

    /// A URL that can be shown.
    static func place(_ url: String) -> String {
        var text = url.prefix { $0 != "?" && $0 != "#" }
        // What is before an @ in the authority, which ends with the first slash behind scheme://.
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
            let authority = text.index(colon, offsetBy: 3)
            let end = text[authority...].firstIndex(of: "/") ?? text.endIndex
            if let at = text[authority..<end].lastIndex(of: "@") { text.removeSubrange(authority...at) }
        }
        return String(text.prefix(300))
    }
}
