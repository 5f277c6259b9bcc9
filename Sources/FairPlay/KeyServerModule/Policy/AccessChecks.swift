/// The client must be in one of the policy's networks. An address that is not known is in none.
public struct NetworkCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        Self.decide(question.policy, remoteAddress: question.remoteAddress)
    }

    /// Decides about any request, whatever its DRM.
    public static func decide(_ policy: LicensePolicy, remoteAddress: String?) -> Verdict {
        guard let networks = policy.networks else { return .allow }
        guard let remoteAddress else { return .refuse(.networkDenied, "the client's address is not known") }
        return networks.contains { $0.contains(remoteAddress) }
            ? .allow : .refuse(.networkDenied, "the client is in none of the networks that are allowed")
    }
}

/// The request must come from one of the policy's web origins. Apps send no origin, so that such a policy is for web
/// players alone.
public struct OriginCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        Self.decide(question.policy, origin: question.origin)
    }

    /// Decides about any request, whatever its DRM.
    public static func decide(_ policy: LicensePolicy, origin: String?) -> Verdict {
        guard let origins = policy.origins else { return .allow }
        guard let origin else { return .refuse(.originDenied, "the request says no web origin") }
        return origins.contains { $0.rawValue == origin }
            ? .allow : .refuse(.originDenied, "the web origin is none of those that are allowed")
    }
}
