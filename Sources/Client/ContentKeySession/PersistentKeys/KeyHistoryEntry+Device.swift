extension KeyHistoryEntry {
    /// Returns the entry with the device's information, so that its state is what the device would decide now.
    ///
    /// | Field | Value |
    /// |---|---|
    /// | terms, issued, firstPlayed | those of the device |
    /// | latest | the device's time, which a server may have set back since the last event |
    /// | refusal | removed if the device would decide otherwise now; set if the key was replaced or invalidated |
    ///
    /// - Parameters:
    ///   - facts: The device's information about the key.
    ///   - time: The device's time, in seconds since 1970.
    public func confirmed(by facts: PersistentKeyInformation, at time: Int64) -> KeyHistoryEntry {
        let current = KeyHistoryEntry(facts)
        var entry = self
        (entry.terms, entry.issued, entry.firstPlayed) = (current.terms, current.issued, current.firstPlayed)
        entry.latest = time
        switch refusal?.code {
        case .persistentKeyExpired?, .invalidPersistentKey?, nil:
            entry.refusal = facts.isCurrent ? nil : Refusal(code: .invalidPersistentKey, moment: time)
        default: break
        }
        return entry
    }
}
