extension LicensePolicy {
    /// True if the policy requires a playback state in the SPC, because it limits the time or allows persistence.
    var needsPlaybackState: Bool {
        lease != nil || rental != nil || persist != nil || onlineLimit != nil || lostPersistence
    }

    /// True if Clear Key and AES-128 clients may get the key, which a policy must allow explicitly.
    public var allowsOtherClients: Bool { otherClients == .allow }

    /// True if the policy defines a rental, or a rental that ends.
    var isRental: Bool { rental != nil || rentalLength != nil }

    /// True if the server must record the start and the device of a rental. If a merge removed the duration of a
    /// rental, the rental can still be bound to a device.
    public var hasRental: Bool { rentalLength != nil || bindRentalToDevice == true }

    /// The duration of a rental under this policy, in seconds; nil if there is no rental or no time limit. A policy for
    /// persistent keys defines a rental if it sets `rentalStart` or `bindRentalToDevice`; the duration is then the
    /// validity, or the sum of storage and playback.
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

    /// Returns the policy with its fields replaced by the fields of a token's policy, for issuers that may loosen
    /// policies. Fields that the token's policy does not set stay. If the token's persistence contradicts a rental that
    /// the token does not set, the rental is removed.
    public func loosened(by token: LicensePolicy) -> LicensePolicy {
        var policy = self
        for field in PolicyField.all {
            field.loosen(&policy, token)
            if let rule = field.report?.rule, field.print(token) != nil { policy.requiredReports.remove(rule) }
        }
        policy.requiredReports.formUnion(token.requiredReports)
        if token.lease != nil || token.rental != nil || token.persist != nil { policy.onlineLimit = token.onlineLimit }
        if let rental = policy.rental, policy.persist?.within(rental: rental) != policy.persist {
            if token.persist != nil, token.rental == nil {
                policy.rental = nil
            } else {
                policy.persist = policy.persist?.within(rental: rental)
            }
        }
        return policy
    }

    /// Returns the policy for a viewer whose permission ends after `remaining`. No duration in the result is longer,
    /// the sum of storage and playback of dual expiry is not longer, and every online key has a lease that is not
    /// longer, because a rental limits only when playback may start. Zero counts as one second, because zero in a TLLV
    /// means no limit; refuse a permission that has already ended before calling this function.
    public func capped(to remaining: Seconds) -> LicensePolicy {
        let remaining = Swift.max(remaining, Seconds(rawValue: 1))
        var policy = self
        policy.lease = min(lease ?? remaining, remaining)
        policy.rental = rental.map { min($0, remaining) }
        policy.onlineLimit = onlineLimit.map { min($0, remaining) }
        policy.persist = persist?.capped(to: remaining)
        if let rental = policy.rental { policy.persist = policy.persist?.within(rental: rental) }
        // Persistence that is too short for a persistent key still limits online keys.
        if policy.onlineLimitWithoutRental == nil {
            policy.onlineLimit = onlineLimitWithoutRental.map { min($0, remaining) }
        }
        return policy
    }

    /// Returns the policy during a rental that ends after `remaining`: the rental, the lease and the persistence are
    /// not longer than the remaining time. Dual expiry stays dual: the sum of storage and playback ends with the
    /// rental. Zero counts as one second; refuse a rental that has already ended before calling this function.
    public func withRental(remaining: Seconds) -> LicensePolicy {
        let remaining = Swift.max(remaining, Seconds(rawValue: 1))
        var policy = self
        policy.lease = lease.map { min($0, remaining) }
        policy.persist = persist?.capped(to: remaining)
        if case .dual = policy.persist {
            // An online key under dual expiry has no rental, so this limit applies to it.
            policy.onlineLimit = onlineLimitWithoutRental.map { min($0, remaining) } ?? remaining
        } else {
            policy.onlineLimit = onlineLimit.map { min($0, remaining) }
            policy.rental = min(rental ?? remaining, remaining)
            policy.persist = policy.persist?.within(rental: policy.rental ?? remaining)
        }
        return policy
    }
}
