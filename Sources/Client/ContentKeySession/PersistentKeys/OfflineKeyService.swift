/// A key server for offline keys.
public struct OfflineKeyService: Sendable {
    /// The certificate and license addresses.
    public var keys: KeyService
    /// The address for the challenge of a secure invalidation.
    public var challengeURL: String

    /// Creates the description of a server.
    public init(keys: KeyService, challengeURL: String) { (self.keys, self.challengeURL) = (keys, challengeURL) }

    /// Returns the routes of Keyway's server.
    ///
    /// - Parameters:
    ///   - server: The origin of the server, such as `https://keys.example`. Trailing slashes are ignored.
    ///   - token: The function that returns the bearer token.
    public static func keyway(
        _ server: String,
        token: @escaping @Sendable (KeyService.Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> OfflineKeyService {
        OfflineKeyService(
            keys: .keyway(server, token: token),
            challengeURL: KeyService.origin(of: server) + "/fps/challenge"
        )
    }
}
