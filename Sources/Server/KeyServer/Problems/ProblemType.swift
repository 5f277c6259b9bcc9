package import HTTPTypes

/// Everything that a request can come to besides success: the whole list. Clients tell problems apart by the URI, which
/// never changes its meaning; title and status belong to the type.
package struct ProblemType: Sendable, Hashable {
    /// The last part of the URI, in kebab-case.
    package let name: String
    /// The same words for every problem of the type.
    package let title: String
    /// The status of the answer.
    package let status: HTTPResponse.Status

    /// Identifies the type: `urn:keyway:problem:` and the name.
    package var uri: String { "urn:keyway:problem:\(name)" }

    /// Whether the request is refused, and not the server in trouble.
    var isClientsFault: Bool { status.kind == .clientError }
}

extension ProblemType {
    // The request as such.

    /// The body, a field or a parameter cannot be read.
    package static let malformedRequest = Self("malformed-request", "The request cannot be read", .badRequest)
    /// The Content-Type is missing or none that the route takes.
    package static let unsupportedMediaType = Self(
        "unsupported-media-type",
        "The route does not take this Content-Type",
        .unsupportedMediaType
    )
    /// The body is larger than the route takes.
    package static let bodyTooLarge = Self("body-too-large", "The body is too large", .contentTooLarge)
    /// The body did not arrive in time.
    package static let requestTimeout = Self("request-timeout", "The request took too long to arrive", .requestTimeout)
    /// The body comes in a transfer coding other than `chunked`.
    package static let unsupportedTransferCoding = Self(
        "unsupported-transfer-coding",
        "The server does not implement this transfer coding",
        .notImplemented
    )
    /// There is no such route.
    package static let notFound = Self("not-found", "There is nothing at this path", .notFound)
    /// The path is known, and not with this method. `Allow` says which.
    package static let methodNotAllowed = Self(
        "method-not-allowed",
        "The path does not take this method",
        .methodNotAllowed
    )

    // Who asks.

    /// No token, or one that is not valid.
    package static let unauthorized = Self("unauthorized", "The request carries no valid token", .unauthorized)
    /// The token is valid and does not allow this.
    package static let forbidden = Self("forbidden", "The token does not allow this", .forbidden)
    /// The signed URL of a key has ended.
    package static let keyURLExpired = Self("key-url-expired", "The URL of the key has expired", .forbidden)
    /// The URL of a key is not signed by a secret that this server knows, or is not the one that was signed.
    package static let keyURLSignature = Self("key-url-signature", "The signature of the URL is wrong", .forbidden)
    /// A playback request without a token.
    package static let tokenMissing = Self("token-missing", "The request carries no token", .unauthorized)
    /// The token is no JWT in compact form, is too large, or has a header that must not be ignored.
    package static let tokenMalformed = Self("token-malformed", "The token cannot be read", .unauthorized)
    /// The token's `alg` is none, or not one for its issuer or its key.
    package static let tokenAlgorithm = Self(
        "token-algorithm",
        "The token is signed in a way that is not allowed",
        .unauthorized
    )
    /// The signature is not the key's over this token.
    package static let tokenSignature = Self("token-signature", "The token's signature is wrong", .unauthorized)
    /// The issuer has no such key.
    package static let tokenUnknownKey = Self("token-unknown-key", "The token's key is not known", .unauthorized)
    /// Nobody that this server trusts is called so.
    package static let tokenIssuer = Self("token-issuer", "The token's issuer is not known", .unauthorized)
    /// The token is for another service.
    package static let tokenAudience = Self("token-audience", "The token is for another service", .unauthorized)
    /// The token's time is over.
    package static let tokenExpired = Self("token-expired", "The token has expired", .unauthorized)
    /// The token's time has not begun.
    package static let tokenNotYetValid = Self("token-not-yet-valid", "The token is not valid yet", .unauthorized)
    /// A claim is missing or of the wrong type; the document's `reason` names it.
    package static let tokenClaims = Self(
        "token-claims",
        "A claim of the token is missing or cannot be read",
        .unauthorized
    )
    /// The token is for another asset or title.
    package static let tokenAsset = Self("token-asset", "The token is for another asset", .forbidden)
    /// The token is for another device.
    package static let tokenDevice = Self("token-device", "The token is for another device", .forbidden)

    /// There were too many requests of this account or address. `Retry-After` says when to come back.
    package static let rateLimited = Self("rate-limited", "There are too many requests", .tooManyRequests)

    // The SPC.

    /// Decryption, integrity or parsing failed: which one of them is for the audit log alone.
    package static let unreadableSPC = Self("unreadable-spc", "The SPC cannot be opened", .badRequest)
    /// The SPC was made for a certificate that this server does not have.
    package static let unknownCertificate = Self(
        "unknown-certificate",
        "The SPC was made for a certificate that this server does not have",
        .badRequest
    )
    /// The SPC's version needs a vendor's library that is not configured.
    package static let unsupportedSPCVersion = Self(
        "unsupported-spc-version",
        "This server does not serve SPCs of this version",
        .badRequest
    )
    /// Device and server share no protocol version, or a newer one was suppressed.
    package static let protocolVersion = Self(
        "protocol-version",
        "Device and server do not agree on a protocol version",
        .badRequest
    )
    /// The asset ID in the request is not the SPC's.
    package static let assetMismatch = Self(
        "asset-mismatch",
        "The request names another asset than its SPC",
        .forbidden
    )

    // The license.

    /// There is no key for the asset.
    package static let unknownAsset = Self("unknown-asset", "There is no key for this asset", .notFound)
    /// The policy says no; the document's `reason` says which rule.
    package static let refusedByPolicy = Self("refused-by-policy", "The license is refused", .forbidden)

    /// The same request was answered before, and not just now.
    package static let replayed = Self("replayed", "This request has been answered before", .conflict)
    /// A token for one use was used elsewhere.
    package static let tokenBoundElsewhere = Self(
        "token-bound-elsewhere",
        "The token belongs to another device or session",
        .forbidden
    )
    /// As many devices hold a key at once as may.
    package static let streamsExceeded = Self("streams-exceeded", "Too many streams at once", .forbidden)
    /// The account has as many devices as it may.
    package static let devicesExceeded = Self("devices-exceeded", "Too many devices", .forbidden)

    // Administration.

    /// What was to be created exists, or what was to be deleted is in use.
    package static let conflict = Self("conflict", "This contradicts what is stored", .conflict)

    // Encoders.

    /// The CPIX document is well-formed, and asks for what is not served; the document's `reason` says which rule.
    package static let unacceptableCPIX = Self(
        "unacceptable-cpix",
        "The CPIX document cannot be served",
        .unprocessableContent
    )

    // The server's own trouble.

    /// More work waits than can be done in useful time. `Retry-After` says when to come back.
    package static let overloaded = Self("overloaded", "The server is busy", .serviceUnavailable)
    /// Something that the server depends on does not answer.
    package static let unavailable = Self("unavailable", "The server cannot answer at the moment", .serviceUnavailable)
    /// A fault of the server; the log has the rest.
    package static let internalError = Self("internal-error", "The server has failed", .internalServerError)

    /// Every type, in the order of this file.
    package static let all: [ProblemType] = [
        .malformedRequest, .unsupportedMediaType, .bodyTooLarge, .requestTimeout,
        .unsupportedTransferCoding, .notFound, .methodNotAllowed,
        .unauthorized, .forbidden, .keyURLExpired, .keyURLSignature, .tokenMissing, .tokenMalformed, .tokenAlgorithm,
        .tokenSignature, .tokenUnknownKey,
        .tokenIssuer, .tokenAudience, .tokenExpired, .tokenNotYetValid, .tokenClaims, .tokenAsset, .tokenDevice,
        .rateLimited,
        .unreadableSPC, .unknownCertificate, .unsupportedSPCVersion, .protocolVersion, .assetMismatch,
        .unknownAsset, .refusedByPolicy, .replayed, .tokenBoundElsewhere, .streamsExceeded, .devicesExceeded,
        .conflict, .unacceptableCPIX,
        .overloaded, .unavailable, .internalError,
    ]

    private init(_ name: String, _ title: String, _ status: HTTPResponse.Status) {
        self.name = name
        self.title = title
        self.status = status
    }
}
