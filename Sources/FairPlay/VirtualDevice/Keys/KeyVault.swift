/// The device's records of its persistent keys: the valid keys and their generations. The app stores the keys
/// themselves.
struct KeyVault: Sendable {
    struct Record: Sendable {
        var generation: UInt32
        let certificateHash: [UInt8]
        let offlineKey: ReceivedOfflineKey?
        /// The time of the earliest correction of the clock after which the key has not been replaced. Later times in
        /// the key are from before the correction, so they count as this time.
        var ceiling: Int64 = .max
    }

    var records: [[UInt8]: Record] = [:]

    mutating func add(_ key: PersistentKey) {
        records[key.recordID] = Record(
            generation: key.generation,
            certificateHash: key.certificateHash,
            offlineKey: key.validity.terms.offlineKey
        )
    }

    /// Returns whether the key was not invalidated.
    func contains(_ key: PersistentKey) -> Bool { records[key.recordID] != nil }

    /// Returns whether the key was neither invalidated nor replaced by a newer generation.
    func isCurrent(_ key: PersistentKey) -> Bool {
        records[key.recordID].map { $0.generation <= key.generation } ?? false
    }

    /// Returns the latest time that the times in a key can have, in seconds since 1970.
    func ceiling(of key: PersistentKey) -> Int64 { records[key.recordID]?.ceiling ?? .max }

    /// Limits the times in all keys to the time of a correction of the clock.
    mutating func limitTimes(to time: Int64) {
        records = records.mapValues { record in
            var record = record
            record.ceiling = min(record.ceiling, time)
            return record
        }
    }

    /// Sets the valid generation of a record if the new generation is newer. Returns whether the record changed.
    @discardableResult
    mutating func updateGeneration(_ recordID: [UInt8], _ generation: UInt32) -> Bool {
        guard let record = records[recordID], record.generation < generation else { return false }
        records[recordID]?.generation = generation
        return true
    }

    /// Advances the key to its next generation, which becomes the valid generation.
    mutating func advance(_ key: inout PersistentKey) {
        key.generation &+= 1
        records[key.recordID]?.generation = key.generation
        // The new key contains the limited times, and a time after the correction.
        records[key.recordID]?.ceiling = .max
    }

    /// Removes the offline keys of one app that satisfy `matches`, and returns their stream IDs in ascending order.
    mutating func invalidate(certificateHash: [UInt8], where matches: (ReceivedOfflineKey) -> Bool) -> [[UInt8]] {
        remove { $0.certificateHash == certificateHash && ($0.offlineKey.map(matches) ?? false) }
    }

    /// Removes all keys of one app, and returns the stream IDs. Keys without an Offline Key TLLV have no stream ID.
    mutating func invalidateAll(certificateHash: [UInt8]) -> [[UInt8]] {
        remove { $0.certificateHash == certificateHash }
    }

    private mutating func remove(where matches: (Record) -> Bool) -> [[UInt8]] {
        let removed = records.filter { matches($0.value) }
        for id in removed.keys { records[id] = nil }
        return removed.values.compactMap(\.offlineKey?.streamID).sorted { $0.lexicographicallyPrecedes($1) }
    }
}
