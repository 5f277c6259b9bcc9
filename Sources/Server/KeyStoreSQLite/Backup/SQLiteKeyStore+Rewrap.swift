package import KeyStore

/// What came of sealing a data folder's secrets under another key.
package struct RewrapOutcome: Sendable, Equatable {
    /// Whether the new key was made now.
    package let createdKey: Bool
    /// Whether the secrets were sealed anew now; false when an earlier run had done it.
    package let reencrypted: Bool
    /// Where the former key is kept, if it was in the data folder.
    package let oldKeyFile: String?
}

extension SQLiteKeyStore {
    /// Seals every secret of a data folder under the key in another file, which is made where there is none.
    ///
    /// The order survives a crash at any moment: the new key is on disk before anything is sealed under it; if the data
    /// folder held the key, it gets the new one after that; then what was sealed under the old one is cleared away. Cut
    /// off in between, it is finished by doing it again. Another process that has the database open gets
    /// ``KeyStoreError/Code/wrongKEK`` from the moment of the change, until it is started with the new key.
    ///
    /// - Throws: what opening the store, ``rotate(to:)`` and ``compact()`` throw.
    package static func rewrap(
        dataFolder folder: String,
        key source: KeyEncryptionKeySource,
        newKeyFile: String
    ) async throws(KeyStoreError) -> RewrapOutcome {
        // Before a key is made: a mistyped folder leaves nothing behind.
        try requireDatabase(inFolder: folder)
        let kept = try KeyEncryptionKey.load(file: newKeyFile)
        let key: KeyEncryptionKey = if let kept { kept } else { try .create(file: newKeyFile) }
        let (store, isUnderNewKey) = try opened(folder, source, newKeyFile)
        do {
            let isReencrypted = !isUnderNewKey && store.keys.current.id != key.id
            if isReencrypted { try await store.rotate(to: key) }
            let former = source == .dataFolder ? try key.install(file: folder + "/kek") : nil
            try await store.compact()
            try store.close()
            return RewrapOutcome(createdKey: kept == nil, reencrypted: isReencrypted, oldKeyFile: former)
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Opens the store with its key, or with the new one if it was sealed anew already.
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
