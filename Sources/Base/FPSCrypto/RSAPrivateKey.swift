/// An RSA private key of 1024 to 8192 bits.
public final class RSAPrivateKey: Sendable {
    /// The key of the cryptographic library.
    package let backend: RSAPrivateBackend

    /// The size of the modulus in bits.
    public let bits: Int

    /// Creates a key from a key of the library.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey`` or ``CryptoError/Code/unsupportedKeySize``.
    package init(_ backend: RSAPrivateBackend, operation: String) throws(CryptoError) {
        bits = try requireBits(try backend.bits(operation: operation), operation: operation)
        self.backend = backend
    }

    /// Generates a key of 1024 to 8192 bits with the public exponent 65537. FairPlay Streaming uses 1024 bits (SPC
    /// version 1) and 2048 bits (version 2).
    public static func generate(bits: Int) throws(CryptoError) -> RSAPrivateKey {
        let operation = "RSA key generation"
        let bits = try requireBits(bits, operation: operation)
        return try RSAPrivateKey(try RSAPrivateBackend.generate(bits: bits, operation: operation), operation: operation)
    }

    /// The public half of the key.
    public var publicKey: RSAPublicKey {
        get throws(CryptoError) {
            let operation = "reading the public half of an RSA key"
            return try RSAPublicKey(try backend.publicHalf(operation: operation), operation: operation)
        }
    }

    /// Decrypts a message with RSAES-OAEP, with SHA-1, MGF1-SHA-1 and an empty label (RFC 8017, 7.1).
    ///
    /// Any number of threads can call this function at the same time. It takes as long as a few hundred other
    /// operations on a message, so do not call it on an event loop.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` for any error in the ciphertext, including its size. The error
    ///   never contains a reason, because an attacker who can distinguish the failures can decrypt without the key.
    public func decryptOAEP(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
            // A library can accept a shorter ciphertext as a number with leading zeros; RFC 8017, 7.1.2 does not allow
            // it.
            guard ciphertext.count == (bits + 7) / 8, let message = backend.decryptOAEP(ciphertext) else {
                throw CryptoError(.decryptionFailed, operation: "RSA-OAEP decryption")
            }
            return message
        }
    }

    /// Returns the key as unencrypted PKCS#8 DER: a `PrivateKeyInfo` (RFC 5958).
    ///
    /// - Throws: ``CryptoError/Code/libraryFailure``, for example for a key that an OpenSSL provider does not export.
    public func encodedPKCS8() throws(CryptoError) -> SecretBytes {
        try backend.encodedPKCS8(operation: "encoding an RSA private key")
    }
}
