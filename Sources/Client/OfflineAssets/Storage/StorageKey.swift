public import FPSCrypto
import TextCoding

/// The key under which everything secret is kept on this machine: 32 bytes.
///
/// Of it come, by HMAC-SHA256, the key of AES-256-GCM and the key by which files are named, so that their names tell
/// nothing of what is in them. Each seal draws a random nonce: one key does for some 2^32 of them.
public struct StorageKey: Sendable {
    private let sealing: SecretBytes
    private let naming: SecretBytes

    /// Takes a key of 32 bytes.
    ///
    /// - Throws: ``OfflineStorageError/Code/malformedKey``.
    public init(_ secret: SecretBytes, place: String = "storage key") throws(OfflineStorageError) {
        guard secret.count == 32 else {
            throw OfflineStorageError(.malformedKey, place: place, reason: "\(secret.count) bytes, must be 32")
        }
        sealing = HMACSHA256.derive(Array("keyway offline: sealing".utf8), key: secret)
        naming = HMACSHA256.derive(Array("keyway offline: naming".utf8), key: secret)
    }

    /// The key in a file of mode 0600, which is made with random bytes when it is not there.
    ///
    /// - Throws: ``OfflineStorageError/Code/unsafePermissions`` when others may read the file, or it is not the user's own;
    ///   ``OfflineStorageError/Code/malformedKey``, ``OfflineStorageError/Code/fileSystem``.
    public static func open(_ path: String) throws(OfflineStorageError) -> StorageKey {
        if let secret = try load(path) { return try StorageKey(secret, place: path) }
        var random = SecureRandom()
        let drawn = SecretBytes(count: 32, randomFrom: &random)
        var bytes = drawn.reveal()
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        // Of two programs that start together one makes it, and both have that one.
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
                throw OfflineStorageError(.malformedKey, place: path, reason: "more than 32 bytes, must be 32")
            case .notRegular, .owner, .mode, .missing, .empty:
                let remedy = error.remedy.map { "; \($0)" } ?? ""
                throw OfflineStorageError(.unsafePermissions, place: path, reason: "it \(error.reason)\(remedy)")
            }
        }
    }

    /// What a file is called that belongs to a name: 32 hexadecimal digits, which only this key leads to.
    func fileName(for name: String) -> String {
        Hexadecimal.encode(HMACSHA256.authenticate(Array(name.utf8), key: naming).prefix(16))
    }

    // A sealed file:
    //
    // | Offset | Bytes | Field |
    // |---|---|---|
    // | 0 | 4 | "KWOS" |
    // | 4 | 1 | version of this layout, 1 |
    // | 5 | 12 | nonce |
    // | 17 | n | ciphertext |
    // | 17 + n | 16 | tag |
    //
    // The first 5 bytes and what the file is are authenticated too, so that one file cannot stand in for another.
    private static let header = Array("KWOS".utf8) + [1]

    /// Encrypts what a file is to hold.
    ///
    /// - Parameter identity: what the file is.
    func seal(_ secret: SecretBytes, as identity: String) throws(OfflineStorageError) -> [UInt8] {
        do {
            return Self.header
                + (try AES256GCM.seal(secret, key: sealing, authenticating: Self.header + Array(identity.utf8)))
        } catch {
            throw OfflineStorageError(.fileSystem, place: identity, reason: "\(error)")
        }
    }

    /// Decrypts what a file holds.
    ///
    /// - Throws: ``OfflineStorageError/Code/damaged``.
    func open(_ sealed: [UInt8], as identity: String, place: String) throws(OfflineStorageError) -> SecretBytes {
        guard sealed.starts(with: Self.header) else {
            throw OfflineStorageError(.damaged, place: place, reason: "it is no sealed file of version 1, or cut off")
        }
        do {
            return try AES256GCM.open(
                sealed.dropFirst(Self.header.count),
                key: sealing,
                authenticating: Self.header + Array(identity.utf8)
            )
        } catch {
            throw OfflineStorageError(
                .damaged,
                place: place,
                reason: "it was cut off or changed, or the storage key is another one"
            )
        }
    }
}
