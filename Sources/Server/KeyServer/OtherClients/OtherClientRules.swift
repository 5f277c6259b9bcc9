package import KeyServerModule

/// A kind of client without FairPlay.
package enum OtherClientKind: String, Sendable, CaseIterable {
    /// A browser with Clear Key, which exposes the key to the page.
    case clearKey = "Clear Key"
    /// A player of AES-128 playlists, which downloads the key as a file.
    case aes128 = "AES-128"

    /// The path of the client's route in the OpenAPI document.
    var path: String {
        switch self {
        case .clearKey: "/clearkey"
        case .aes128: "/keys/{kid}"
        }
    }
}

/// The rules for keys of clients without FairPlay.
///
/// Such a client gets the key unprotected, and can neither protect outputs nor enforce an expiry. It gets no key unless
/// `otherClients` of the merged policy is `allow`. With `allow` the key is issued despite `hdcp`, `securityLevel`,
/// `lease` and the other rules that only a FairPlay device can enforce, and can be used after the permission expires
/// (`notAfter`).
package enum OtherClientRules {
    /// Decides about a key.
    ///
    /// - Parameters:
    ///   - policy: The merged policy, without limits of the authorization, because these would add a lease.
    ///   - kind: The kind of client.
    ///   - authorization: The permissions of the token or the URL.
    ///   - remoteAddress: The client's address.
    ///   - origin: The request's `Origin` header.
    ///   - now: The time in Unix seconds.
    package static func decide(
        _ policy: LicensePolicy,
        _ kind: OtherClientKind,
        _ authorization: PlaybackAuthorization,
        remoteAddress: String?,
        origin: String?,
        now: Int64
    ) -> Verdict {
        for verdict in [
            NetworkCheck.decide(policy, remoteAddress: remoteAddress), OriginCheck.decide(policy, origin: origin),
        ] where verdict != .allow {
            return verdict
        }
        guard policy.allowsOtherClients else {
            let reason =
                policy.otherClients == .deny ? "the policy denies otherClients" : "no policy allows otherClients"
            return refuse(.clientNotProtected, "\(reason): a \(kind.rawValue) client gets no key")
        }
        guard policy.rentalStart == .token else { return .allow }
        guard let start = authorization.rentalStart else {
            return refuse(.rentalStartMissing, "the token must contain the start of the rental, and has none")
        }
        let (end, overflow) = start.addingReportingOverflow(policy.rentalLength ?? .max)
        return overflow || now < end ? .allow : refuse(.rentalExpired, "the rental has expired")
    }

    private static func refuse(_ code: KSMError.Code, _ reason: String) -> Verdict {
        .refuse(KSMError(.policy, code, reason))
    }
}

extension KSMError.Code {
    /// The client has no FairPlay, and no policy allows such clients, or one denies them.
    package static let clientNotProtected = Self(rawValue: "client-not-protected")
    /// The token must contain the start of the rental, and has none.
    static let rentalStartMissing = Self(rawValue: "rental-start-missing")
    /// The rental has expired.
    static let rentalExpired = Self(rawValue: "rental-expired")
}
