public import ContentKeySession

/// What happens to a kept key.
public enum KeyLedgerEvent: Sendable, Hashable {
    /// The device took it.
    case taken
    /// It plays. The first time with two expiry periods, the playback period begins.
    case played
    /// The device did not take it.
    case refused(ContentKeyError.Code)
    /// The server gave another in its place.
    case renewed(KeyLedgerEntry)
    /// The server gave no other.
    case renewalRefused(LogWord)
    /// The server was told how long it may still be used.
    case reported
    /// The device made it unusable for ever.
    case invalidated
    /// Nothing, but that it is later than it was.
    case timePassed
}

extension KeyLedgerEntry {
    /// Writes down what happened.
    ///
    /// | Event | What changes |
    /// |---|---|
    /// | taken | what the device had against it is forgotten |
    /// | played | as taken; the first time is first play |
    /// | refused | what the device has against it |
    /// | renewed | the terms, issued and first play are the new key's; one renewal more; it is as good as new |
    /// | renewalRefused | why |
    /// | reported | when |
    /// | invalidated | revoked, for ever: nothing but renewed changes that |
    /// | timePassed | nothing |
    ///
    /// In each case the latest moment that is known of, unless the clock was set back.
    public mutating func note(_ event: KeyLedgerEvent, at now: Int64) {
        // What happens after the clock was set back happens after what was before, all the same.
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
