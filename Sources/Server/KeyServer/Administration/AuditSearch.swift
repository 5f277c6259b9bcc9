import KeyStore
import TextCoding

/// Searches the audit log for entries that contain a text in any field, ignoring the case of ASCII letters.
struct AuditSearch: Sendable {
    /// The maximum length of the text, in Unicode scalars, as in JSON Schema.
    static let limit = 200
    /// The maximum number of entries that one request searches. Older entries are searched for the next page.
    static let reach = 100_000
    private static let step = 1_000

    private let text: [UInt8]

    /// Creates a search; nil if the text is empty, too long, or not UTF-8.
    init?(_ text: [UInt8]) {
        guard let characters = String(validating: text, as: UTF8.self)?.unicodeScalars.count,
            1...Self.limit ~= characters
        else { return nil }
        self.text = ASCIIText.lowercased(text)
    }

    /// Returns the newest matching entries.
    ///
    /// - Parameters:
    ///   - filter: The conditions that entries must fulfill, too.
    ///   - before: The number of the entry before which to start; nil means the newest.
    ///   - limit: The maximum number of entries.
    ///   - isOver: Returns true if the search must end, after at least one step.
    func page(
        of store: any AuditLog,
        matching filter: AuditFilter,
        before: Int64?,
        limit: Int,
        isOver: () -> Bool
    ) async throws(KeyStoreError) -> AuditPage {
        var result = AuditPage()
        var last = before
        repeat {
            let page = try await store.auditEntries(matching: filter, before: last, limit: Self.step)
            for entry in page.entries where fits(entry.record) {
                result.entries.append(entry)
                guard result.entries.count == limit else { continue }
                result.searched += page.entries.count { $0.number >= entry.number }
                result.oldest = entry.record.milliseconds
                result.next = entry.number
                return result
            }
            result.searched += page.searched
            result.oldest = page.oldest ?? result.oldest
            result.next = page.next
            last = page.next
        } while last != nil && result.searched < Self.reach && !isOver()
        return result
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
        ASCIIText.contains(ASCIIText.lowercased(bytes), text)
    }
}
