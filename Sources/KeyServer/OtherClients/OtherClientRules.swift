public import KeyServerModule

/// A client without FairPlay.
public enum OtherClientKind: String, Sendable, CaseIterable {
    /// A browser's Clear Key, which shows the key to the page.
    case clearKey = "Clear Key"
    /// A player of AES-128 playlists, which fetches the key as a file.
    case aes128 = "AES-128"
}

/// What a client without FairPlay is given: values in, a verdict out.
///
/// Such a client has the key as plain bytes. It can neither protect outputs nor end anything, so a policy that wants one of
/// these gives it nothing unless `otherClients` is `allow`. Neither does a token whose permission ends (`notAfter`), since
/// the key would outlast it. Rules about Apple devices (their systems, AirPlay, virtual machines) say nothing about others.
public enum OtherClientRules {
    /// Decides.
    ///
    /// - Parameters:
    ///   - policy: the terms, merged; not capped, since a cap adds a lease.
    ///   - kind: who asks.
    ///   - authorization: what the token or the URL says.
    ///   - remoteAddress: the client's address.
    ///   - origin: the request's `Origin`.
    ///   - now: in Unix seconds.
    public static func decide(
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
            return refuse(.clientNotProtected, "a \(kind.rawValue) client cannot enforce what the policy demands")
        }
        guard authorization.notAfter == nil || policy.otherClients == .allow else {
            return refuse(.clientNotProtected, "the permission ends, and a \(kind.rawValue) client's key does not")
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
    /// The client has no FairPlay, and the policy wants what it cannot enforce.
    public static let clientNotProtected = Self(rawValue: "client-not-protected")
    /// The rental begins when the token says, and the token says nothing.
    static let rentalStartMissing = Self(rawValue: "rental-start-missing")
    /// The rental is over.
    static let rentalExpired = Self(rawValue: "rental-expired")
}
