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
        var merged = Self(
            name: Self.joined(name, other.name),
            lease: lease.strictest(other.lease),
            rental: rental.strictest(other.rental),
            persist: Persistence.strictest(persist, other.persist),
            // Without a TLLV the device enforces Type 0.
            hdcp: Self.strictest(hdcp, other.hdcp) { [.some(.none), nil, .type0, .type1].firstIndex(of: $0) ?? 0 },
            securityLevel: Self.strictest(securityLevel, other.securityLevel) {
                [nil, .audio, .baseline, .main].firstIndex(of: $0) ?? 0
            },
            minimumKDL: Self.strictest(minimumKDL, other.minimumKDL) { Int($0 ?? configuration.minimumKDL) },
            virtualMachines: Self.strictest(virtualMachines, other.virtualMachines, otherwise: .deny),
            airplay: Self.strictest(airplay, other.airplay, otherwise: .allow),
            adapter: Self.strictest(adapter, other.adapter, otherwise: .allow),
            maximumSPCAge: Self.strictest(maximumSPCAge, other.maximumSPCAge) {
                -Int(($0 ?? configuration.maximumSPCAge)?.rawValue ?? .max)
            },
            undatedSPC: Self.strictest(undatedSPC, other.undatedSPC, otherwise: .deny),
            osVersions: osVersions.merging(other.osVersions) { max($0, $1) },
            streams: Self.minimum(streams, other.streams),
            devices: Self.minimum(devices, other.devices),
            // One policy that requires the token's rental start is enough.
            rentalStart: Self.strictest(rentalStart, other.rentalStart) { $0 == .token ? 1 : 0 },
            bindRentalToDevice: Self.strictest(bindRentalToDevice, other.bindRentalToDevice) { $0 == true ? 1 : 0 },
            renewAfterExpiry: Self.strictest(renewAfterExpiry, other.renewAfterExpiry) { $0 == false ? 1 : 0 },
            networks: Self.allowedByBoth(networks, other.networks) { $0.intersection($1) }?.outermost,
            origins: Self.allowedByBoth(origins, other.origins) { $0.filter($1.contains) }
                .map { Set($0).sorted { $0.rawValue < $1.rawValue } },
            // Denied if one policy denies; allowed only if one policy allows, so that policies without the field allow
            // nothing.
            otherClients: Self.strictest(otherClients, other.otherClients) {
                [nil, .allow, .deny].firstIndex(of: $0) ?? 0
            },
            preload: Self.strictest(preload, other.preload) { -Int($0?.rawValue ?? 0) },
            catchUp: Self.strictest(catchUp, other.catchUp) { -Int($0?.rawValue ?? 0) }
        )
        merged.unclassifiedDevices = Self.strictest(unclassifiedDevices, other.unclassifiedDevices, otherwise: .deny)
        merged.requiredReports = requiredReports.union(other.requiredReports)
        if let rental = merged.rental { merged.persist = merged.persist?.within(rental: rental) }
        // If the merge removed persistence, or made it stricter than online keys require, the limit for online keys
        // stays.
        let limit = onlineLimitWithoutRental.strictest(other.onlineLimitWithoutRental)
        if limit != merged.onlineLimitWithoutRental { merged.onlineLimit = limit }
        merged.lostPersistence = (needsPlaybackState || other.needsPlaybackState) && !merged.needsPlaybackState
        return merged
    }

    /// Returns the value with the higher rank; for equal ranks, the value that is set explicitly.
    private static func strictest<Value>(_ left: Value?, _ right: Value?, rank: (Value?) -> Int) -> Value? {
        let (leftRank, rightRank) = (rank(left), rank(right))
        return leftRank == rightRank ? left ?? right : leftRank > rightRank ? left : right
    }

    private static func strictest(
        _ left: Permission?,
        _ right: Permission?,
        otherwise: Permission
    ) -> Permission? {
        strictest(left, right) { ($0 ?? otherwise) == .deny ? 1 : 0 }
    }

    private static func minimum(_ left: Int?, _ right: Int?) -> Int? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Returns the elements that both lists allow; nil allows everything.
    private static func allowedByBoth<Element>(
        _ left: [Element]?,
        _ right: [Element]?,
        _ intersection: ([Element], [Element]) -> [Element]
    ) -> [Element]? {
        guard let left, let right else { return left ?? right }
        return intersection(left, right)
    }

    /// Returns both names joined with `+`, with each part only once.
    static func joined(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        let parts = left.split(separator: "+")
        return (parts + right.split(separator: "+").filter { !parts.contains($0) }).joined(separator: "+")
    }
}
