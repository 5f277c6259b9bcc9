import NIOCore
import StreamPlayer

/// What asks servers: one exchange, redirects followed, nothing tried again.
protocol DownloadTransport: Sendable {
    /// Asks, and waits for the head of the answer.
    func open(_ request: DownloadRequest) async throws(MediaLoadError) -> DownloadAnswer
}

/// What is asked for.
struct DownloadRequest: Sendable, Hashable {
    var url: String
    /// From which byte on; nil: everything.
    var from: UInt64?
    /// The first byte that is not wanted any more; nil: up to the end.
    var to: UInt64?
    /// What must still hold for `from` to count: If-Range.
    var ifRange: String?

    /// The Range header field (RFC 9110, section 14.2); nil for everything.
    var range: String? {
        from.map { "bytes=\($0)-" + (to.map { "\($0 - 1)" } ?? "") }
    }
}

/// The head of an answer, and the way to its body.
struct DownloadAnswer: Sendable {
    /// Which bytes a 206 has: Content-Range (section 14.4).
    struct Part: Sendable, Hashable {
        let range: Range<UInt64>
        /// The size of the whole; nil where the server does not say it.
        let total: UInt64?
    }

    var status: Int
    /// Where it came from in the end, after redirects.
    var url: String
    var validators = Validators()
    /// Content-Length.
    var length: UInt64?
    var part: Part?
    /// Retry-After in seconds. A date is taken for none: the time of day of this machine may be wrong.
    var retryAfter: Duration?
    /// The next bytes of the body; nil at its end. One call at a time.
    var body: @Sendable () async throws(MediaLoadError) -> ByteBuffer?
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
