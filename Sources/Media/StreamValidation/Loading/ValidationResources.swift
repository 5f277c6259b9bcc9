/// The resources of a presentation: files, HTTP, or what a test wants.
public protocol ValidationResources: Sendable {
    /// Loads a resource.
    ///
    /// - Throws: ``ResourceFailure`` if it cannot be loaded, or is larger than the request allows.
    func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource

    /// Observes the TLS of a host that has delivered resources; nil, the default, if that is not possible.
    func observeTLS(of host: TLSHost) async -> TLSObservation?
}

extension ValidationResources {
    /// Returns nil: nothing is known.
    public func observeTLS(of host: TLSHost) async -> TLSObservation? { nil }
}

/// A request for a resource of a presentation.
public struct StreamResourceRequest: Hashable, Sendable {
    /// The purpose of the resource.
    public enum Purpose: String, Hashable, Sendable {
        /// A playlist.
        case playlist
        /// An init segment (EXT-X-MAP).
        case initialization
        /// A media segment.
        case segment
        /// A JSON document: session data, a steering manifest, an asset list.
        case document
    }

    /// The resolved URI or path.
    public var url: String
    /// The range of bytes to load; nil for the whole resource. A range that ends at `UInt64.max` is the rest of a resource that may
    /// still be being written.
    public var byteRange: Range<UInt64>?
    /// The purpose of the resource.
    public var purpose: Purpose
    /// The maximum size in bytes.
    public var maximumSize: Int

    /// Creates a request.
    public init(url: String, byteRange: Range<UInt64>? = nil, purpose: Purpose, maximumSize: Int) {
        (self.url, self.byteRange) = (url, byteRange)
        (self.purpose, self.maximumSize) = (purpose, maximumSize)
    }
}

/// A loaded resource.
public struct LoadedResource: Sendable {
    /// The URL after redirections, or the path.
    public var url: String
    /// The bytes.
    public var bytes: [UInt8]
    /// The observations of the HTTP response; nil for files.
    public var http: HTTPObservation?

    /// Creates a resource.
    public init(url: String, bytes: [UInt8], http: HTTPObservation? = nil) {
        (self.url, self.bytes, self.http) = (url, bytes, http)
    }
}

/// The observations of an HTTP response. A value that is not known is nil, and violates no rule.
public struct HTTPObservation: Hashable, Sendable {
    /// The value of Content-Type.
    public var contentType: String?
    /// The value of Content-Encoding.
    public var contentEncoding: String?
    /// The number of redirections.
    public var redirections = 0
    /// True if the connection was encrypted.
    public var isSecure: Bool?
    /// The status code.
    public var status: Int?
    /// The major version of HTTP, such as 2.
    public var majorVersion: Int?
    /// The value of Cache-Control.
    public var cacheControl: String?
    /// The time from Last-Modified to Date in seconds.
    public var secondsSinceModification: Double?

    /// Creates an observation in which nothing is known.
    public init() {}
}

/// The reason why a resource could not be loaded.
public struct ResourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status, if there was a response.
    public var status: Int?
    /// The reason, as a part of a sentence. It contains no credentials.
    public var reason: String

    /// Creates a failure.
    public init(status: Int? = nil, reason: String) { (self.status, self.reason) = (status, reason) }

    /// The reason.
    public var description: String { reason }
}
