/// An event in the history of a stored key.
public enum KeyHistoryEvent: Sendable, Hashable {
    /// The device accepted the key.
    case taken
    /// The key was played. At the first playback with two expiry periods, the playback period starts.
    case played
    /// The device rejected the key.
    case refused(ContentKeyError.Code)
    /// The server returned a new key, which replaced this one.
    case renewed(KeyHistoryEntry)
    /// The server refused a renewal.
    case renewalRefused(LogSafeWord)
    /// The remaining time of the key was reported to the server.
    case reported
    /// The device invalidated the key permanently.
    case invalidated
    /// No event except that time has passed.
    case timePassed
}

extension KeyHistoryEntry {
    /// Records an event.
    ///
    /// | Event | Change |
    /// |---|---|
    /// | taken | the rejection is cleared |
    /// | played | as taken; the first event sets the time of first playback |
    /// | refused | the rejection is set |
    /// | renewed | the new key's terms and times; one more renewal; other fields are cleared |
    /// | renewalRefused | the reason is set |
    /// | reported | the time of the report is set |
    /// | invalidated | the time of the invalidation is set; only renewed clears it |
    /// | timePassed | none |
    ///
    /// Each event also updates the latest known time, unless the clock was set back.
    public mutating func note(_ event: KeyHistoryEvent, at now: Int64) {
        // Events after the clock was set back get the latest known time, so that their order is kept.
        let moment = max(now, latest)
        switch event {
        case .taken: refusal = nil
        case .played:
            refusal = nil
            if firstPlayed == nil { firstPlayed = moment }
        case .refused(let code): refusal = Refusal(code: code, moment: moment)
        case .renewed(let entry):
            let (count, earlier) = (renewals, reported)
            self = entry
            (renewals, renewed, reported) = (count &+ 1, moment, earlier)
        case .renewalRefused(let reason): renewalRefusal = reason
        case .reported: reported = moment
        case .invalidated: if revoked == nil { revoked = moment }
        case .timePassed: break
        }
        latest = max(moment, latest)
    }
}
