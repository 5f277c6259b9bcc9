import TextCoding

/// A search for names in all tables, by prefix.
package protocol SearchStore: Sendable {
    /// Returns names that begin with a text, from indexes.
    ///
    /// - Parameter limit: The maximum number of names of each kind, 1 to 1,000.
    func names(matching text: SearchText, limit: Int) async throws(KeyStoreError) -> FoundNames
}

/// The text of a search, and what it means for each kind of name.
package struct SearchText: Sendable, Equatable {
    /// The text, at least 1 character.
    package let text: String

    /// Creates a search.
    package init(_ text: String) { self.text = text }

    /// The asset IDs: those that begin with the text, or with the bytes of hexadecimal digits after `0x`.
    package var assetPrefix: [UInt8] {
        guard text.hasPrefix("0x"), let bytes = Hexadecimal.decode(text.dropFirst(2)), !bytes.isEmpty else {
            return Array(text.utf8)
        }
        return bytes
    }

    /// The first and last device whose hash begins with the text; nil if the text is not 1 to 32 hexadecimal digits.
    package var devices: ClosedRange<ListValue>? {
        let count = text.utf8.count
        guard 1...32 ~= count,
            let first = Hexadecimal.decode(text + String(repeating: "0", count: 32 - count)),
            let last = Hexadecimal.decode(text + String(repeating: "f", count: 32 - count))
        else { return nil }
        return .bytes(first) ... .bytes(last)
    }
}

/// Names that begin with a text, sorted.
package struct FoundNames: Sendable, Equatable {
    /// The accounts in the audit log.
    package var accounts: [String] = []
    /// The titles.
    package var titles: [String] = []
    /// The asset IDs of content.
    package var assets: [[UInt8]] = []
    /// The devices in the audit log.
    package var devices: [DeviceHash] = []
    /// The policies.
    package var policies: [String] = []
    /// The request IDs in the audit log.
    package var requestIDs: [String] = []

    /// Creates an empty result.
    package init() {}
}
