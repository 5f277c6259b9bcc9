import NIOHTTP1

/// What RFC 9112 has a server refuse that NIO's decoder lets pass.
///
/// The decoder refuses bytes: spaces before a colon, folded lines, control characters, contradicting lengths. These rules are about
/// what the header fields say. Where two programs on the way understand a request differently, one of them can be passed.
enum RequestRules {
    /// Why a request is refused before it is looked at; nil when nothing is wrong with it.
    static func problem(with head: HTTPRequestHead) -> ProblemDocument? {
        let hosts = head.headers["host"]
        if hosts.count > 1 || hosts.isEmpty && !isOld(head) {
            return .malformed("Send exactly one Host header field.")
        }
        if let host = hosts.first, !isHost(host.utf8) {
            return .malformed("The Host header field takes a host and perhaps a port.")
        }
        guard isTarget(head) else {
            return .malformed("The request target is a path that begins with a slash, or an http URL.")
        }
        return transferCoding(head)
    }

    /// What a client is told of bytes that the decoder refuses.
    static func problem(with error: HTTPParserError) -> ProblemDocument {
        switch error {
        case .headerOverflow: .malformed("The request target or the header fields are too long, or too many.")
        case .unexpectedContentLength, .invalidContentLength:
            .malformed("The Content-Length header field takes one number, and is not sent with Transfer-Encoding.")
        case .invalidHeaderToken:
            .malformed("A header field has a space before its colon, a control character, or a line break in it.")
        default: .malformed("The request is not written as HTTP/1.1 is.")
        }
    }

    /// Whether the client speaks HTTP/1.0.
    static func isOld(_ head: HTTPRequestHead) -> Bool { head.version.minor == 0 }

    /// Whether no other request is read from the connection: the client says so, speaks HTTP/1.0, or means to speak another
    /// protocol next, after which the decoder reads nothing more.
    static func isLast(_ head: HTTPRequestHead) -> Bool {
        isOld(head) || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
    }

    /// Whether the client waits to be told to send the body. HTTP/1.0 does not know that.
    static func waitsToContinue(_ head: HTTPRequestHead) -> Bool {
        !isOld(head) && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// `uri-host [ ":" port ]`, or nothing (RFC 9110, 7.2).
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

    /// `chunked` is the only transfer coding here. A list that ends with it is well-formed and not implemented (501); in any other,
    /// where the body ends is anybody's guess (RFC 9112, 6.1 and 6.3). `identity` was taken out of HTTP for that reason.
    private static func transferCoding(_ head: HTTPRequestHead) -> ProblemDocument? {
        let fields = head.headers["transfer-encoding"]
        guard !fields.isEmpty else { return nil }
        guard !isOld(head) else { return .malformed("HTTP/1.0 has no Transfer-Encoding.") }
        let codings = fields.joined(separator: ",").lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { String($0.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
        if codings == ["chunked"] { return nil }
        let others = codings.dropLast()
        guard codings.last == "chunked", others.allSatisfy({ isToken($0) && $0 != "chunked" && $0 != "identity" })
        else {
            return .malformed("The Transfer-Encoding header field takes chunked, once.")
        }
        return ProblemDocument(
            .unsupportedTransferCoding,
            detail: "Send the body without a transfer coding but chunked."
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
