/// The newest entries, and where their chain begins.
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
        // Dropping half at a time keeps the cost of dropping out of the single append.
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
    /// Adds a record.
    package func append(_ record: AuditRecord) async throws(KeyStoreError) { audit.append(record) }

    /// Notes a write, and passes on what came of it. Nobody else is let in between the two.
    func noting(_ note: AuditNote?, _ outcome: WriteOutcome) -> WriteOutcome {
        if let note { audit.append(note(outcome)) }
        return outcome
    }

    /// Notes that something was forgotten, if it was there.
    func noting(_ record: AuditRecord?, _ isGone: Bool) -> Bool {
        if let record, isGone { audit.append(record) }
        return isGone
    }

    /// Entries, the newest first.
    package func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        let older = audit.entries.reversed().lazy.filter { entry in number.map { entry.number < $0 } ?? true }
        return Array(older.prefix(pageSize(limit)))
    }

    /// Entries, the oldest first.
    package func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        let newer = audit.entries.lazy.filter { entry in number.map { entry.number > $0 } ?? true }
        return Array(newer.prefix(pageSize(limit)))
    }

    /// Holds the entries that are kept against their chain.
    package func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification {
        var verifier = AuditVerifier(expecting: head.map { [$0] } ?? [], startingAt: [audit.start])
        for entry in audit.entries { guard verifier.take(entry) else { break } }
        return verifier.finish()
    }

    /// Nothing is sealed here, so there are no keys.
    package nonisolated func readKeysAgain() -> Int { 0 }

    /// The hash that stands for a device.
    package nonisolated func deviceHash(hu: [UInt8]) -> DeviceHash { DeviceHash(hu: hu, key: deviceHashKey) }
}
