/// The source of a store's key-encryption key.
///
/// During a rotation a source contains several keys, one per line. The store records which of them is in use; a new
/// store uses the first.
package enum KeyEncryptionKeySource: Sendable, Equatable {
    /// The file `kek` in the data folder, created together with the database.
    case dataFolder
    /// A file outside of the data folder, which must exist.
    case file(String)
    /// An environment variable with 64 hexadecimal digits.
    case environment(String)
    /// A command for `/bin/sh` that prints 64 hexadecimal digits, for example a client of a key management service.
    case command(String)
}

extension KeyEncryptionKeySource {
    /// Returns the keys of the source, or a new key if the source is a data folder without one. Do not call this on an
    /// event loop: a command may run for ``KeyCommand/timeout`` seconds.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - mayCreate: Whether a key may be created, because the store does not contain data that another key encrypts.
    /// - Throws: ``KeyStoreError`` with the codes `missingKEK`, `malformedKEK`, `unsafePermissions`, `unavailable`.
    package func keys(inFolder folder: String, mayCreate: Bool) throws(KeyStoreError) -> [KeyEncryptionKey] {
        var keys: [KeyEncryptionKey]
        let place: String
        switch self {
        case .dataFolder:
            place = folder + "/kek"
            keys = try KeyEncryptionKey.loadAll(file: place)
            if keys.isEmpty, mayCreate { keys = [try KeyEncryptionKey.create(file: place)] }
        case .file(let path):
            place = path
            keys = try KeyEncryptionKey.loadAll(file: path)
        case .environment(let variable):
            place = "environment variable \(variable)"
            keys = try KeyEncryptionKey.fromEnvironment(variable)
        case .command(let command):
            place = KeyCommand.place
            keys = try KeyCommand.run(command)
        }
        guard !keys.isEmpty else {
            throw KeyStoreError(
                .missingKEK,
                place: place,
                reason: "the key-encryption key does not exist; without it the database cannot be decrypted"
            )
        }
        return keys
    }
}
