public import HTTPTypes

/// Everything that a request can come to besides success: the whole list. Clients tell problems apart by the URI, which
/// never changes its meaning; title and status belong to the type.
public struct ProblemType: Sendable, Hashable {
    /// The last part of the URI, in kebab-case.
    public let name: String
    /// The same words for every problem of the type.
    public let title: String
    /// The status of the answer.
    public let status: HTTPResponse.Status

    /// Identifies the type: `urn:keyway:problem:` and the name.
    public var uri: String { "urn:keyway:problem:\(name)" }
}

extension ProblemType {
    // The request as such.

    /// The body, a field or a parameter cannot be read.
    public static let malformedRequest = Self("malformed-request", "The request cannot be read", .badRequest)
    /// The Content-Type is missing or none that the route takes.
    public static let unsupportedMediaType = Self(
        "unsupported-media-type",
        "The route does not take this Content-Type",
        .unsupportedMediaType
    )
    /// The body is larger than the route takes.
    public static let bodyTooLarge = Self("body-too-large", "The body is too large", .contentTooLarge)
    /// The body did not arrive in time.
    public static let requestTimeout = Self("request-timeout", "The request took too long to arrive", .requestTimeout)
    /// There is no such route.
    public static let notFound = Self("not-found", "There is nothing at this path", .notFound)

    // Who asks.

    /// No token, or one that is not valid.
    public static let unauthorized = Self("unauthorized", "The request carries no valid token", .unauthorized)
    /// The token is valid and does not allow this.
    public static let forbidden = Self("forbidden", "The token does not allow this", .forbidden)

    // The SPC.

    /// Decryption, integrity or parsing failed: which one of them is for the audit log alone.
    public static let unreadableSPC = Self("unreadable-spc", "The SPC cannot be opened", .badRequest)
    /// The SPC was made for a certificate that this server does not have.
    public static let unknownCertificate = Self(
        "unknown-certificate",
        "The SPC was made for a certificate that this server does not have",
        .badRequest
    )
    /// The SPC's version needs a vendor's library that is not configured.
    public static let unsupportedSPCVersion = Self(
        "unsupported-spc-version",
        "This server does not serve SPCs of this version",
        .badRequest
    )
    /// Device and server share no protocol version, or a newer one was suppressed.
    public static let protocolVersion = Self(
        "protocol-version",
        "Device and server do not agree on a protocol version",
        .badRequest
    )
    /// The asset ID in the request is not the SPC's.
    public static let assetMismatch = Self(
        "asset-mismatch",
        "The request names another asset than its SPC",
        .forbidden
    )

    // The licence.

    /// There is no key for the asset.
    public static let unknownAsset = Self("unknown-asset", "There is no key for this asset", .notFound)
    /// The policy says no; the document's `reason` says which rule.
    public static let refusedByPolicy = Self("refused-by-policy", "The licence is refused", .forbidden)

    // Administration.

    /// What was to be created exists, or what was to be deleted is in use.
    public static let conflict = Self("conflict", "This contradicts what is stored", .conflict)

    // The server's own trouble.

    /// More work waits than can be done in useful time. `Retry-After` says when to come back.
    public static let overloaded = Self("overloaded", "The server is busy", .serviceUnavailable)
    /// Something that the server depends on does not answer.
    public static let unavailable = Self("unavailable", "The server cannot answer at the moment", .serviceUnavailable)
    /// A fault of the server; the log has the rest.
    public static let internalError = Self("internal-error", "The server has failed", .internalServerError)

    /// Every type, in the order of this file.
    public static let all: [ProblemType] = [
        .malformedRequest, .unsupportedMediaType, .bodyTooLarge, .requestTimeout, .notFound,
        .unauthorized, .forbidden,
        .unreadableSPC, .unknownCertificate, .unsupportedSPCVersion, .protocolVersion, .assetMismatch,
        .unknownAsset, .refusedByPolicy,
        .conflict,
        .overloaded, .unavailable, .internalError,
    ]

    private init(_ name: String, _ title: String, _ status: HTTPResponse.Status) {
        self.name = name
        self.title = title
        self.status = status
    }
}
