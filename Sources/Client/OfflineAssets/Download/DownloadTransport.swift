public import StreamPlayer

/// Fetches what a download stores, over URLSession on Apple's platforms: one exchange at a time, without retries.
///
/// Redirects are followed, at most a few. The body is handed on as it comes, without decoding: a checksum is of the bytes
/// that are stored.
public protocol DownloadTransport: Sendable {
    /// Sends a request, and waits for the head of its answer.
    ///
    /// - Throws: `MediaLoadError` `no-connection`, `deadline`, `bad-address`, `cancelled`; an answer with any status is
    ///   an answer. It ends soon after its task is cancelled.
    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadAnswer
}

extension DownloadTransport {
    /// Sends a request, and refuses an answer over plain HTTP to a request over HTTPS: a redirect must not lose the
    /// protection that the caller asked for.
    func ask(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadAnswer {
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
    /// How long the head of the answer may take.
    public internal(set) var headTimeout = Duration.seconds(30)
    /// The first byte that is wanted; nil for everything.
    var from: UInt64?
    /// The first byte that is not wanted any more; nil for the rest.
    var to: UInt64?
    /// What must still hold for `from` to count: If-Range.
    var ifRange: String?

    init(url: String, headTimeout: Duration = .seconds(30)) { (self.url, self.headTimeout) = (url, headTimeout) }

    /// The header fields to send: Accept-Encoding, and Range and If-Range (RFC 9110) where a part is wanted.
    public var headers: [(name: String, value: String)] {
        var headers = [(name: "Accept-Encoding", value: "identity")]
        if let range {
            headers.append(("Range", range))
            if let ifRange { headers.append(("If-Range", ifRange)) }
        }
        return headers
    }

    /// The Range header field (RFC 9110, section 14.2); nil for everything.
    var range: String? {
        from.map { "bytes=\($0)-" + (to.map { "\($0 - 1)" } ?? "") }
    }
}

/// The head of an answer, and the way to its body.
public struct DownloadAnswer: Sendable {
    /// Which bytes a 206 has: Content-Range (RFC 9110, section 14.4).
    struct Part: Sendable, Hashable {
        let range: Range<UInt64>
        /// The size of the whole; nil where the server does not say it.
        let total: UInt64?
    }

    var status: Int
    /// The URL that answered, after redirects.
    var url: String
    var validators = Validators()
    /// Content-Length.
    var length: UInt64?
    var part: Part?
    /// Retry-After in seconds. A date is taken for none: the time of day of this machine may be wrong.
    var retryAfter: Duration?
    /// The next bytes of the body; nil at its end. One call at a time.
    var body: @Sendable () async throws(MediaLoadError) -> [UInt8]?
}

extension DownloadAnswer {
    /// Describes an answer.
    ///
    /// - Parameters:
    ///   - status: The status, 200 to 599.
    ///   - url: The URL that answered, after redirects.
    ///   - header: The value of a header field, looked up by its name in any case; nil where it is missing.
    ///   - body: Returns the next bytes of the body, in parts of any size; nil at its end. It is called by one task, one
    ///     call at a time, and possibly never or not to the end: what it holds must be released with it.
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

extension DownloadAnswer.Part {
    /// Content-Range: `bytes 0-99/1000`; nil for anything else.
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
