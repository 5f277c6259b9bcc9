package import KeyStore

/// The permissions of a playback request, from a valid token or from the operator's webhook.
package struct PlaybackAuthorization: Sendable, Equatable {
    /// The account that limits apply to, 1 to 200 bytes: `sub`.
    package var account: String
    /// True if the account is unknown: each device then counts as a separate account.
    package var isAnonymous = false
    /// The expiry time of the permission, in Unix seconds: `exp`.
    package var expires: Int64
    /// The latest expiry time of keys, in Unix seconds: `notAfter`.
    package var notAfter: Int64?
    /// The permitted asset IDs, as text; nil if a title determines them, or all are permitted: `assets`.
    package var assets: [String]?
    /// The title whose tracks are permitted: `title`.
    package var title: String?
    /// The name of a stored policy to merge with the content's: `policy`.
    package var policyName: String?
    /// True if the token's policy may be less strict than the content's. This is a setting of the issuer, never a
    /// claim.
    package var allowPolicyOverride = false
    /// The only permitted device, by its hash, in hexadecimal digits as in the audit log and `/admin`: `device`.
    package var device: [UInt8]?
    /// True if a persistent key is permitted; nil means that the policy determines it: `persist`.
    package var persist: Bool?
    /// The start of the rental, in Unix seconds: `rentalStart`.
    package var rentalStart: Int64?
    /// The binding of a token to its first account, device and session: `once` and `jti`.
    package var binding: TokenBindingClaim?

    /// Creates an authorization without limits.
    package init(account: String, expires: Int64) {
        self.account = account
        self.expires = expires
    }

    /// The account, if it is known before the SPC is decrypted.
    var knownAccount: String? { isAnonymous ? nil : account }
}

/// The part of a request that an authorizer uses.
package struct PlaybackRequest: Sendable {
    /// The facts of the HTTP request.
    package var facts: RequestFacts
    /// The token, if any.
    package var token: String?
    /// Fields of the request's body for the webhook, by name.
    package var fields: [String: String] = [:]
    /// The registered asset ID that the request is for: that of the client's request, or for an authorizer that needs
    /// the SPC, that of the SPC; nil if neither is known, and for a batch.
    package var assetID: [UInt8]?
    /// The properties that the device reports in its SPC, for an authorizer that needs them; nil without an SPC.
    package var device: DeviceInformation?

    /// The time of the request, in Unix seconds.
    package var now: Int64 { facts.now }

    init(_ facts: RequestFacts, token: String?, assetID: [UInt8]? = nil) {
        self.facts = facts
        self.token = token
        self.assetID = assetID
    }
}

/// A type that authorizes license requests. It fails closed: if there is no decision, the request is refused.
package protocol PlaybackAuthorizer: Sendable {
    /// Returns the authorization of a request.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized` or a related type, or `unavailable` if no decision is
    ///   possible.
    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization

    /// True if the authorizer uses what an SPC contains, so that SPCs are decrypted before ``authorize(_:)``. False if a
    /// valid token is required first.
    var needsSPC: Bool { get }

    /// Checks what can be checked without input and output before an SPC is decrypted, if ``needsSPC``.
    ///
    /// - Throws: ``ProblemDocument``.
    func precheck(_ request: PlaybackRequest) throws(ProblemDocument)

    /// Fetches data that decisions depend on, if it is missing: used at startup and for readiness.
    ///
    /// - Returns: The names of unavailable sources, for the operator; empty if requests can be decided.
    func warmUp() async -> [String]

    /// The condition of the sources that decisions depend on, for the metrics.
    var condition: AuthorizerCondition { get }
}

/// The condition of the sources that an authorizer depends on.
package struct AuthorizerCondition: Sendable {
    /// The state of a circuit breaker.
    package enum Breaker: String, Sendable, CaseIterable {
        /// Requests are sent to the service.
        case closed
        /// No requests are sent to the service.
        case open
        /// One request is sent, to determine whether the service has recovered.
        case halfOpen = "half-open"
    }

    /// The age of each issuer's keys; issuers whose keys have never been fetched are missing.
    package var keyAges: [String: Duration] = [:]
    /// The state of the webhook's circuit breaker; nil if there is no webhook.
    package var breaker: Breaker?

    /// Creates a condition without sources.
    package init() {}
}

extension PlaybackAuthorizer {
    /// The condition of an authorizer without sources.
    package var condition: AuthorizerCondition { AuthorizerCondition() }

    /// False: the request is authorized before its SPC is decrypted.
    package var needsSPC: Bool { false }

    /// Accepts every request.
    package func precheck(_ request: PlaybackRequest) throws(ProblemDocument) {}

    /// Does nothing and returns an empty array.
    package func warmUp() async -> [String] { [] }
}
