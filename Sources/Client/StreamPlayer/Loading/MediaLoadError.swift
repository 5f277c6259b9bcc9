import HLSPlaylist

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
        /// The server redirects in a loop, or too many times.
        case redirects
        /// The server's certificate is not trusted, or the server requires a client certificate.
        case untrusted
        /// The Content-Encoding of the response is not supported, or the body is not valid in it.
        case encoding
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
    /// A reason that is more specific than the code, without the URL; nil for the general description of the code.
    public let reason: String?
    /// The delay before the next attempt that the server requires (Retry-After).
    public let retryAfter: Duration?

    /// Creates an error for a URL.
    public init(
        _ code: Code,
        _ url: String,
        status: Int? = nil,
        reason: String? = nil,
        retryAfter: Duration? = nil
    ) {
        (self.code, self.status, self.reason, self.retryAfter) = (code, status, reason, retryAfter)
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
        case .tooLarge, .badAddress, .redirects, .untrusted, .encoding, .damaged, .abandoned, .cancelled: false
        }
    }

    /// True if the server or the connection may only be interrupted, regardless of the resource.
    var isInterruption: Bool {
        switch code {
        case .noConnection, .deadline, .status: isTemporary
        default: false
        }
    }

    /// The description of the error, without the URL.
    public var explanation: String {
        if let reason { return reason }
        if let status, code == .status || code == .notFound { return "the server responded with status \(status)" }
        return switch code {
        case .noConnection: "the connection failed or was interrupted"
        case .deadline: "the server did not respond in time, or stopped sending"
        case .tooLarge: "the resource is larger than the limit"
        case .badAddress: "the URL is not supported"
        case .redirects: "the server redirects in a loop, or too many times"
        case .untrusted: "the server's certificate is not trusted"
        case .encoding: "the Content-Encoding of the response cannot be decoded"
        case .notFound: isLocal ? "the file does not exist, or cannot be read" : "the resource does not exist"
        case .status: "the server responded with an error status"
        case .wrongRange: "the response does not contain the requested bytes"
        case .damaged: "the file has changed since it was downloaded"
        case .abandoned: "the download was ended"
        case .cancelled: "the request was cancelled"
        }
    }

    /// The URL and the explanation, on one line.
    public var description: String { "\(place): \(explanation)" }

    /// Returns a URL in a form that can be logged. A `data:` URI can contain a content key.
    static func place(_ url: String) -> String {
        guard URIReference.scheme(of: url) != "data" else { return "data:…" }
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
