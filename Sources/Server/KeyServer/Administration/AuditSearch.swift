import KeyStore
import TextCoding

/// Searches the audit log for entries that contain a text in any field, ignoring the case of ASCII letters.
struct AuditSearch: Sendable {
    /// The maximum length of the text, in Unicode scalars, as in JSON Schema.
    static let limit = 200
    /// The number of entries that one request searches. Older entries are searched for the next page.
    static let reach = 10_000
    private static let step = 1_000

    private let text: [UInt8]

    /// Creates a search; nil if the text is empty, too long, or not UTF-8.
    init?(_ text: [UInt8]) {
        guard let characters = String(validating: text, as: UTF8.self)?.unicodeScalars.count,
            1...Self.limit ~= characters
        else { return nil }
        self.text = text.map(Self.lower)
    }

    /// Returns the newest matching entries, and the number of the entry before which to continue; nil if all entries
    /// have been searched.
    ///
    /// - Parameters:
    ///   - before: The number of the entry before which to start; nil means the newest.
    ///   - limit: The maximum number of entries.
    func page(
        of store: any AuditLog,
        before: Int64?,
        limit: Int
    ) async throws(KeyStoreError) -> (entries: [AuditEntry], next: Int64?) {
        var found: [AuditEntry] = []
        var last = before
        for _ in 0..<(Self.reach / Self.step) {
            let entries = try await store.auditEntries(before: last, limit: Self.step)
            for entry in entries where fits(entry.record) {
                found.append(entry)
                if found.count == limit { return (found, entry.number) }
            }
            guard entries.count == Self.step, let number = entries.last?.number else { return (found, nil) }
            last = number
        }
        return (found, last)
    }

    /// Returns whether one of the record's fields contains the text.
    func fits(_ record: AuditRecord) -> Bool {
        let texts = [
            record.account, record.outcome, record.detail, record.policyName, record.deviceClass, record.bundleName,
            record.route, record.requestID, record.remoteAddress,
            record.device.map { Hexadecimal.encode($0.bytes) },
            record.transactionID.map { Hexadecimal.encode($0) },
            record.sessionID.map { Hexadecimal.encode($0) },
        ]
        return record.assetID.map(contains) ?? false
            || texts.contains { text in text.map { contains($0.utf8) } ?? false }
    }

    private func contains(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = bytes.map(Self.lower)
        guard bytes.count >= text.count else { return false }
        return (0...(bytes.count - text.count)).contains { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte
    }
}
