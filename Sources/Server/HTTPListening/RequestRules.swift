package import NIOHTTP1

/// Rules of RFC 9112 that NIO's decoder does not enforce.
///
/// The decoder checks the syntax: spaces before a colon, folded lines, control characters, conflicting lengths. These
/// rules check the meaning of header fields. If a proxy and this server interpreted a request differently, a client could
/// send requests that bypass the rules of the proxy (request smuggling).
package enum RequestRules {
    /// The reason to refuse a request.
    package enum Problem: Hashable, Sendable {
        /// The request is malformed (400). The text is a sentence for the client.
        case malformed(String)
        /// The request has a transfer coding other than chunked (501).
        case unsupportedTransferCoding
    }

    /// Returns the reason to refuse a request before it is processed; nil if it is valid.
    package static func problem(with head: HTTPRequestHead) -> Problem? {
        let hosts = head.headers["host"]
        if hosts.count > 1 || hosts.isEmpty && !isHTTP10(head) {
            return .malformed("The request must have exactly one Host header field.")
        }
        if let host = hosts.first, !isHostHeaderValue(host.utf8) {
            return .malformed("The Host header field must be a host with an optional port.")
        }
        guard isTarget(head) else {
            return .malformed(
                "The request target must be a path that starts with a slash, an http or https URL, or * for OPTIONS."
            )
        }
        return transferCodingProblem(with: head)
    }

    /// Returns the problem for an error of the decoder.
    package static func problem(with error: HTTPParserError) -> Problem {
        switch error {
        case .headerOverflow:
            .malformed("The request target or the header fields are too long, or there are too many header fields.")
        case .unexpectedContentLength, .invalidContentLength:
            .malformed("Content-Length must be a single number and must not be sent with Transfer-Encoding.")
        case .invalidHeaderToken:
            .malformed("A header field has a space before its colon, a control character, or a line break.")
        default: .malformed("The request is not valid HTTP/1.1.")
        }
    }

    /// Returns whether the request uses HTTP/1.0.
    static func isHTTP10(_ head: HTTPRequestHead) -> Bool { head.version.minor == 0 }

    /// Returns whether the connection is closed after this request: the client requests that, the request uses HTTP/1.0,
    /// or it is a CONNECT request or has an Upgrade header field, after which the decoder stops.
    static func closesConnection(_ head: HTTPRequestHead) -> Bool {
        isHTTP10(head) || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
    }

    /// Returns whether the client waits for `100 Continue` before it sends the body, which HTTP/1.0 does not support.
    static func expectsContinue(_ head: HTTPRequestHead) -> Bool {
        !isHTTP10(head) && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Returns whether the text is `uri-host [ ":" port ]` or empty (RFC 9110, 7.2).
    private static func isHostHeaderValue(_ host: String.UTF8View) -> Bool {
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

    /// Returns whether the request target is a path, an http or https URL with a host, or `*` with OPTIONS.
    private static func isTarget(_ head: HTTPRequestHead) -> Bool {
        if head.uri.utf8.first == UInt8(ascii: "/") { return true }
        if head.uri == "*" { return head.method == .OPTIONS }
        guard let colon = head.uri.firstRange(of: "://") else { return false }
        let next = head.uri[colon.upperBound...].utf8.first
        return ["http", "https"].contains(head.uri[..<colon.lowerBound].lowercased())
            && next.map { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") } ?? false
    }

    /// Returns the problem with the transfer coding; nil if the request has none, or only `chunked`. If `chunked` follows
    /// other codings, the request is well-formed but not supported (501). In all other cases the request is malformed,
    /// because the end of the body cannot be determined (RFC 9112, 6.1 and 6.3). `identity` is also malformed, because
    /// HTTP no longer defines it.
    private static func transferCodingProblem(with head: HTTPRequestHead) -> Problem? {
        let fields = head.headers["transfer-encoding"]
        guard !fields.isEmpty else { return nil }
        guard !isHTTP10(head) else { return .malformed("HTTP/1.0 does not support Transfer-Encoding.") }
        let codings = fields.joined(separator: ",").lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { String($0.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
        if codings == ["chunked"] { return nil }
        let others = codings.dropLast()
        guard codings.last == "chunked", others.allSatisfy({ isToken($0) && $0 != "chunked" && $0 != "identity" })
        else {
            return .malformed("The Transfer-Encoding header field must be exactly `chunked`.")
        }
        return .unsupportedTransferCoding
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
