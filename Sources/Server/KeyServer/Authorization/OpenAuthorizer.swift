/// The authorizer for `--no-authorization`: allows every request, for servers behind a service that authorizes
/// requests.
///
/// The account is unknown, so each device counts as a separate account: rentals and persistent keys are recorded, and
/// `streams` and `devices` limit a single device.
package struct OpenAuthorizer: PlaybackAuthorizer {
    /// The account name until the device is known.
    package static let account = "anonymous"

    /// Creates an authorizer.
    package init() {}

    /// Allows the request and ignores its token.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        var authorization = PlaybackAuthorization(account: Self.account, expires: request.now + 86_400)
        authorization.isAnonymous = true
        return authorization
    }
}
