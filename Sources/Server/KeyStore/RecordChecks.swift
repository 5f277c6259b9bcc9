import TextCoding

/// The limits of records' fields. Initializers of records check them.
package enum RecordLimits {
    package static let assetID = 2...200
    package static let name = 1...100
    package static let keyURITemplate = 1...1_000
    package static let batch = 1_000
    package static let policyDocument = 1...65_536
    package static let certificate = 1...16_384
    package static let privateKey = 1...16_384
    package static let prefixes = 1_000
    package static let pluginData = 65_536
}

/// Returns an asset ID as text if it is printable ASCII, otherwise in hexadecimal.
package func displayName(ofAssetID assetID: [UInt8]) -> String {
    assetID.allSatisfy { (0x21...0x7E).contains($0) }
        ? String(decoding: assetID, as: UTF8.self) : "0x" + Hexadecimal.encode(assetID)
}

func requireCount(
    _ bytes: [UInt8]?,
    _ counts: ClosedRange<Int>,
    _ field: String,
    in place: String
) throws(KeyStoreError) {
    guard let bytes, !counts.contains(bytes.count) else { return }
    let expected = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
    throw KeyStoreError(
        .invalidRecord,
        place: place,
        reason: "\(field) has \(counted(bytes.count, "byte")), not \(expected)"
    )
}

func requireCount(_ count: Int, _ expected: Int, _ field: String, in place: String) throws(KeyStoreError) {
    guard count != expected else { return }
    throw KeyStoreError(.invalidRecord, place: place, reason: "\(field) has \(counted(count, "byte")), not \(expected)")
}

/// Throws if a name is not 1 to 100 letters, digits, dots, hyphens and underscores. Names appear in paths, logs and
/// file names.
package func requireName(_ name: String, in place: String) throws(KeyStoreError) {
    let allowed = name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
    guard allowed, RecordLimits.name.contains(name.utf8.count) else {
        throw KeyStoreError(
            .invalidRecord,
            place: place,
            reason: "a name must have 1 to 100 ASCII letters, digits, dots, hyphens and underscores"
        )
    }
}

/// Returns the number of rows per page: `limit`, clamped to 1...1,000.
package func pageSize(_ limit: Int) -> Int { min(max(limit, 1), 1_000) }
