package import KeyStore

/// What a valid token, or the operator's webhook, says about a playback request: who asks and what for.
package struct PlaybackAuthorization: Sendable, Equatable {
    /// Who is counted, 1 to 200 bytes: `sub`.
    package var account: String
    /// Whether nobody was asked who this is: each device then counts as an account of its own.
    package var isAnonymous = false
    /// When the permission ends, in Unix seconds: `exp`.
    package var expires: Int64
    /// No key that is given may last longer, in Unix seconds: `notAfter`.
    package var notAfter: Int64?
    /// The asset IDs that are allowed, as text; nil where a title decides, or everything is allowed: `assets`.
    package var assets: [String]?
    /// The title whose tracks are allowed: `title`.
    package var title: String?
    /// A stored policy that is merged with the content's: `policy`.
    package var policyName: String?
    /// Whether the token's policy may be looser than the content's. Its issuer has that role, never the token itself.
    package var mayLoosen = false
    /// The only device that may ask, by its hash in hexadecimal digits as the audit log and `/admin` show it: `device`.
    package var device: [UInt8]?
    /// Whether a key to keep may be given; nil leaves it to the policy: `persist`.
    package var persist: Bool?
    /// When the rental began, in Unix seconds: `rentalStart`.
    package var rentalStart: Int64?
    /// For a token that is bound to its first account, device and session: `once` and `jti`.
    package var binding: TokenBindingClaim?

    /// Makes an authorization without limits of its own.
    package init(account: String, expires: Int64) {
        self.account = account
        self.expires = expires
    }
}

/// What an authorizer sees of a request, before its SPC is opened.
package struct PlaybackRequest: Sendable {
    /// The token, from `Authorization: Bearer`; nil when there is none.
    package var token: String?
    /// The asset ID that the client names; nil when it names none.
    package var assetID: [UInt8]?
    /// The client's address.
    package var address: ClientAddress?
    /// The ID that the answer carries.
    package var requestID: String
    /// The time, in Unix seconds.
    package var now: Int64
    /// The trace that the request belongs to, for who is asked about it.
    package var trace: TraceContext?

    /// Makes a request.
    package init(token: String?, assetID: [UInt8]?, address: ClientAddress?, requestID: String, now: Int64) {
        self.token = token
        self.assetID = assetID
        self.address = address
        self.requestID = requestID
        self.now = now
    }
}

/// Decides who may ask for licenses. It fails closed: whatever cannot be decided is refused.
package protocol PlaybackAuthorizer: Sendable {
    /// The authorization of a request.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized` and its kin, or `unavailable` when nobody can be asked.
    func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization

    /// Fetches what deciding needs, if it is not there: for the start, and to tell whether the server is ready.
    ///
    /// - Returns: what cannot be had, by names for the operator; empty when requests can be decided.
    func warmUp() async -> [String]

    /// What deciding depends on, for the metrics.
    var condition: AuthorizerCondition { get }
}

/// In what condition the sources are that an authorizer asks.
package struct AuthorizerCondition: Sendable {
    /// The state of a circuit breaker.
    package enum Breaker: String, Sendable, CaseIterable {
        /// The service is asked.
        case closed
        /// It is left alone.
        case open
        /// One question is on its way, to find out whether it answers.
        case halfOpen = "half-open"
    }

    /// How long ago each issuer's keys were had; an issuer whose keys never were is not there.
    package var keyAges: [String: Duration] = [:]
    /// The webhook's breaker; nil when there is no webhook.
    package var breaker: Breaker?

    /// Makes a condition in which nothing is asked.
    package init() {}
}

extension PlaybackAuthorizer {
    /// Nothing is asked.
    package var condition: AuthorizerCondition { AuthorizerCondition() }

    /// Nothing is needed.
    package func warmUp() async -> [String] { [] }
}
