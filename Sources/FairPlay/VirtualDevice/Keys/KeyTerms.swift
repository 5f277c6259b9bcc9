/// How long a content key may be used. Durations are in seconds, and 0 means no limit.
enum KeyTerms: Sendable, Equatable {
    /// A key that goes when playback stops: the lease limits playing, the rental limits starting.
    case streaming(lease: UInt32, rental: UInt32)
    /// A key that may be kept; `validity` limits starting.
    case persistent(validity: UInt32)
    /// A key that may be kept, with a storage period until the first play and a playback period from then on.
    case dualExpiry(OfflineKey)

    var isPersistable: Bool {
        if case .streaming = self { false } else { true }
    }

    var offlineKey: OfflineKey? {
        if case .dualExpiry(let offlineKey) = self { offlineKey } else { nil }
    }
}

/// The terms of a key and the moments that they count from, in seconds since 1970.
///
/// Arithmetic wraps: only a clock at the end of time gets there, and then any answer will do but a crash.
struct KeyValidity: Sendable, Equatable {
    var terms: KeyTerms
    /// When the CKC was processed.
    var acquired: Int64
    /// When playback of a dual-expiry key first started.
    var firstPlayed: Int64?

    /// When the lease runs out: from this second on, nothing may play.
    var leaseEnd: Int64? {
        guard case .streaming(let lease, _) = terms, lease > 0 else { return nil }
        return acquired &+ Int64(lease)
    }

    /// From this second on, playback may not start.
    var startEnd: Int64? {
        let (from, duration): (Int64, UInt32) =
            switch terms {
            case .streaming(_, let rental): (acquired, rental)
            case .persistent(let validity): (acquired, validity)
            case .dualExpiry(let key): firstPlayed.map { ($0, key.playbackDuration) } ?? (acquired, key.storageDuration)
            }
        return duration > 0 ? from &+ Int64(duration) : nil
    }

    /// Why playback may not start at `now`, if it may not. The lease, which also stops playback, is not looked at.
    func obstacleToStarting(at now: Int64) -> FPSError? {
        guard let startEnd, now >= startEnd else { return nil }
        return terms.isPersistable ? .persistentKeyExpired : .rentalExpired
    }

    /// The "duration to expiry" of a Sync block in seconds: 0 when expired, 0xFFFFFFFF when there is no end.
    func remaining(at now: Int64) -> UInt32 {
        guard let startEnd else { return .max }
        return min(UInt32(clamping: startEnd &- now), .max - 1)
    }
}
