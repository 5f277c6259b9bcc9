import ContentKeySession
import KeyServerModule
import TextCoding

/// A refusal of a ``TestKeyServer``, with the types and statuses of Keyway's server.
struct TestProblem: Error, Hashable {
    let status: Int
    let name: String
    var detail: String?
    var reason: String?
    var retryAfter: Duration?
    /// True if a batch response omits the item. A single request gets the status.
    var isOmitted = false

    init(_ status: Int, _ name: String, detail: String? = nil, reason: String? = nil, retryAfter: Duration? = nil) {
        (self.status, self.name, self.detail, self.reason) = (status, name, detail, reason)
        self.retryAfter = retryAfter
    }

    /// Creates the problem for an error of the Key Server Module, as the server does.
    init(_ error: KSMError) {
        guard !error.isServerFailure else {
            self.init(503, "unavailable", retryAfter: .seconds(5))
            return
        }
        guard !error.isUnreadable else {
            self.init(400, "unreadable-spc")
            return
        }
        switch (error.stage, error.code) {
        case (.container, .spcVersion3), (.container, KSMError.Code(rawValue: "unsupported-version")):
            self.init(400, "unsupported-spc-version")
        case (.certificate, _): self.init(400, "unknown-certificate")
        case (.version, let code): self.init(400, "protocol-version", reason: code.rawValue)
        case (.policy, .assetIDMismatch): self.init(403, "asset-mismatch")
        case (.policy, .policyInvalid), (.policy, .streamIDMissing), (.policy, .contentOutOfScope):
            self.init(403, "refused-by-policy", reason: error.code.rawValue)
        case (.policy, let code):
            self.init(403, "refused-by-policy", detail: error.reason, reason: code.rawValue)
        default: self.init(400, "unreadable-spc")
        }
    }

    /// Returns a problem type that fits a status.
    static func usualName(for status: Int) -> String {
        switch status {
        case 401: "token-expired"
        case 402, 403: "refused-by-policy"
        case 404: "unknown-asset"
        case 409: "replayed"
        case 413: "body-too-large"
        case 429: "rate-limited"
        case 503: "overloaded"
        case 500...599: "internal-error"
        default: "malformed-request"
        }
    }

    /// The problem document.
    var json: JSONValue {
        .object([
            "type": .string("urn:keyway:problem:\(name)"),
            "title": .string(Self.titles[name] ?? "The request is refused"),
            "status": .integer(status),
            "detail": detail.map { .string($0) },
            "reason": reason.map { .string($0) },
        ])
    }

    /// The response with the problem document.
    var response: KeyTransportResponse {
        var headers: [KeyTransportHeader] = [
            .init("Content-Type", "application/problem+json"), .init("Cache-Control", "no-store"),
        ]
        if status == 401 { headers.append(.init("WWW-Authenticate", "Bearer")) }
        if let retryAfter { headers.append(.init("Retry-After", String(retryAfter.components.seconds))) }
        return KeyTransportResponse(status: status, headers: headers, body: json.encoded())
    }

    /// The titles of the server's problem types that occur here.
    private static let titles = [
        "malformed-request": "The request cannot be parsed",
        "unsupported-media-type": "The route does not accept this Content-Type",
        "body-too-large": "The body is too large",
        "not-found": "Not found",
        "method-not-allowed": "The path does not accept this method",
        "token-missing": "The request has no token",
        "token-signature": "The token's signature is invalid",
        "token-expired": "The token has expired",
        "rate-limited": "Too many requests",
        "unreadable-spc": "The SPC cannot be opened",
        "unknown-certificate": "The SPC was made for a certificate that this server does not have",
        "unsupported-spc-version": "This server does not support this SPC version",
        "protocol-version": "The device and the server have no protocol version in common",
        "asset-mismatch": "The asset ID of the request differs from the SPC's",
        "unknown-asset": "There is no key for this asset",
        "refused-by-policy": "The license is refused",
        "replayed": "This request has been answered before",
        "overloaded": "The server is overloaded",
        "unavailable": "The server is temporarily unavailable",
        "internal-error": "Internal server error",
    ]
}
