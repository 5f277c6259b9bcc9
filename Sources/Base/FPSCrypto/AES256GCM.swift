/// AES-256 in Galois/Counter Mode (SP 800-38D), for keys that are encrypted at rest.
///
/// An encrypted message consists of a random 12-byte nonce, the ciphertext (as long as the plaintext) and a 16-byte
/// tag. Because the nonces are random, one key must not encrypt more than 2³² messages (SP 800-38D, 8.3).
public enum AES256GCM {
    /// The size of a key in bytes.
    public static let keySize = 32
    /// The size of the nonce before the ciphertext, in bytes.
    public static let nonceSize = 12
    /// The size of the tag after the ciphertext, in bytes.
    public static let tagSize = 16

    /// Encrypts `plaintext` and authenticates it together with `associatedData`, which is not part of the result.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key does not have 32 bytes.
    public static func seal(
        _ plaintext: SecretBytes,
        key: SecretBytes,
        authenticating associatedData: some Collection<UInt8> = []
    ) throws(CryptoError) -> [UInt8] {
        try plaintext.withUnsafeBytes { plaintext throws(CryptoError) in
            try withContiguousBytes(associatedData) { associatedData throws(CryptoError) in
                try seal(plaintext, key: key, authenticating: associatedData)
            }
        }
    }

    /// Encrypts `plaintext`, which is not a secret, and authenticates it together with `associatedData`.
    public static func seal(
        _ plaintext: some Collection<UInt8>,
        key: SecretBytes,
        authenticating associatedData: some Collection<UInt8> = []
    ) throws(CryptoError) -> [UInt8] {
        try withContiguousBytes(plaintext) { plaintext throws(CryptoError) in
            try withContiguousBytes(associatedData) { associatedData throws(CryptoError) in
                try seal(plaintext, key: key, authenticating: associatedData)
            }
        }
    }

    /// Decrypts and verifies the result of ``seal(_:key:authenticating:)``.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` if the key, `associatedData` or a byte of the message
    ///   differs from the encryption; ``CryptoError/Code/invalidLength`` if the key does not have 32 bytes or `sealed`
    ///   has fewer than 28.
    public static func open(
        _ sealed: some Collection<UInt8>,
        key: SecretBytes,
        authenticating associatedData: some Collection<UInt8> = []
    ) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(sealed) { sealed throws(CryptoError) in
            try withContiguousBytes(associatedData) { associatedData throws(CryptoError) in
                try open(sealed, key: key, authenticating: associatedData)
            }
        }
    }

    private static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        let operation = "AES-256-GCM encryption"
        try requireSize(key.count, keySize, of: "key", operation: operation)
        return try makeBytes(count: nonceSize + plaintext.count + tagSize) { out throws(CryptoError) in
            try seal(plaintext, to: out, key: key, authenticating: associatedData, operation: operation)
        }
    }

    private static func open(
        _ sealed: UnsafeRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer
    ) throws(CryptoError) -> SecretBytes {
        let operation = "AES-256-GCM decryption"
        try requireSize(key.count, keySize, of: "key", operation: operation)
        let size = sealed.count - nonceSize - tagSize
        guard size >= 0 else {
            let reason = "expected at least \(nonceSize + tagSize) bytes, found \(sealed.count)"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
        return try SecretBytes(count: size) { out throws(CryptoError) in
            try open(sealed, to: out, key: key, authenticating: associatedData, operation: operation)
        }
    }
}
