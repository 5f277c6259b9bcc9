import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// The number of bytes that a probe writes: more than the pages that a license changes. After a license failed on a
    /// full disk, the write-ahead log may still have space for a few pages, so a smaller write could succeed although
    /// the next license would fail.
    static let probeSize = 65_536

    /// Overwrites the row of the table `write_probe`, in the next commit of the write queue.
    package func probeWrite() async throws(KeyStoreError) {
        try await writes.perform(in: "write_probe") { transaction in
            // The content is random, because SQLite does not write a page whose content does not change.
            let statement = try transaction.db.cachedStatement(
                sql:
                    "INSERT INTO write_probe VALUES (1, randomblob(?)) ON "
                    + "CONFLICT (id) DO UPDATE SET content = excluded.content"
            )
            try statement.execute(arguments: [Self.probeSize])
        }
    }
}
