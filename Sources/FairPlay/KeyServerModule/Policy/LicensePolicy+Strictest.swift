extension LicensePolicy {
    /// Merges policies by the strictest value of each field: of title, track, content and token.
    ///
    /// What one policy refuses, the merged one refuses. `otherClients` is the exception: a policy that says nothing about
    /// Clear Key and AES-128 clients gives them nothing by itself, but does not keep another one from allowing them. A lease beside another's dual expiry stays: it binds online keys
    /// and the expiry binds kept ones. A rental turns another's dual expiry into one expiry within it. Networks and
    /// origins must be met in all policies; where they have none in common, nobody gets the key. The order does not
    /// matter but for the name, which joins the names by `+`.
    ///
    /// A field that a policy leaves out counts as what it means there, so a merge has to know what the server takes for
    /// `minimumKDL` and `maximumSPCAge`.
    ///
    /// - Throws: ``PolicyError`` when there is nothing to merge, or one of the policies is not coherent itself.
    public static func strictest(
        _ policies: [LicensePolicy],
        under configuration: KSM.Configuration = .init()
    ) throws(PolicyError) -> LicensePolicy {
        guard var merged = policies.first else {
            throw PolicyError(.invalidValue, field: "", reason: "there is no policy to merge")
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
            streams: Self.least(streams, other.streams),
            devices: Self.least(devices, other.devices),
            // The token's word is wanted where one policy wants it.
            rentalStart: Self.strictest(rentalStart, other.rentalStart) { $0 == .token ? 1 : 0 },
            bindRentalToDevice: Self.strictest(bindRentalToDevice, other.bindRentalToDevice) { $0 == true ? 1 : 0 },
            renewAfterExpiry: Self.strictest(renewAfterExpiry, other.renewAfterExpiry) { $0 == false ? 1 : 0 },
            networks: Self.inBoth(networks, other.networks) { $0.intersection($1) }?.outermost,
            origins: Self.inBoth(origins, other.origins) { $0.filter($1.contains) }
                .map { Set($0).sorted { $0.rawValue < $1.rawValue } },
            // Denied where one policy denies; allowed only where one allows, so that silence opens nothing.
            otherClients: Self.strictest(otherClients, other.otherClients) {
                [nil, .allow, .deny].firstIndex(of: $0) ?? 0
            },
            preload: Self.strictest(preload, other.preload) { -Int($0?.rawValue ?? 0) },
            catchUp: Self.strictest(catchUp, other.catchUp) { -Int($0?.rawValue ?? 0) }
        )
        merged.unclassifiedDevices = Self.strictest(unclassifiedDevices, other.unclassifiedDevices, otherwise: .deny)
        merged.requiredReports = requiredReports.union(other.requiredReports)
        if let rental = merged.rental { merged.persist = merged.persist?.within(rental: rental) }
        // Persistence that was lost, or became stricter than an online key has to be, leaves its limit behind.
        let limit = freeOnlineLimit.strictest(other.freeOnlineLimit)
        if limit != merged.freeOnlineLimit { merged.onlineLimit = limit }
        merged.hadPersistence = (needsPlaybackState || other.needsPlaybackState) && !merged.needsPlaybackState
        return merged
    }

    /// The value of the higher rank; between equals the one that was said outright.
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

    private static func least(_ left: Int?, _ right: Int?) -> Int? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// What both lists allow, where nil allows anything.
    private static func inBoth<Element>(
        _ left: [Element]?,
        _ right: [Element]?,
        _ intersection: ([Element], [Element]) -> [Element]
    ) -> [Element]? {
        guard let left, let right else { return left ?? right }
        return intersection(left, right)
    }

    /// Both names, each part once.
    static func joined(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        let parts = left.split(separator: "+")
        return (parts + right.split(separator: "+").filter { !parts.contains($0) }).joined(separator: "+")
    }
}
