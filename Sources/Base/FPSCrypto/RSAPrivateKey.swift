/// An RSA private key of 1024 to 8192 bits.
public final class RSAPrivateKey: Sendable {
    /// The library's key.
    package let backend: RSAPrivateBackend

    /// The size of the modulus in bits.
    public let bits: Int

    /// Wraps a key of the library.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey`` or ``CryptoError/Code/unsupportedKeySize``.
    package init(_ backend: RSAPrivateBackend, operation: String) throws(CryptoError) {
        bits = try requireBits(try backend.bits(operation: operation), operation: operation)
        self.backend = backend
    }

    /// Makes a new key of 1024 to 8192 bits with the public exponent 65537. FairPlay Streaming uses 1024 (SPC version
    /// 1) and 2048 (version 2).
    public static func generate(bits: Int) throws(CryptoError) -> RSAPrivateKey {
        let operation = "RSA key generation"
        let bits = try requireBits(bits, operation: operation)
        return try RSAPrivateKey(try RSAPrivateBackend.generate(bits: bits, operation: operation), operation: operation)
    }

    /// The public half.
    public var publicKey: RSAPublicKey {
        get throws(CryptoError) {
            let operation = "reading the public half of an RSA key"
            return try RSAPublicKey(try backend.publicHalf(operation: operation), operation: operation)
        }
    }

    /// Decrypts by RSAES-OAEP with SHA-1 and MGF1-SHA-1 (RFC 8017, 7.1), with an empty label.
    ///
    /// May be called from any number of threads at once. It takes as long as a few hundred other operations on a
    /// message: keep it off event loops.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` whatever is wrong with the ciphertext, its size included, and
    ///   never a reason: a caller that can tell the failures apart can decrypt without the key.
    public func decryptOAEP(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
            // A library may take a shorter one for a number with leading zeros; RFC 8017, 7.1.2 does not.
            guard ciphertext.count == (bits + 7) / 8, let message = backend.decryptOAEP(ciphertext) else {
                throw CryptoError(.decryptionFailed, operation: "RSA-OAEP decryption")
            }
            return message
        }
    }

    /// The key as PKCS#8 DER: a `PrivateKeyInfo` (RFC 5958), not encrypted.
    ///
    /// - Throws: ``CryptoError/Code/libraryFailure``, for a key that a provider does not hand out among others.
    public func encodedPKCS8() throws(CryptoError) -> SecretBytes {
        try backend.encodedPKCS8(operation: "encoding an RSA private key")
    }
}
