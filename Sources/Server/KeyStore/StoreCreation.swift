/// The handling of a store that does not exist when it is opened.
package enum StoreCreation: Sendable, Equatable {
    /// Opening fails with ``KeyStoreError/Code/missingStore`` and creates nothing: no folder, no key, no table.
    case never
    /// Opening creates the store, and a key-encryption key if its source is the data folder.
    case ifMissing
    /// As ``ifMissing``, but opening fails with ``KeyStoreError/Code/conflict`` if the store exists.
    case always
}
