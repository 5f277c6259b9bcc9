import ContentKeySession

/// What a viewer can expect of a kept key.
public enum KeptKeyState: String, Sendable, CaseIterable {
    /// It has not played, and may.
    case stored
    /// It has played, and may go on.
    case playing
    /// It was not played in time.
    case storageExpired = "storage-expired"
    /// It was played, and its time is over.
    case playbackExpired = "playback-expired"
    /// The device does not take it: its format is outdated, or another key took its place.
    case refused
    /// It was given back to the server, and is unusable for ever.
    case revoked

    /// Whether it may be played now.
    public var isWatchable: Bool { self == .stored || self == .playing }

    /// What can be done so that it may be watched.
    public var remedy: KeptKeyRemedy {
        switch self {
        case .stored, .playing: .watch
        case .storageExpired, .playbackExpired, .refused: .renewOnline
        case .revoked: .downloadAgain
        }
    }
}

/// What is to be done about a kept key.
public enum KeptKeyRemedy: String, Sendable, CaseIterable {
    /// Watch it, in time where there is an end.
    case watch
    /// Go online: the server may give another key, or say why not.
    case renewOnline = "renew-online"
    /// The server has refused another key: rent or buy it again, and then go online.
    case buyAgain = "buy-again"
    /// It is gone: download it again.
    case downloadAgain = "download-again"
}

extension KeyLedgerEntry {
    /// Where the key is at a moment. Rows are tried in order; `now` is the later of the clock and the latest moment that
    /// is known of, so that a clock that was set back gains nothing.
    ///
    /// | What is so | State |
    /// |---|---|
    /// | it was invalidated | revoked |
    /// | the device refused it as expired (-42800) and it has played | playback-expired |
    /// | the device refused it as expired (-42800) | storage-expired |
    /// | the device refused it otherwise (-42799, -42803) | refused |
    /// | two expiry periods, played, and the playback period is over | playback-expired |
    /// | not played, or one expiry period, and the storage period is over | storage-expired |
    /// | it has played | playing |
    /// | else | stored |
    public func state(at now: Int64) -> KeptKeyState {
        if revoked != nil { return .revoked }
        if let refusal {
            guard refusal.code == .persistentKeyExpired else { return .refused }
            return firstPlayed == nil ? .storageExpired : .playbackExpired
        }
        guard let end, max(now, latest) >= end else { return firstPlayed == nil ? .stored : .playing }
        if case .dual = terms, firstPlayed != nil { return .playbackExpired }
        return .storageExpired
    }

    /// From this second on playback may not start; nil: it may for ever, as far as is known.
    public var end: Int64? {
        switch terms {
        case .unknown: nil
        case .limited(let duration): duration.map { Self.later(issued, by: $0) }
        case .dual(let storage, let playback):
            if let firstPlayed {
                playback.map { Self.later(firstPlayed, by: $0) }
            } else {
                storage.map { Self.later(issued, by: $0) }
            }
        }
    }

    /// How long it may still be started, in seconds; 0 when no more, nil when there is no end.
    public func remaining(at now: Int64) -> Int64? {
        guard state(at: now).isWatchable else { return 0 }
        return end.map { max(0, Self.later($0, by: -max(now, latest))) }
    }

    /// By how many seconds the clock has been set back, if it was by more than a minute.
    public func clockIsBehind(at now: Int64) -> Int64? {
        let (behind, overflow) = latest.subtractingReportingOverflow(now)
        guard !overflow, behind > 60 else { return nil }
        return behind
    }

    /// What is to be done about it.
    public func remedy(at now: Int64) -> KeptKeyRemedy {
        let remedy = state(at: now).remedy
        return remedy == .renewOnline && renewalRefusal != nil ? .buyAgain : remedy
    }

    /// `moment + seconds`, or the end of time.
    static func later(_ moment: Int64, by seconds: Int64) -> Int64 {
        let (sum, overflow) = moment.addingReportingOverflow(seconds)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
