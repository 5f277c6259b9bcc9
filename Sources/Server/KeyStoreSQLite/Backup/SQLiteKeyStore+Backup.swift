import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Copies a consistent state of the database to a new file of mode 0600, while other connections read and write.
    /// The secrets in the copy stay encrypted with the current key-encryption key, which is not included. If `path` is
    /// a dangling symbolic link, the file is created at the link's destination.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the file exists; ``KeyStoreError/Code/unavailable`` if it cannot be
    ///   written, or if the path is a folder, a pipe or a device.
    package func backup(to path: String) async throws(KeyStoreError) {
        try await translatingErrors(in: path) {
            let draft = try AtomicFile(for: path, replacing: false)
            defer { draft.remove() }
            let copy = try DatabaseQueue(path: draft.path)
            // One read transaction, so that all steps copy the same state.
            try await pool.read { source in
                try copy.writeWithoutTransaction { db in
                    try source.backup(to: db)
                    // Produce a single file, without a separate log.
                    _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                }
            }
            try copy.close()
            try draft.publish()
        }
    }
}
