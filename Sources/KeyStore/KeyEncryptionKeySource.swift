/// Where the key-encryption key of a data folder comes from.
public enum KeyEncryptionKeySource: Sendable, Equatable {
    /// The file `kek` in the data folder, created together with the database.
    case dataFolder
    /// A file outside of it, which must be there.
    case file(String)
    /// An environment variable with 64 hexadecimal digits.
    case environment(String)
}

extension KeyEncryptionKeySource {
    /// The key, or the one that is made now in a data folder that has none.
    ///
    /// - Parameters:
    ///   - folder: the data folder.
    ///   - mayCreate: whether there is nothing yet that another key has sealed.
    /// - Throws: ``KeyStoreError`` with the codes `missingKEK`, `malformedKEK`, `unsafePermissions`, `unavailable`.
    package func key(inFolder folder: String, mayCreate: Bool) throws(KeyStoreError) -> KeyEncryptionKey {
        var key: KeyEncryptionKey?
        let place: String
        switch self {
        case .dataFolder:
            place = folder + "/kek"
            key = try KeyEncryptionKey.load(file: place)
            if key == nil, mayCreate { key = try KeyEncryptionKey.create(file: place) }
        case .file(let path):
            place = path
            key = try KeyEncryptionKey.load(file: path)
        case .environment(let variable):
            place = "environment variable \(variable)"
            key = try KeyEncryptionKey.fromEnvironment(variable)
        }
        guard let key else {
            throw KeyStoreError(.missingKEK, place: place, reason: "the database cannot be read without its key")
        }
        return key
    }
}
