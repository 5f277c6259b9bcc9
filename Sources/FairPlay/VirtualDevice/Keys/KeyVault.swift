/// What the device itself remembers of its persistent keys: which are valid, and by which generation. The keys are with
/// the app.
struct KeyVault: Sendable {
    struct Record: Sendable {
        var generation: UInt32
        let certificateHash: [UInt8]
        let offlineKey: OfflineKey?
    }

    var records: [[UInt8]: Record] = [:]

    mutating func add(_ key: PersistentKey) {
        records[key.recordID] = Record(
            generation: key.generation,
            certificateHash: key.certificateHash,
            offlineKey: key.validity.terms.offlineKey
        )
    }

    /// True if the record was not invalidated.
    func knows(_ key: PersistentKey) -> Bool { records[key.recordID] != nil }

    /// True if, moreover, no newer generation has replaced the key.
    func isCurrent(_ key: PersistentKey) -> Bool {
        records[key.recordID].map { $0.generation <= key.generation } ?? false
    }

    /// Makes a generation of a record the valid one, if it is newer than what is known. True if it was.
    @discardableResult
    mutating func catchUp(_ recordID: [UInt8], _ generation: UInt32) -> Bool {
        guard let record = records[recordID], record.generation < generation else { return false }
        records[recordID]?.generation = generation
        return true
    }

    /// Makes the key's next generation the valid one.
    mutating func advance(_ key: inout PersistentKey) {
        key.generation &+= 1
        records[key.recordID]?.generation = key.generation
    }

    /// Removes the offline keys of one app that `matches` picks, and returns their stream IDs in ascending order.
    mutating func invalidate(certificateHash: [UInt8], where matches: (OfflineKey) -> Bool) -> [[UInt8]] {
        remove { $0.certificateHash == certificateHash && ($0.offlineKey.map(matches) ?? false) }
    }

    /// Removes every key of one app, also those without an Offline Key TLLV, which have no stream ID to return.
    mutating func invalidateAll(certificateHash: [UInt8]) -> [[UInt8]] {
        remove { $0.certificateHash == certificateHash }
    }

    private mutating func remove(where isGone: (Record) -> Bool) -> [[UInt8]] {
        let gone = records.filter { isGone($0.value) }
        for id in gone.keys { records[id] = nil }
        return gone.values.compactMap(\.offlineKey?.streamID).sorted { $0.lexicographicallyPrecedes($1) }
    }
}
