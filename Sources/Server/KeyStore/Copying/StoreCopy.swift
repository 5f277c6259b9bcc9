import FPSCrypto

/// The rows of a store, to be copied from or to. Nobody else writes them meanwhile.
package protocol CopyEnd {
    /// Hands over every row of a table in the order of its key, some hundred at a time.
    func read(_ table: CopiedTable, _ take: ([CopiedRow]) throws -> Void) throws

    /// Adds rows to a table.
    func write(_ rows: [CopiedRow], into table: CopiedTable) throws
}

/// Everything that one store keeps, put into another that is empty.
package struct StoreCopy: Sendable {
    /// How many rows each table has, in the order in which they were copied.
    package private(set) var counts: [(table: String, rows: Int)] = []

    /// How many rows there are.
    package var rows: Int { counts.reduce(0) { $0 + $1.rows } }

    /// Copies, and then reads both ends and compares them: every row, every byte.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the target has anything, ``KeyStoreError/Code/corrupt`` when the two
    ///   are not the same in the end; what reading and writing throws. What was written by then is of no use.
    package init(from source: some CopyEnd, to target: some CopyEnd) throws {
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
                sent.take(rows)
            }
            var found = Digest()
            try target.read(table) { found.take($0) }
            guard sent == found else {
                throw KeyStoreError(
                    .corrupt,
                    place: table.name,
                    reason: "\(found.count) rows arrived of \(sent.count), or others than were sent"
                )
            }
            counts.append((table.name, found.count))
        }
    }

    /// What a table holds, in 32 bytes: the hash over the one before it and the next row.
    private struct Digest: Equatable {
        var count = 0
        var hash = [UInt8](repeating: 0, count: SHA256.size)

        mutating func take(_ rows: [CopiedRow]) {
            for row in rows { hash = SHA256.hash(hash + CopiedTable.encoded(row)) }
            count += rows.count
        }
    }
}
