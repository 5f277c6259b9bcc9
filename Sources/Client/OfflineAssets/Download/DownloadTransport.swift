public import StreamPlayer

/// A transport for downloads, such as URLSession on Apple's platforms: one exchange at a time, without retries.
///
/// It follows a small number of redirects. It returns the body in parts as they arrive, without decoding, because
/// checksums are computed over the stored bytes.
public protocol DownloadTransport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// - Throws: `MediaLoadError` `no-connection`, `deadline`, `bad-address` or `cancelled`. A response with any status
    ///   is returned, not thrown. The call returns soon after its task is cancelled.
    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse
}

extension DownloadTransport {
    /// Sends a request, and rejects a response over plain HTTP to a request over HTTPS: a redirect must not remove the
    /// protection.
    func openSecurely(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadResponse {
        let answer = try await open(request)
        if request.url.lowercased().hasPrefix("https:"), !answer.url.lowercased().hasPrefix("https:") {
            throw MediaLoadError(.badAddress, answer.url)
        }
        return answer
    }
}

/// A GET request of a download.
public struct DownloadRequest: Sendable, Hashable {
    /// The absolute URL, `http:` or `https:`.
    public let url: String
    /// The timeout for the head of the response.
    public internal(set) var headTimeout = Duration.seconds(30)
    /// The offset of the first requested byte; nil requests the whole resource.
    var from: UInt64?
    /// The offset after the last requested byte; nil means the end of the resource.
    var to: UInt64?
    /// The If-Range condition under which the range applies.
    var ifRange: String?

    init(url: String, headTimeout: Duration = .seconds(30)) { (self.url, self.headTimeout) = (url, headTimeout) }

    /// The header fields to send: Accept-Encoding, and for a range also Range and If-Range (RFC 9110).
    public var headers: [(name: String, value: String)] {
        var headers = [(name: "Accept-Encoding", value: "identity")]
        if let range {
            headers.append(("Range", range))
            if let ifRange { headers.append(("If-Range", ifRange)) }
        }
        return headers
    }

    /// The Range header field (RFC 9110, section 14.2); nil for the whole resource.
    var range: String? {
        from.map { "bytes=\($0)-" + (to.map { "\($0 - 1)" } ?? "") }
    }
}

/// The head of a response, and access to its body.
public struct DownloadResponse: Sendable {
    /// The byte range of a 206 response: Content-Range (RFC 9110, section 14.4).
    struct Part: Sendable, Hashable {
        let range: Range<UInt64>
        /// The size of the whole resource; nil if the server did not specify it.
        let total: UInt64?
    }

    var status: Int
    /// The URL of the response, after redirects.
    var url: String
    var validators = Validators()
    /// The Content-Length field.
    var length: UInt64?
    var part: Part?
    /// The Retry-After field in seconds. A date is ignored, because the local clock may be wrong; a transport can convert
    /// it with the Date field of the response.
    var retryAfter: Duration?
    /// Returns the next bytes of the body; nil at its end. One call at a time.
    var body: @Sendable () async throws(MediaLoadError) -> [UInt8]?
}

extension DownloadResponse {
    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 to 599.
    ///   - url: The URL of the response, after redirects.
    ///   - header: A function that returns the value of a header field by its case-insensitive name; nil if it is
    ///     missing.
    ///   - body: A function that returns the next bytes of the body, in parts of any size; nil at its end. It is called
    ///     by one task, one call at a time, possibly never or not to the end: its resources must be released together
    ///     with it.
    public init(
        status: Int,
        url: String,
        header: (_ name: String) -> String?,
        body: @escaping @Sendable () async throws(MediaLoadError) -> [UInt8]?
    ) {
        self.init(
            status: status,
            url: url,
            validators: Validators(etag: header("ETag"), lastModified: header("Last-Modified")),
            length: header("Content-Length").flatMap { UInt64($0) },
            part: header("Content-Range").flatMap { Part($0) },
            retryAfter: header("Retry-After").flatMap { UInt64($0) }.map { .seconds(min($0, 86_400)) },
            body: body
        )
    }
}

extension DownloadResponse.Part {
    /// Parses a Content-Range such as `bytes 0-99/1000`; nil for anything else.
    init?(_ field: String) {
        guard field.lowercased().hasPrefix("bytes ") else { return nil }
        let words = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = words.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard words.count == 2, ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last,
            last < .max, words[1] == "*" || UInt64(words[1]).map({ $0 > last }) ?? false
        else { return nil }
        (range, total) = (first..<last + 1, UInt64(words[1]))
    }
}
