package import KeyStore

/// The result of encrypting a data folder's secrets with another key.
package struct RewrapOutcome: Sendable, Equatable {
    /// True if the new key was created.
    package let createdKey: Bool
    /// True if this run encrypted the secrets; false if an earlier run had already done so.
    package let reencrypted: Bool
    /// The path where the old key is saved, if it was in the data folder.
    package let oldKeyFile: String?
}

extension SQLiteKeyStore {
    /// Encrypts every secret of a data folder with the key in another file, which is created if it does not exist.
    ///
    /// The order of steps survives a crash at any point: the new key is on disk before any secret is encrypted with it;
    /// a key in the data folder is replaced after that; finally, data encrypted with the old key is removed from the
    /// file. An interrupted call can be repeated. Another process that has the database open gets
    /// ``KeyStoreError/Code/wrongKEK`` from the change on, until it has loaded the new key.
    ///
    /// - Throws: The errors of opening the store, of ``rotate(to:)`` and of ``compact()``.
    package static func rewrap(
        dataFolder folder: String,
        key source: KeyEncryptionKeySource,
        newKeyFile: String
    ) async throws(KeyStoreError) -> RewrapOutcome {
        // Checked before a key is created, so that a mistyped folder creates no file.
        try requireDatabase(inFolder: folder)
        let existing = try KeyEncryptionKey.load(file: newKeyFile)
        let key: KeyEncryptionKey = if let existing { existing } else { try .create(file: newKeyFile) }
        let (store, isUnderNewKey) = try opened(folder, source, newKeyFile)
        do {
            let isReencrypted = !isUnderNewKey && store.keys.current.id != key.id
            if isReencrypted { try await store.rotate(to: key) }
            let previous = source == .dataFolder ? try key.install(file: folder + "/kek") : nil
            try await store.compact()
            try store.close()
            return RewrapOutcome(createdKey: existing == nil, reencrypted: isReencrypted, oldKeyFile: previous)
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Opens the store with its key, or with the new key if the store is already encrypted with it.
    private static func opened(
        _ folder: String,
        _ source: KeyEncryptionKeySource,
        _ newKeyFile: String
    ) throws(KeyStoreError) -> (store: SQLiteKeyStore, isUnderNewKey: Bool) {
        do {
            return (try SQLiteKeyStore(dataFolder: folder, key: source, creating: .never), false)
        } catch {
            guard error.code == .wrongKEK else { throw error }
            return (try SQLiteKeyStore(dataFolder: folder, key: .file(newKeyFile), creating: .never), true)
        }
    }
}
