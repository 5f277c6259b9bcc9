/// Where keys come from, and how they are asked for.
public struct KeyService: Sendable {
    /// What a header or a token is for.
    public enum Purpose: Hashable, Sendable {
        /// The application certificate.
        case certificate
        /// Keys that somebody waits for, or will.
        case license
        /// A lease that ends. Its token must be new: the old one may have ended with the lease.
        case renewal
        /// The server did not take the last token.
        case refusedToken
    }

    /// Where the application certificate is.
    public var certificateURL: String
    /// Where one license is asked for.
    public var licenseURL: String
    /// Where several are asked for at once; nil when the server has no such route.
    public var batchURL: String?
    /// How one license request is written.
    public var shape: LicenseShape
    /// How many licenses are asked for at once, at most.
    public var maximumBatch: Int
    /// The asset ID in a key's URI.
    public var uris: KeyURIPolicy
    /// Versions of the protocol that the server knows.
    public var protocolVersions: [UInt32]
    /// Headers for each request, beside Content-Type and Authorization.
    public var headers: @Sendable (Purpose) async throws -> [KeyTransportHeader]
    /// The token for `Authorization: Bearer`; nil for none. Asked before each round trip but retries.
    public var token: @Sendable (Purpose) async throws -> PlaybackToken?
    /// What answers a request of the key system ``ContentKeySystem/authorizationToken``, by its identifier; nil where the
    /// app has none.
    public var authorizationToken: (@Sendable (String) async throws -> RedactedBytes)?

    /// Describes a service.
    public init(
        certificateURL: String,
        licenseURL: String,
        batchURL: String? = nil,
        shape: LicenseShape = .json(),
        maximumBatch: Int = 32,
        uris: KeyURIPolicy = .afterScheme,
        protocolVersions: [UInt32] = [1],
        headers: @escaping @Sendable (Purpose) async throws -> [KeyTransportHeader] = { _ in [] },
        token: @escaping @Sendable (Purpose) async throws -> PlaybackToken? = { _ in nil },
        authorizationToken: (@Sendable (String) async throws -> RedactedBytes)? = nil
    ) {
        self.authorizationToken = authorizationToken
        self.certificateURL = certificateURL
        self.licenseURL = licenseURL
        self.batchURL = batchURL
        self.shape = shape
        self.maximumBatch = max(1, maximumBatch)
        self.uris = uris
        self.protocolVersions = protocolVersions
        self.headers = headers
        self.token = token
    }

    /// The routes of Keyway's server.
    ///
    /// - Parameter server: Such as `https://keys.example`, without a slash at its end.
    public static func keyway(
        _ server: String,
        token: @escaping @Sendable (Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> KeyService {
        KeyService(
            certificateURL: server + "/fps/certificate",
            licenseURL: server + "/fps/license",
            batchURL: server + "/fps/licenses",
            token: token
        )
    }
}
