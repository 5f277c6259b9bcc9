/// For `--no-authorization`: lets everybody in, for servers behind something that decides who may ask.
///
/// Nobody says who asks, so each device counts as an account of its own: rentals and kept keys have their records, and
/// `streams` and `devices` limit what one device may do.
package struct OpenAuthorizer: PlaybackAuthorizer {
    /// What stands for an account until the device is known.
    package static let account = "anonymous"

    /// Makes an authorizer.
    package init() {}

    /// Lets the request pass. A token is not looked at.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        var authorization = PlaybackAuthorization(account: Self.account, expires: request.now + 86_400)
        authorization.isAnonymous = true
        return authorization
    }
}
