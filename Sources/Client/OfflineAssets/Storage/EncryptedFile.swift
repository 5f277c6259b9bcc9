public import FPSCrypto

/// An encrypted file with one secret, of mode 0600, written atomically.
public struct EncryptedFile: Sendable {
    /// The path of the file.
    public let path: String
    private let identity: String
    private let key: StorageKey
    private static let maximumSize = 64 << 20

    /// Creates a reference to a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - identity: The identity of the file, which is authenticated: a file that was encrypted with another identity
    ///     cannot be decrypted.
    ///   - key: The storage key.
    public init(_ path: String, as identity: String, key: StorageKey) {
        (self.path, self.identity, self.key) = (path, identity, key)
    }

    /// True if the folder of the file cannot be written.
    public var isReadOnly: Bool { DurableFile.isReadOnly(DurableFile.parent(of: path) ?? ".") }

    /// Runs a function while other processes that use this method cannot change the file.
    public func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        let lock = try FileLock(path + ".lock", .exclusive)
        return try withExtendedLifetime(lock) { try body() }
    }

    /// Decrypts the file; nil if it does not exist.
    public func read() throws(OfflineStorageError) -> SecretBytes? {
        guard let encrypted = try DurableFile.read(path, limit: Self.maximumSize) else { return nil }
        return try key.decrypt(encrypted, as: identity, place: path)
    }

    /// Encrypts a secret and replaces the file; the change is on the disk when this returns.
    public func write(_ secret: SecretBytes) throws(OfflineStorageError) {
        try DurableFile.write(try key.encrypt(secret, as: identity), to: path)
    }
}
