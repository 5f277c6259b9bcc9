/// The addresses of a key service and the format of its requests.
public struct KeyService: Sendable {
    /// The purpose of a header or a token.
    public enum Purpose: Hashable, Sendable {
        /// The application certificate. Only ``headers`` is called with it: the certificate is requested without a token.
        case certificate
        /// Keys that are needed now or will be needed.
        case license
        /// A lease renewal. Its token must be new: the old token may have expired together with the lease.
        case renewal
        /// A retry after the server rejected the last token.
        case refusedToken
    }

    /// The address of the application certificate.
    public var certificateURL: String
    /// The address for one license request.
    public var licenseURL: String
    /// The address for several license requests at once; nil if the server has no such route.
    public var batchURL: String?
    /// The format of a license request and its response.
    public var requestFormat: LicenseRequestFormat
    /// The maximum number of licenses in a batch.
    public var maximumBatch: Int
    /// The policy that extracts the asset ID from a key URI.
    public var uris: KeyURIPolicy
    /// A function that returns the headers for a request, in addition to Content-Type and Authorization.
    public var headers: @Sendable (Purpose) async throws -> [KeyTransportHeader]
    /// A function that returns the token for `Authorization: Bearer`; nil means no token. Called before each round trip
    /// except retries.
    public var token: @Sendable (Purpose) async throws -> PlaybackToken?
    /// A function that returns the token for a request of the key system ``ContentKeySystem/authorizationToken`` by its
    /// identifier; nil if the app does not support that key system.
    public var authorizationToken: (@Sendable (String) async throws -> RedactedBytes)?

    /// Creates the description of a service.
    public init(
        certificateURL: String,
        licenseURL: String,
        batchURL: String? = nil,
        requestFormat: LicenseRequestFormat = .json(),
        maximumBatch: Int = 32,
        uris: KeyURIPolicy = .afterScheme,
        headers: @escaping @Sendable (Purpose) async throws -> [KeyTransportHeader] = { _ in [] },
        token: @escaping @Sendable (Purpose) async throws -> PlaybackToken? = { _ in nil },
        authorizationToken: (@Sendable (String) async throws -> RedactedBytes)? = nil
    ) {
        self.authorizationToken = authorizationToken
        self.certificateURL = certificateURL
        self.licenseURL = licenseURL
        self.batchURL = batchURL
        self.requestFormat = requestFormat
        self.maximumBatch = max(1, maximumBatch)
        self.uris = uris
        self.headers = headers
        self.token = token
    }

    /// Returns the routes of Keyway's server.
    ///
    /// - Parameters:
    ///   - server: The origin of the server, such as `https://keys.example`. Trailing slashes are ignored.
    ///   - token: The function that returns the bearer token.
    public static func keyway(
        _ server: String,
        token: @escaping @Sendable (Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> KeyService {
        let server = origin(of: server)
        return KeyService(
            certificateURL: server + "/fps/certificate",
            licenseURL: server + "/fps/license",
            batchURL: server + "/fps/licenses",
            token: token
        )
    }

    /// Returns the address of a server without trailing slashes.
    static func origin(of server: String) -> String {
        String(server.reversed().drop { $0 == "/" }.reversed())
    }
}
