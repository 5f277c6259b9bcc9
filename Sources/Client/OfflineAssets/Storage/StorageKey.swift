public import FPSCrypto
import TextCoding

/// The key that encrypts all secrets in local storage: 32 bytes.
///
/// HMAC-SHA256 derives from it an AES-256-GCM key and a key for file names, so that file names do not reveal their
/// contents. Each encryption uses a random nonce: one key is good for about 2^32 encryptions.
public struct StorageKey: Sendable {
    private let encryptionKey: SecretBytes
    private let fileNameKey: SecretBytes

    /// Creates a storage key from 32 bytes.
    ///
    /// - Throws: ``OfflineStorageError/Code/malformedKey``.
    public init(_ secret: SecretBytes, place: String = "storage key") throws(OfflineStorageError) {
        guard secret.count == 32 else {
            throw OfflineStorageError(
                .malformedKey,
                place: place,
                reason: "\(counted(secret.count, "byte")), expected 32"
            )
        }
        encryptionKey = HMACSHA256.derive(Array("keyway offline: sealing".utf8), key: secret)
        fileNameKey = HMACSHA256.derive(Array("keyway offline: naming".utf8), key: secret)
    }

    /// Loads the key from a file of mode 0600, which is created with random bytes if it does not exist. In a folder
    /// that is read-only, the key is not stored.
    ///
    /// - Throws: ``OfflineStorageError/Code/unsafePermissions`` if others can read the file, or the user does not own
    ///   it;
    ///   ``OfflineStorageError/Code/malformedKey``, ``OfflineStorageError/Code/fileSystem``.
    public static func open(_ path: String) throws(OfflineStorageError) -> StorageKey {
        if let secret = try load(path) { return try StorageKey(secret, place: path) }
        var random = SecureRandom()
        let drawn = SecretBytes(count: 32, randomFrom: &random)
        // Nothing can be stored in such a folder, so the key is not needed later.
        guard !DurableFile.isReadOnly(DurableFile.parent(of: path) ?? ".") else {
            return try StorageKey(drawn, place: path)
        }
        var bytes = drawn.reveal()
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        // If two processes start together, only one creates the file, and both use it.
        guard try !DurableFile.create(bytes, at: path) else { return try StorageKey(drawn, place: path) }
        guard let secret = try load(path) else { throw .system("open", path) }
        return try StorageKey(secret, place: path)
    }

    private static func load(_ path: String) throws(OfflineStorageError) -> SecretBytes? {
        do throws(SecretFileError) {
            return try SecretFile.readIfPresent(path, limit: 32)
        } catch {
            switch error.problem {
            case .unreadable(let number): throw .system("open", path, number)
            case .tooLong:
                throw OfflineStorageError(.malformedKey, place: path, reason: "more than 32 bytes, expected 32")
            case .notRegular, .owner, .mode, .missing, .empty:
                let remedy = error.remedy.map { "; \($0)" } ?? ""
                throw OfflineStorageError(.unsafePermissions, place: path, reason: "it \(error.reason)\(remedy)")
            }
        }
    }

    /// Returns the file name for a name: 32 hexadecimal digits, which can be computed only with this key.
    func fileName(for name: String) -> String {
        Hexadecimal.encode(HMACSHA256.authenticate(Array(name.utf8), key: fileNameKey).prefix(16))
    }

    // The format of an encrypted file:
    //
    // | Offset | Bytes | Field |
    // |---|---|---|
    // | 0 | 4 | "KWOS" |
    // | 4 | 1 | version of this format, 1 |
    // | 5 | 12 | nonce |
    // | 17 | n | ciphertext |
    // | 17 + n | 16 | tag |
    //
    // The first 5 bytes and the identity of the file are authenticated too, so that files cannot be swapped.
    private static let header = Array("KWOS".utf8) + [1]

    /// Encrypts the contents of a file.
    ///
    /// - Parameter identity: The identity of the file.
    func encrypt(_ secret: SecretBytes, as identity: String) throws(OfflineStorageError) -> [UInt8] {
        do {
            return Self.header
                + (try AES256GCM.seal(secret, key: encryptionKey, authenticating: Self.header + Array(identity.utf8)))
        } catch {
            throw OfflineStorageError(.fileSystem, place: identity, reason: "\(error)")
        }
    }

    /// Decrypts the contents of a file.
    ///
    /// - Throws: ``OfflineStorageError/Code/damaged``.
    func decrypt(_ encrypted: [UInt8], as identity: String, place: String) throws(OfflineStorageError) -> SecretBytes {
        guard encrypted.starts(with: Self.header) else {
            throw OfflineStorageError(
                .damaged,
                place: place,
                reason: "the file is not an encrypted file of version 1, or is truncated"
            )
        }
        do {
            return try AES256GCM.open(
                encrypted.dropFirst(Self.header.count),
                key: encryptionKey,
                authenticating: Self.header + Array(identity.utf8)
            )
        } catch {
            throw OfflineStorageError(
                .damaged,
                place: place,
                reason: "the file was truncated or changed, or the storage key is not the one that encrypted it"
            )
        }
    }
}
