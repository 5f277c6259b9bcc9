public import FPSCrypto

/// One secret in a file: encrypted, of mode 0600, and there whole or not at all.
public struct SealedFile: Sendable {
    /// Where it is.
    public let path: String
    private let identity: String
    private let key: StorageKey
    private static let maximumSize = 64 << 20

    /// Names a file.
    ///
    /// - Parameter identity: what it is; a file that was sealed as something else does not open.
    public init(_ path: String, as identity: String, key: StorageKey) {
        (self.path, self.identity, self.key) = (path, identity, key)
    }

    /// Does something while no other program changes the file, as far as all do so by this.
    public func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        let lock = try FileLock(path + ".lock", .exclusive)
        return try withExtendedLifetime(lock) { try body() }
    }

    /// What it holds; nil when it is not there.
    public func read() throws(OfflineStorageError) -> SecretBytes? {
        guard let sealed = try DurableFile.read(path, limit: Self.maximumSize) else { return nil }
        return try key.open(sealed, as: identity, place: path)
    }

    /// Puts a secret in the place of what it holds, for good once this returns.
    public func write(_ secret: SecretBytes) throws(OfflineStorageError) {
        try DurableFile.write(try key.seal(secret, as: identity), to: path)
    }
}
