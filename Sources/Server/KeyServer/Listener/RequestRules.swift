import NIOHTTP1

/// Rules of RFC 9112 that NIO's decoder does not enforce.
///
/// The decoder checks the syntax: spaces before a colon, folded lines, control characters, conflicting lengths. These
/// rules check the meaning of header fields. If two servers in a chain interpreted a request differently, one of them
/// could be bypassed (request smuggling).
enum RequestRules {
    /// Returns the reason to refuse a request before it is processed; nil if it is valid.
    static func problem(with head: HTTPRequestHead) -> ProblemDocument? {
        let hosts = head.headers["host"]
        if hosts.count > 1 || hosts.isEmpty && !isOld(head) {
            return .malformed("The request must have exactly one Host header field.")
        }
        if let host = hosts.first, !isHost(host.utf8) {
            return .malformed("The Host header field must be a host with an optional port.")
        }
        guard isTarget(head) else {
            return .malformed("The request target must be a path that starts with a slash, or an http URL.")
        }
        return transferCoding(head)
    }

    /// Returns the problem for an error of the decoder.
    static func problem(with error: HTTPParserError) -> ProblemDocument {
        switch error {
        case .headerOverflow: .malformed("The request target or the header fields are too long, or there are too many.")
        case .unexpectedContentLength, .invalidContentLength:
            .malformed("The Content-Length header field must be one number, and not be sent with Transfer-Encoding.")
        case .invalidHeaderToken:
            .malformed("A header field has a space before its colon, a control character, or a line break.")
        default: .malformed("The request is not valid HTTP/1.1.")
        }
    }

    /// Returns whether the client speaks HTTP/1.0.
    static func isOld(_ head: HTTPRequestHead) -> Bool { head.version.minor == 0 }

    /// Whether this is the last request of the connection: the client requests that, uses HTTP/1.0, or requests a
    /// change of the protocol, after which the decoder stops.
    static func isLast(_ head: HTTPRequestHead) -> Bool {
        isOld(head) || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
    }

    /// Returns whether the client waits for `100 Continue` before it sends the body, which HTTP/1.0 does not support.
    static func waitsToContinue(_ head: HTTPRequestHead) -> Bool {
        !isOld(head) && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Returns whether the text is `uri-host [ ":" port ]` or empty (RFC 9110, 7.2).
    private static func isHost(_ host: String.UTF8View) -> Bool {
        var rest = host[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")),
                rest[..<end].dropFirst().allSatisfy({ isHostByte($0) || $0 == UInt8(ascii: ":") })
            else { return false }
            rest = rest[end...].dropFirst()
        } else {
            rest = rest.drop { isHostByte($0) }
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: "-._~%!$&'()*+,;=".utf8.contains(byte)
        }
    }

    private static func isTarget(_ head: HTTPRequestHead) -> Bool {
        if head.uri.utf8.first == UInt8(ascii: "/") { return true }
        if head.uri == "*" { return head.method == .OPTIONS }
        guard let colon = head.uri.firstRange(of: "://") else { return false }
        let next = head.uri[colon.upperBound...].utf8.first
        return ["http", "https"].contains(head.uri[..<colon.lowerBound].lowercased())
            && next.map { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") } ?? false
    }

    /// Checks the transfer coding. Only `chunked` is supported. A list that ends with it is well-formed but not
    /// implemented (501). In any other list the end of the body cannot be determined (RFC 9112, 6.1 and 6.3), which is
    /// why `identity` was removed from HTTP.
    private static func transferCoding(_ head: HTTPRequestHead) -> ProblemDocument? {
        let fields = head.headers["transfer-encoding"]
        guard !fields.isEmpty else { return nil }
        guard !isOld(head) else { return .malformed("HTTP/1.0 does not support Transfer-Encoding.") }
        let codings = fields.joined(separator: ",").lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { String($0.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
        if codings == ["chunked"] { return nil }
        let others = codings.dropLast()
        guard codings.last == "chunked", others.allSatisfy({ isToken($0) && $0 != "chunked" && $0 != "identity" })
        else {
            return .malformed("The Transfer-Encoding header field must be chunked, once.")
        }
        return ProblemDocument(
            .unsupportedTransferCoding,
            detail: "Only the transfer coding chunked is supported."
        )
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension ProblemDocument {
    fileprivate static func malformed(_ detail: String) -> Self { Self(.malformedRequest, detail: detail) }
}
