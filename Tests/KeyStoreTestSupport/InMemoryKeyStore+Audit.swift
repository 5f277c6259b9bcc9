package import KeyStore

/// The newest entries, and the head of the chain before them.
struct InMemoryAudit {
    private(set) var entries: [AuditEntry] = []
    private(set) var start: AuditHead
    private var head: AuditHead
    private static let capacity = 10_000

    init() {
        start = AuditHead(startOf: AuditHead.newNode())
        head = start
    }

    mutating func append(_ record: AuditRecord) {
        // Removing half of the entries at a time keeps the amortized cost of an append constant.
        if entries.count == 2 * Self.capacity {
            let last = entries[Self.capacity - 1]
            start = AuditHead(node: last.node, sequence: last.sequence, hash: last.hash)
            entries.removeFirst(Self.capacity)
        }
        head = head.appending(record)
        entries.append(
            AuditEntry(
                number: head.sequence,
                node: head.node,
                sequence: head.sequence,
                hash: head.hash,
                record: record
            )
        )
    }
}

extension InMemoryKeyStore {
    /// Appends a record.
    package func append(_ record: AuditRecord) async throws(KeyStoreError) { audit.append(record) }

    /// Appends the audit record of a write and returns the outcome. The actor serializes the two steps.
    func auditing(_ note: AuditRecordProvider?, _ outcome: WriteOutcome) -> WriteOutcome {
        if let note { audit.append(note(outcome)) }
        return outcome
    }

    /// Appends the audit record of a deletion, if the record existed.
    func auditing(_ record: AuditRecord?, _ isGone: Bool) -> Bool {
        if let record, isGone { audit.append(record) }
        return isGone
    }

    /// Returns entries, the newest first.
    package func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        let older = audit.entries.reversed().lazy.filter { entry in number.map { entry.number < $0 } ?? true }
        return Array(older.prefix(pageSize(limit)))
    }

    /// Returns entries, the oldest first.
    package func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        let newer = audit.entries.lazy.filter { entry in number.map { entry.number > $0 } ?? true }
        return Array(newer.prefix(pageSize(limit)))
    }

    /// Verifies the stored entries against their hash chain.
    package func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification {
        var verifier = AuditVerifier(expecting: head.map { [$0] } ?? [], startingAt: [audit.start])
        for entry in audit.entries { guard verifier.verify(entry) else { break } }
        return verifier.finish()
    }

    /// Returns 0: this store encrypts nothing, so it has no keys to reload.
    package nonisolated func reloadKeys() -> Int { 0 }

    /// Returns the keyed hash of a device.
    package nonisolated func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }
}
