package import HTTPTypes

/// The type of a problem. ``all`` lists every type. Clients distinguish problems by the URI, whose meaning never
/// changes; the title and the status belong to the type.
package struct ProblemType: Sendable, Hashable {
    /// The last component of the URI, in kebab-case.
    package let name: String
    /// The title, which is the same for every problem of the type.
    package let title: String
    /// The HTTP status of the response.
    package let status: HTTPResponse.Status

    /// The URI that identifies the type: `urn:keyway:problem:` followed by the name.
    package var uri: String { "urn:keyway:problem:\(name)" }

    /// True if the client caused the problem, so that it is not a failure of the server.
    var isClientError: Bool { status.kind == .clientError }
}

extension ProblemType {
    // Malformed requests

    /// The body, a field or a parameter cannot be parsed.
    package static let malformedRequest = Self("malformed-request", "The request cannot be parsed", .badRequest)
    /// The Content-Type is missing, or the route does not accept it.
    package static let unsupportedMediaType = Self(
        "unsupported-media-type",
        "The route does not accept this Content-Type",
        .unsupportedMediaType
    )
    /// The body is larger than the route accepts.
    package static let bodyTooLarge = Self("body-too-large", "The body is too large", .contentTooLarge)
    /// The body did not arrive in time.
    package static let requestTimeout = Self("request-timeout", "The request took too long to arrive", .requestTimeout)
    /// The body has a transfer coding other than `chunked`.
    package static let unsupportedTransferCoding = Self(
        "unsupported-transfer-coding",
        "The server does not support this transfer coding",
        .notImplemented
    )
    /// No route has this path.
    package static let notFound = Self("not-found", "Not found", .notFound)
    /// The path exists, but not with this method. `Allow` lists the methods it accepts.
    package static let methodNotAllowed = Self(
        "method-not-allowed",
        "The path does not accept this method",
        .methodNotAllowed
    )

    // Authentication and authorization

    /// The token is missing or invalid.
    package static let unauthorized = Self("unauthorized", "The request has no valid token", .unauthorized)
    /// The token is valid but does not permit this request.
    package static let forbidden = Self("forbidden", "The token does not permit this request", .forbidden)
    /// The signed key URL has expired.
    package static let keyURLExpired = Self("key-url-expired", "The key URL has expired", .forbidden)
    /// The key URL is not signed with a secret that this server has, or was changed after it was signed.
    package static let keyURLSignature = Self("key-url-signature", "The key URL's signature is invalid", .forbidden)
    /// A playback request has no token.
    package static let tokenMissing = Self("token-missing", "The request has no token", .unauthorized)
    /// The token is not a JWT in compact form, is too large, or has a critical header that the server does not support.
    package static let tokenMalformed = Self("token-malformed", "The token cannot be parsed", .unauthorized)
    /// The token's `alg` is `none`, or is not permitted for its issuer or its key.
    package static let tokenAlgorithm = Self(
        "token-algorithm",
        "The token's signature algorithm is not permitted",
        .unauthorized
    )
    /// The signature does not verify with the key.
    package static let tokenSignature = Self("token-signature", "The token's signature is invalid", .unauthorized)
    /// The issuer does not have the key that the token names.
    package static let tokenUnknownKey = Self("token-unknown-key", "The token's key is unknown", .unauthorized)
    /// The server does not trust the token's issuer.
    package static let tokenIssuer = Self("token-issuer", "The token's issuer is unknown", .unauthorized)
    /// The token's audience is another service.
    package static let tokenAudience = Self("token-audience", "The token is for another service", .unauthorized)
    /// The token's expiration time has passed.
    package static let tokenExpired = Self("token-expired", "The token has expired", .unauthorized)
    /// The token's `nbf` time is in the future.
    package static let tokenNotYetValid = Self("token-not-yet-valid", "The token is not valid yet", .unauthorized)
    /// A claim is missing or has the wrong type; the document's `reason` names it.
    package static let tokenClaims = Self(
        "token-claims",
        "A claim of the token is missing or invalid",
        .unauthorized
    )
    /// The token is for another asset or title.
    package static let tokenAsset = Self("token-asset", "The token is for another asset", .forbidden)
    /// The token is for another device.
    package static let tokenDevice = Self("token-device", "The token is for another device", .forbidden)

    /// The account or the address sent too many requests. `Retry-After` specifies when to retry.
    package static let rateLimited = Self("rate-limited", "Too many requests", .tooManyRequests)

    // SPC

    /// Decryption, integrity check or parsing failed. Only the audit log records which one.
    package static let unreadableSPC = Self("unreadable-spc", "The SPC cannot be opened", .badRequest)
    /// The SPC was made for a certificate that this server does not have.
    package static let unknownCertificate = Self(
        "unknown-certificate",
        "The SPC was made for a certificate that this server does not have",
        .badRequest
    )
    /// The SPC's version requires a vendor's library that is not configured.
    package static let unsupportedSPCVersion = Self(
        "unsupported-spc-version",
        "This server does not support this SPC version",
        .badRequest
    )
    /// The device and the server have no protocol version in common, or the device's newer version was suppressed.
    package static let protocolVersion = Self(
        "protocol-version",
        "The device and the server have no protocol version in common",
        .badRequest
    )
    /// The asset ID in the request differs from the SPC's.
    package static let assetMismatch = Self(
        "asset-mismatch",
        "The asset ID of the request differs from the SPC's",
        .forbidden
    )

    // License

    /// There is no key for the asset.
    package static let unknownAsset = Self("unknown-asset", "There is no key for this asset", .notFound)
    /// The policy refuses the license; the document's `reason` names the rule.
    package static let refusedByPolicy = Self("refused-by-policy", "The license is refused", .forbidden)

    /// The same request was answered before, outside the retry window.
    package static let replayed = Self("replayed", "This request has been answered before", .conflict)
    /// A single-use token was already used by another device or session.
    package static let tokenAlreadyBound = Self(
        "token-already-bound",
        "The token belongs to another device or session",
        .forbidden
    )
    /// The account already has the maximum number of concurrent streams.
    package static let streamsExceeded = Self("streams-exceeded", "Too many concurrent streams", .forbidden)
    /// The account already has the maximum number of devices.
    package static let devicesExceeded = Self("devices-exceeded", "Too many devices", .forbidden)

    // Administration

    /// The record to create already exists, or the record to delete is in use.
    package static let conflict = Self("conflict", "The request conflicts with a stored record", .conflict)

    // Encoders

    /// The CPIX document is well-formed but requests something that is not supported; the document's `reason` names the
    /// rule.
    package static let unacceptableCPIX = Self(
        "unacceptable-cpix",
        "The CPIX document cannot be served",
        .unprocessableContent
    )

    // Server failures

    /// More requests are waiting than the server can answer in time. `Retry-After` specifies when to retry.
    package static let overloaded = Self("overloaded", "The server is overloaded", .serviceUnavailable)
    /// A service that the server depends on does not respond.
    package static let unavailable = Self("unavailable", "The server is temporarily unavailable", .serviceUnavailable)
    /// An internal error of the server; the log has the details.
    package static let internalError = Self("internal-error", "Internal server error", .internalServerError)

    /// Every problem type, in the order of declaration.
    package static let all: [ProblemType] = [
        .malformedRequest, .unsupportedMediaType, .bodyTooLarge, .requestTimeout,
        .unsupportedTransferCoding, .notFound, .methodNotAllowed,
        .unauthorized, .forbidden, .keyURLExpired, .keyURLSignature, .tokenMissing, .tokenMalformed, .tokenAlgorithm,
        .tokenSignature, .tokenUnknownKey,
        .tokenIssuer, .tokenAudience, .tokenExpired, .tokenNotYetValid, .tokenClaims, .tokenAsset, .tokenDevice,
        .rateLimited,
        .unreadableSPC, .unknownCertificate, .unsupportedSPCVersion, .protocolVersion, .assetMismatch,
        .unknownAsset, .refusedByPolicy, .replayed, .tokenAlreadyBound, .streamsExceeded, .devicesExceeded,
        .conflict, .unacceptableCPIX,
        .overloaded, .unavailable, .internalError,
    ]

    private init(_ name: String, _ title: String, _ status: HTTPResponse.Status) {
        self.name = name
        self.title = title
        self.status = status
    }
}
