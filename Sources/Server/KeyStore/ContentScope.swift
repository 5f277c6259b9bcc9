/// The content that a certificate bundle may be used for.
package enum ContentScope: Sendable, Equatable {
    /// Every asset.
    case all
    /// Assets whose ID starts with one of these byte strings, each of 1 to 200 bytes. An empty list matches no asset.
    case assetIDPrefixes([[UInt8]])

    /// Returns whether the scope includes the asset.
    package func covers(assetID: [UInt8]) -> Bool {
        switch self {
        case .all: true
        case .assetIDPrefixes(let prefixes): prefixes.contains { assetID.starts(with: $0) }
        }
    }
}

extension ContentScope {
    /// The scope as bytes for a database column: nil for all assets, otherwise each prefix, preceded by a byte with its
    /// length.
    package var encoded: [UInt8]? {
        switch self {
        case .all: nil
        case .assetIDPrefixes(let prefixes): prefixes.flatMap { [UInt8($0.count)] + $0 }
        }
    }

    /// Decodes the bytes of ``encoded``; nil if they are damaged.
    package init?(encoded: [UInt8]?) {
        guard var rest = encoded?[...] else {
            self = .all
            return
        }
        var prefixes: [[UInt8]] = []
        while let count = rest.popFirst() {
            guard count > 0, count <= rest.count else { return nil }
            prefixes.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        self = .assetIDPrefixes(prefixes)
    }

    func check(in place: String) throws(KeyStoreError) {
        guard case .assetIDPrefixes(let prefixes) = self else { return }
        guard prefixes.count <= RecordLimits.prefixes else {
            throw KeyStoreError(
                .invalidRecord,
                place: place,
                reason: "expected at most \(RecordLimits.prefixes) asset ID prefixes, not \(prefixes.count)"
            )
        }
        for prefix in prefixes {
            try requireCount(prefix, 1...RecordLimits.assetID.upperBound, "asset ID prefix", in: place)
        }
    }
}
