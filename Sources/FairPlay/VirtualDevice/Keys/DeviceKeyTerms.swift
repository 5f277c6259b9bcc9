import TextCoding

/// The durations for which a content key can be used, in seconds; 0 means no limit.
enum DeviceKeyTerms: Sendable, Equatable {
    /// A key that is discarded when playback stops. The lease limits playback; the rental limits the start of playback.
    case streaming(lease: UInt32, rental: UInt32)
    /// A persistent key; `validity` limits the start of playback.
    case persistent(validity: UInt32)
    /// A persistent key with a storage duration until first playback and a playback duration from first playback.
    case dualExpiry(ReceivedOfflineKey)

    var isPersistable: Bool {
        if case .streaming = self { false } else { true }
    }

    var offlineKey: ReceivedOfflineKey? {
        if case .dualExpiry(let offlineKey) = self { offlineKey } else { nil }
    }
}

/// The terms of a key and the times from which the durations count, in seconds since 1970.
///
/// The arithmetic wraps around, which happens only with extreme clock values. The result is then meaningless, but the
/// process does not crash.
struct KeyValidity: Sendable, Equatable {
    var terms: DeviceKeyTerms
    /// The time at which the CKC was processed.
    var acquired: Int64
    /// The time of first playback with a dual-expiry key; nil before that.
    var firstPlayed: Int64?

    /// The expiry of the lease: playback is not allowed at or after this time.
    var leaseEnd: Int64? {
        guard case .streaming(let lease, _) = terms, lease > 0 else { return nil }
        return acquired &+ Int64(lease)
    }

    /// The expiry for starting: playback must not start at or after this time.
    var startEnd: Int64? {
        let (from, duration): (Int64, UInt32) =
            switch terms {
            case .streaming(_, let rental): (acquired, rental)
            case .persistent(let validity): (acquired, validity)
            case .dualExpiry(let key): firstPlayed.map { ($0, key.playbackDuration) } ?? (acquired, key.storageDuration)
            }
        return duration > 0 ? from &+ Int64(duration) : nil
    }

    /// Limits the times to the time of a correction of the clock: a later time was measured before the correction, so
    /// its true time is the time of the correction at the latest.
    mutating func limit(to ceiling: Int64) {
        acquired = min(acquired, ceiling)
        firstPlayed = firstPlayed.map { min($0, ceiling) }
    }

    /// Returns the error that prevents playback from starting at `now`, or nil. The lease, which also stops playback,
    /// is not checked.
    func startError(at now: Int64) -> FPSError? {
        guard let startEnd, now >= startEnd else { return nil }
        let period =
            switch terms {
            case .streaming: "the rental period"
            case .persistent: "the period in which playback can start"
            case .dualExpiry where firstPlayed == nil: "the storage period, in which playback must start,"
            case .dualExpiry: "the playback period"
            }
        let error: FPSError = terms.isPersistable ? .persistentKeyExpired : .rentalExpired
        return error.because("\(period) ended at \(Self.text(startEnd))")
    }

    /// Returns a time for an error. Times outside of the years 1970 to 9999 are limited to them.
    static func text(_ time: Int64) -> String { Timestamp.text(seconds: min(max(time, 0), 253_402_300_799)) }

    /// Returns the "duration to expiry" of a Sync block, in seconds: 0 if the key has expired, 0xFFFFFFFF if it never
    /// expires.
    func remaining(at now: Int64) -> UInt32 {
        guard let startEnd else { return .max }
        return min(UInt32(clamping: startEnd &- now), .max - 1)
    }
}
