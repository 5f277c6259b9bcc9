import FPSCrypto
import TextCoding

/// The source or the target of a copy. No other connection writes to it during the copy.
package protocol CopyEndpoint {
    /// Passes every row of a table to `body` in the order of its primary key, a few hundred at a time.
    func read(_ table: CopiedTable, _ body: ([CopiedRow]) throws -> Void) throws

    /// Inserts rows into a table.
    func write(_ rows: [CopiedRow], into table: CopiedTable) throws
}

/// The copy of one store's data into another, empty store.
package struct StoreCopy: Sendable {
    /// The number of rows of each table, in the order in which they were copied.
    package private(set) var counts: [(table: String, rows: Int)] = []

    /// The total number of rows.
    package var rows: Int { counts.reduce(0) { $0 + $1.rows } }

    /// Copies all tables, then reads source and target and compares every row byte by byte.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the target is not empty, ``KeyStoreError/Code/corrupt`` if the copy
    ///   differs from the source, and the errors of reading and writing. After an error, the target is unusable.
    package init(from source: some CopyEndpoint, to target: some CopyEndpoint) throws {
        for table in CopiedTable.all {
            try target.read(table) { rows in
                guard rows.isEmpty else {
                    throw KeyStoreError(.conflict, place: table.name, reason: "the store to copy to is not empty")
                }
            }
        }
        for table in CopiedTable.all {
            var sent = Digest()
            try source.read(table) { rows in
                try target.write(rows, into: table)
                sent.update(rows)
            }
            var found = Digest()
            try target.read(table) { found.update($0) }
            guard sent == found else {
                throw KeyStoreError(
                    .corrupt,
                    place: table.name,
                    reason:
                        "the copy has \(counted(found.count, "row")) and the source \(sent.count), or their "
                        + "contents differ"
                )
            }
            counts.append((table.name, found.count))
        }
    }

    /// A digest of a table, 32 bytes: for each row, the hash of the previous hash and the row.
    private struct Digest: Equatable {
        var count = 0
        var hash = [UInt8](repeating: 0, count: SHA256.size)

        mutating func update(_ rows: [CopiedRow]) {
            for row in rows { hash = SHA256.hash(hash + CopiedTable.encoded(row)) }
            count += rows.count
        }
    }
}
