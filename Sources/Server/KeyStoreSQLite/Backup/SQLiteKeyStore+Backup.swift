import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Copies the database as it is at one moment into a new file of mode 0600, while others read and write it. The
    /// secrets in it stay sealed: it opens with the key-encryption key of this moment, which is not in it. Where `path` is a
    /// symbolic link to nothing yet, the file is made where it leads to.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when there is such a file, ``KeyStoreError/Code/unavailable``, also when a
    ///   folder, a pipe or a device is there.
    package func backup(to path: String) async throws(KeyStoreError) {
        try await translatingErrors(in: path) {
            let draft = try AtomicFile(for: path, replacing: false)
            defer { draft.remove() }
            let copy = try DatabaseQueue(path: draft.path)
            // In a read transaction, so that all steps see one state.
            try await pool.read { source in
                try copy.writeWithoutTransaction { db in
                    try source.backup(to: db)
                    // One file, without a log beside it.
                    _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                }
            }
            try copy.close()
            try draft.publish()
        }
    }
}
