/// What opening a store does where there is none.
package enum StoreCreation: Sendable, Equatable {
    /// It fails with ``KeyStoreError/Code/missingStore`` and leaves nothing behind: no folder, no key, no table.
    case never
    /// It creates the store, with a key-encryption key where that is to be in the data folder.
    case ifMissing
    /// As ``ifMissing``; where there is a store it fails with ``KeyStoreError/Code/conflict``.
    case always
}
