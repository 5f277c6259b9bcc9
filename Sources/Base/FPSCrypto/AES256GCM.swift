/// AES-256 in Galois/Counter Mode (SP 800-38D), for keys at rest.
///
/// A sealed message is a random 12-byte nonce, the ciphertext (as long as the plaintext) and a 16-byte tag. Because the
/// nonces are random, one key may seal 2³² messages at most (SP 800-38D, 8.3).
public enum AES256GCM {
    /// The size of a key in bytes.
    public static let keySize = 32
    /// The size of the nonce in front of the ciphertext in bytes.
    public static let nonceSize = 12
    /// The size of the tag behind the ciphertext in bytes.
    public static let tagSize = 16

    /// Encrypts `plaintext` and authenticates it together with `associatedData`, which is not part of the result.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key is not 32 bytes.
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

    /// Encrypts plain bytes the same way.
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

    /// Decrypts what ``seal(_:key:authenticating:)`` made.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` if the key, `associatedData` or any byte is not the one it
    ///   was sealed with; ``CryptoError/Code/invalidLength`` if the key is not 32 bytes or `sealed` is shorter than 28.
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
            let reason = "\(sealed.count) bytes, at least \(nonceSize + tagSize) expected"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
        return try SecretBytes(count: size) { out throws(CryptoError) in
            try open(sealed, to: out, key: key, authenticating: associatedData, operation: operation)
        }
    }
}
