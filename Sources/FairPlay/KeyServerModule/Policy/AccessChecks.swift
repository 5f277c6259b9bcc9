/// A check that the client's address is in one of the policy's networks. An unknown address is in no network.
public struct NetworkCheck: LicenseCheck {
    /// Returns the verdict for a license request.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        Self.decide(question.policy, remoteAddress: question.remoteAddress)
    }

    /// Returns the verdict for a request of any DRM system.
    public static func decide(_ policy: LicensePolicy, remoteAddress: String?) -> Verdict {
        guard let networks = policy.networks else { return .allow }
        guard let remoteAddress else { return .refuse(.networkDenied, "the client's address is unknown") }
        return networks.contains { $0.contains(remoteAddress) }
            ? .allow : .refuse(.networkDenied, "the client's address is not in an allowed network")
    }
}

/// A check that the request has one of the policy's web origins. Apps do not send an origin, so a policy with origins
/// allows only web players.
public struct OriginCheck: LicenseCheck {
    /// Returns the verdict for a license request.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        Self.decide(question.policy, origin: question.origin)
    }

    /// Returns the verdict for a request of any DRM system.
    public static func decide(_ policy: LicensePolicy, origin: String?) -> Verdict {
        guard let origins = policy.origins else { return .allow }
        guard let origin else { return .refuse(.originDenied, "the request has no web origin") }
        return origins.contains { $0.rawValue == origin }
            ? .allow : .refuse(.originDenied, "the web origin is not allowed")
    }
}
