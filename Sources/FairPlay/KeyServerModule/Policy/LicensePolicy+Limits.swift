extension LicensePolicy {
    /// Whether the SPC has to say what the player was doing: where something is limited in time, or kept.
    var needsPlaybackState: Bool {
        lease != nil || rental != nil || persist != nil || onlineLimit != nil || hadPersistence
    }

    /// Whether Clear Key and AES-128 clients may have the key: only where a policy says so.
    public var allowsOtherClients: Bool { otherClients == .allow }

    /// Whether the start and the device of a rental are kept account of. Where a merge has left nothing of a rental's
    /// length, it may still be bound to a device.
    public var hasRental: Bool { rentalLength != nil || bindRentalToDevice == true }

    /// How long a rental under this policy lasts, in seconds; nil when there is none, or no end. A policy that keeps keys
    /// has a rental when it says how one starts or that it is bound to a device: validity, or storage and playback
    /// together.
    public var rentalLength: Int64? {
        if let rental { return Int64(rental.rawValue) }
        guard rentalStart != nil || bindRentalToDevice == true else { return nil }
        switch persist {
        case .limited(let validity): return Int64(validity.rawValue)
        case .dual(let storage, let playback, _) where storage.rawValue > 0 && playback.rawValue > 0:
            return Int64(storage.rawValue) + Int64(playback.rawValue)
        default: return nil
        }
    }

    /// The policy with a token's fields in place of its own, for issuers that may do this. Fields that the token's policy
    /// leaves out stay. Where persistence of the token contradicts a rental that is not the token's, the rental goes.
    public func loosened(by token: LicensePolicy) -> LicensePolicy {
        var policy = self
        policy.name = Self.joined(name, token.name)
        policy.lease = token.lease ?? lease
        policy.rental = token.rental ?? rental
        policy.persist = token.persist ?? persist
        if token.lease != nil || token.rental != nil || token.persist != nil { policy.onlineLimit = token.onlineLimit }
        if let rental = policy.rental, policy.persist?.within(rental: rental) != policy.persist {
            if token.persist != nil, token.rental == nil {
                policy.rental = nil
            } else {
                policy.persist = policy.persist?.within(rental: rental)
            }
        }
        policy.hdcp = token.hdcp ?? hdcp
        policy.securityLevel = token.securityLevel ?? securityLevel
        policy.minimumKDL = token.minimumKDL ?? minimumKDL
        policy.virtualMachines = token.virtualMachines ?? virtualMachines
        policy.airplay = token.airplay ?? airplay
        policy.adapter = token.adapter ?? adapter
        policy.maximumSPCAge = token.maximumSPCAge ?? maximumSPCAge
        policy.undatedSPC = token.undatedSPC ?? undatedSPC
        policy.osVersions.merge(token.osVersions) { $1 }
        policy.unclassifiedDevices = token.unclassifiedDevices ?? unclassifiedDevices
        policy.requiredReports = requiredReports.subtracting(token.statedRules).union(token.requiredReports)
        policy.streams = token.streams ?? streams
        policy.devices = token.devices ?? devices
        policy.rentalStart = token.rentalStart ?? rentalStart
        policy.bindRentalToDevice = token.bindRentalToDevice ?? bindRentalToDevice
        policy.renewAfterExpiry = token.renewAfterExpiry ?? renewAfterExpiry
        policy.networks = token.networks ?? networks
        policy.origins = token.origins ?? origins
        // A raw key is out for good, so what says that it must not leave cannot be loosened.
        policy.otherClients = otherClients == .deny ? .deny : token.otherClients ?? otherClients
        policy.preload = token.preload ?? preload
        policy.catchUp = token.catchUp ?? catchUp
        return policy
    }

    /// The rules that the policy says anything about.
    private var statedRules: Set<ReportedRule> {
        var rules = requiredReports
        if virtualMachines != nil { rules.insert(.virtualMachines) }
        if airplay != nil { rules.insert(.airplay) }
        if adapter != nil { rules.insert(.adapter) }
        if !osVersions.isEmpty { rules.insert(.osVersions) }
        if securityLevel != nil { rules.insert(.securityLevel) }
        return rules
    }

    /// The policy for somebody whose permission ends after `remaining`: no duration that it grants is longer, storage and
    /// playback of dual expiry are not longer together, and every online key has a lease that is no longer: a rental
    /// limits only when playback may start. Zero counts as a second, since zero on the wire would be no limit: refuse what
    /// has ended before.
    public func capped(to remaining: Seconds) -> LicensePolicy {
        let remaining = Swift.max(remaining, Seconds(rawValue: 1))
        var policy = self
        policy.lease = min(lease ?? remaining, remaining)
        policy.rental = rental.map { min($0, remaining) }
        policy.onlineLimit = onlineLimit.map { min($0, remaining) }
        policy.persist = persist?.capped(to: remaining)
        if let rental = policy.rental { policy.persist = policy.persist?.within(rental: rental) }
        // Persistence that is too short to be kept at all still limits online keys.
        if policy.freeOnlineLimit == nil { policy.onlineLimit = freeOnlineLimit.map { min($0, remaining) } }
        return policy
    }

    /// The policy while a rental runs that ends after `remaining`: the rental is what remains of it, a lease is no longer,
    /// and a key is kept no longer. Dual expiry stays dual: storage and playback together end with the rental. Zero counts
    /// as a second: refuse a rental that is over before.
    public func withRental(remaining: Seconds) -> LicensePolicy {
        let remaining = Swift.max(remaining, Seconds(rawValue: 1))
        var policy = self
        policy.lease = lease.map { min($0, remaining) }
        policy.persist = persist?.capped(to: remaining)
        if case .dual = policy.persist {
            // An online key beside dual expiry has no rental of its own; this binds it all the same.
            policy.onlineLimit = freeOnlineLimit.map { min($0, remaining) } ?? remaining
        } else {
            policy.onlineLimit = onlineLimit.map { min($0, remaining) }
            policy.rental = min(rental ?? remaining, remaining)
            policy.persist = policy.persist?.within(rental: policy.rental ?? remaining)
        }
        return policy
    }
}
