package import KeyServerModule

/// A client without FairPlay.
package enum OtherClientKind: String, Sendable, CaseIterable {
    /// A browser's Clear Key, which shows the key to the page.
    case clearKey = "Clear Key"
    /// A player of AES-128 playlists, which fetches the key as a file.
    case aes128 = "AES-128"

    /// The path that such a client asks, as the OpenAPI document has it.
    var path: String {
        switch self {
        case .clearKey: "/clearkey"
        case .aes128: "/keys/{kid}"
        }
    }
}

/// What a client without FairPlay is given: values in, a verdict out.
///
/// Such a client has the key as plain bytes, and can neither protect outputs nor end anything. It gets nothing unless
/// `otherClients` of the merged policy is `allow`. With `allow` the key leaves in spite of `hdcp`, `securityLevel`, `lease`
/// and the other rules that only a FairPlay device can follow, and it outlasts a permission that ends (`notAfter`).
package enum OtherClientRules {
    /// Decides.
    ///
    /// - Parameters:
    ///   - policy: the terms, merged; not capped, since a cap adds a lease.
    ///   - kind: who asks.
    ///   - authorization: what the token or the URL says.
    ///   - remoteAddress: the client's address.
    ///   - origin: the request's `Origin`.
    ///   - now: in Unix seconds.
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
            return refuse(.rentalStartMissing, "the rental begins when the token says, and it does not say")
        }
        let (end, overflow) = start.addingReportingOverflow(policy.rentalLength ?? .max)
        return overflow || now < end ? .allow : refuse(.rentalExpired, "the rental is over")
    }

    private static func refuse(_ code: KSMError.Code, _ reason: String) -> Verdict {
        .refuse(KSMError(.policy, code, reason))
    }
}

extension KSMError.Code {
    /// The client has no FairPlay, and no policy allows such clients, or one denies them.
    package static let clientNotProtected = Self(rawValue: "client-not-protected")
    /// The rental begins when the token says, and the token says nothing.
    static let rentalStartMissing = Self(rawValue: "rental-start-missing")
    /// The rental is over.
    static let rentalExpired = Self(rawValue: "rental-expired")
}
