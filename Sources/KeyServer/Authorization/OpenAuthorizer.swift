/// For `--no-authorization`: lets everybody in, for servers behind something that decides who may ask.
///
/// Nobody says who asks, so each device counts as an account of its own: rentals and kept keys have their records, and
/// `streams` and `devices` limit what one device may do.
public struct OpenAuthorizer: PlaybackAuthorizer {
    /// What stands for an account until the device is known.
    public static let account = "anonymous"

    /// Makes an authorizer.
    public init() {}

    /// Lets the request pass. A token is not looked at.
    public func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        var authorization = PlaybackAuthorization(account: Self.account, expires: request.now + 86_400)
        authorization.isAnonymous = true
        return authorization
    }
}
