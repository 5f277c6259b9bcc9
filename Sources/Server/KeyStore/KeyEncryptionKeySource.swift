/// Where the key-encryption key of a store comes from.
///
/// While a key is being changed a source holds several, a line each. Which of them is in use the store says; a new store
/// begins with the first.
package enum KeyEncryptionKeySource: Sendable, Equatable {
    /// The file `kek` in the data folder, created together with the database.
    case dataFolder
    /// A file outside of it, which must be there.
    case file(String)
    /// An environment variable with 64 hexadecimal digits.
    case environment(String)
    /// A command for `/bin/sh` that prints 64 hexadecimal digits, such as one that asks a key management service.
    case command(String)
}

extension KeyEncryptionKeySource {
    /// The keys, or the one that is made now in a data folder that has none. Not for an event loop: a command may take
    /// ``KeyCommand/patience``.
    ///
    /// - Parameters:
    ///   - folder: the data folder.
    ///   - mayCreate: whether there is nothing yet that another key has sealed.
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
            throw KeyStoreError(.missingKEK, place: place, reason: "the database cannot be read without its key")
        }
        return keys
    }
}
