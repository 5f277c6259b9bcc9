import KeyStore
import TextCoding

/// Finds entries of the audit log that have a text somewhere, in any case of ASCII letters: in who asked, what for, what came
/// of it and why.
struct AuditSearch: Sendable {
    /// How long a text may be, in characters as JSON Schema counts them: Unicode's scalars.
    static let limit = 200
    /// How many entries one request goes through. What lies further back, the next page finds.
    static let reach = 10_000
    private static let step = 1_000

    private let text: [UInt8]

    /// - Returns: nil when the text is empty, too long, or no UTF-8.
    init?(_ text: [UInt8]) {
        guard let characters = String(validating: text, as: UTF8.self)?.unicodeScalars.count,
            1...Self.limit ~= characters
        else { return nil }
        self.text = text.map(Self.lower)
    }

    /// The newest entries that fit, and the number before which to go on; nil when there is nothing left to go through.
    ///
    /// - Parameters:
    ///   - before: what is older than this entry; nil: everything.
    ///   - limit: how many entries at most.
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

    /// Whether the text is in one of the record's fields.
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
