import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// As many bytes as a probe writes: more than the pages that a license changes. After a license failed on a full disk the
    /// write-ahead log may have room for a few pages still, so that less would succeed where the next license fails.
    static let probeSize = 65_536

    /// Overwrites the row of the table `write_probe`, in the next commit of the write queue.
    package func probeWrite() async throws(KeyStoreError) {
        try await writes.perform(in: "write_probe") { transaction in
            // Random, since SQLite does not write a page whose content stays the same.
            let statement = try transaction.db.cachedStatement(
                sql:
                    "INSERT INTO write_probe VALUES (1, randomblob(?)) ON CONFLICT (id) DO UPDATE SET content = excluded.content"
            )
            try statement.execute(arguments: [Self.probeSize])
        }
    }
}
