/// The state of a stored key from the viewer's perspective.
public enum OfflineKeyState: String, Sendable, CaseIterable {
    /// The key has not been played and can be played.
    case stored
    /// The key has been played and can still be played.
    case playing
    /// The storage period expired before first playback.
    case storageExpired = "storage-expired"
    /// The playback period expired.
    case playbackExpired = "playback-expired"
    /// The device rejects the key: its format is outdated, or another key replaced it.
    case refused
    /// The key was invalidated permanently. The server may not have received the proof yet.
    case revoked

    /// True if the key can be played now.
    public var isPlayable: Bool { self == .stored || self == .playing }

    /// The action that makes the title playable.
    public var remedy: PersistentKeyRemedy {
        switch self {
        case .stored, .playing: .watch
        case .storageExpired, .playbackExpired, .refused: .renewOnline
        case .revoked: .downloadAgain
        }
    }
}

/// The action to take for a stored key.
public enum PersistentKeyRemedy: String, Sendable, CaseIterable {
    /// Watch the title, before the end if there is one.
    case watch
    /// Renew the key online: the server may return a new key, or a reason for its refusal.
    case renewOnline = "renew-online"
    /// The server refused the renewal: rent or buy the title again, and then renew online.
    case buyAgain = "buy-again"
    /// The key was invalidated: download the title again.
    case downloadAgain = "download-again"
}

extension KeyHistoryEntry {
    /// Returns the state of the key at a time. The first row that applies decides; the current time is the later of the
    /// clock and the latest known time, so that setting the clock back has no effect.
    ///
    /// | Condition | State |
    /// |---|---|
    /// | the key was invalidated | revoked |
    /// | the device rejected it as expired (-42800), and it has been played | playback-expired |
    /// | the device rejected it as expired (-42800) | storage-expired |
    /// | the device rejected it for another reason (-42799, -42803) | refused |
    /// | two expiry periods, played, and the playback period has expired | playback-expired |
    /// | not played, or one expiry period, and the storage period has expired | storage-expired |
    /// | it has been played | playing |
    /// | otherwise | stored |
    public func state(at now: Int64) -> OfflineKeyState {
        if revoked != nil { return .revoked }
        if let refusal {
            guard refusal.code == .persistentKeyExpired else { return .refused }
            return firstPlayed == nil ? .storageExpired : .playbackExpired
        }
        guard let end, max(now, latest) >= end else { return firstPlayed == nil ? .stored : .playing }
        if case .dual = terms, firstPlayed != nil { return .playbackExpired }
        return .storageExpired
    }

    /// The time from which playback can no longer start, in seconds since 1970; nil means unlimited or unknown.
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

    /// Returns the time in which playback can still start, in seconds; 0 if the key cannot be played, nil if the
    /// time is unlimited or, with ``Terms/unknown``, not known.
    public func remaining(at now: Int64) -> Int64? {
        guard state(at: now).isPlayable else { return 0 }
        return end.map { max(0, Self.later($0, by: -max(now, latest))) }
    }

    /// Returns the number of seconds by which the clock was set back; nil if it is at most a minute.
    public func clockIsBehind(at now: Int64) -> Int64? {
        let (behind, overflow) = latest.subtractingReportingOverflow(now)
        guard !overflow, behind > 60 else { return nil }
        return behind
    }

    /// Returns the action to take for the key.
    public func remedy(at now: Int64) -> PersistentKeyRemedy {
        let remedy = state(at: now).remedy
        return remedy == .renewOnline && renewalRefusal != nil ? .buyAgain : remedy
    }

    /// Returns `moment + seconds`, clamped to the range of Int64.
    static func later(_ moment: Int64, by seconds: Int64) -> Int64 {
        let (sum, overflow) = moment.addingReportingOverflow(seconds)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
