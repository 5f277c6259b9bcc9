extension LicensePolicy {
    /// Merges the policies of title, track, content and token, with the strictest value of each field.
    ///
    /// The merged policy refuses everything that one of the policies refuses. `otherClients` is an exception: a policy
    /// that does not set it does not give keys to Clear Key and AES-128 clients, but another policy can still allow
    /// them. A lease of one policy stays with the dual expiry of another: the lease applies to online keys, and the
    /// expiry applies to persistent keys. A rental of one policy turns the dual expiry of another into a single expiry
    /// within the rental. A client must be in the networks and origins of all policies; if the policies have none in
    /// common, no client gets the key. The order of the policies affects only the name, which joins the names with `+`.
    ///
    /// A field that a policy does not set counts with its default value, so a merge needs the server's defaults of
    /// `minimumKDL` and `maximumSPCAge`.
    ///
    /// - Throws: ``PolicyError`` if there are no policies, or if one of the policies is contradictory.
    public static func strictest(
        _ policies: [LicensePolicy],
        under configuration: KSM.Configuration = .init()
    ) throws(PolicyError) -> LicensePolicy {
        guard var merged = policies.first else {
            throw PolicyError(.invalidValue, field: "", reason: "expected at least one policy to merge")
        }
        for policy in policies { try policy.requireCoherent(for: .unspecified) }
        for policy in policies.dropFirst() where policy != merged {
            merged = merged.strictest(policy, under: configuration)
        }
        return merged
    }

    private func strictest(_ other: Self, under configuration: KSM.Configuration) -> Self {
        var merged = self
        for field in PolicyField.all { field.merge(&merged, other, configuration) }
        merged.requiredReports.formUnion(other.requiredReports)
        if let rental = merged.rental { merged.persist = merged.persist?.within(rental: rental) }
        // If the merge removed persistence, or made it stricter than online keys require, the limit for online keys
        // stays.
        merged.onlineLimit = nil
        let limit = onlineLimitWithoutRental.strictest(other.onlineLimitWithoutRental)
        if limit != merged.onlineLimitWithoutRental { merged.onlineLimit = limit }
        merged.lostPersistence = false
        merged.lostPersistence = (needsPlaybackState || other.needsPlaybackState) && !merged.needsPlaybackState
        return merged
    }
}

extension String {
    /// Returns both names joined with `+`, with each part only once.
    static func joined(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        let parts = left.split(separator: "+")
        return (parts + right.split(separator: "+").filter { !parts.contains($0) }).joined(separator: "+")
    }
}
