import CLibcrypto
import Locking

/// An RSA private key of 1024 to 8192 bits, in memory or in an OpenSSL provider.
public final class RSAPrivateKey: Sendable {
    // libcrypto counts references to a key atomically and locks what it caches inside (Montgomery values, blinding), so
    // that threads may decrypt with one key at once as long as none changes it, and nothing here does.
    nonisolated(unsafe) let key: OpaquePointer
    private let decryptionContexts = DecryptionContexts()
    /// Nil until it is asked for.
    let multiBufferKey = Lock<MultiBufferUse?>(nil)

    /// The size of the modulus in bits.
    public let bits: Int

    /// Takes over a reference to `key`, or frees it and throws.
    init(owning key: OpaquePointer, operation: String) throws(CryptoError) {
        do {
            bits = try checkedBits(key, operation: operation)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes a new key of 1024 to 8192 bits with the public exponent 65537. FairPlay Streaming uses 1024 (SPC version
    /// 1) and 2048 (version 2).
    public static func generate(bits: Int) throws(CryptoError) -> RSAPrivateKey {
        let operation = "RSA key generation"
        guard (1024...8192).contains(bits) else {
            throw CryptoError(.unsupportedKeySize, operation: operation, reason: "\(bits) bits, must be 1024 to 8192")
        }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .fromLibrary(.libraryFailure, operation: operation) }
        return try RSAPrivateKey(owning: key, operation: operation)
    }

    /// The public half.
    public var publicKey: RSAPublicKey {
        get throws(CryptoError) {
            let operation = "reading the public half of an RSA key"
            var encoding: UnsafeMutablePointer<UInt8>?
            let size = i2d_PUBKEY(key, &encoding)
            defer { clibcrypto_free(encoding) }
            guard size > 0, let encoding else { throw .fromLibrary(.libraryFailure, operation: operation) }
            var cursor: UnsafePointer<UInt8>? = UnsafePointer(encoding)
            guard let copy = d2i_PUBKEY(nil, &cursor, Int(size)) else {
                throw .fromLibrary(.libraryFailure, operation: operation)
            }
            return try RSAPublicKey(owning: copy, operation: operation)
        }
    }

    /// Decrypts by RSAES-OAEP with SHA-1 and MGF1-SHA-1 (RFC 8017, 7.1), with an empty label.
    ///
    /// May be called from any number of threads at once. It takes as long as a few hundred other operations on a
    /// message: keep it off event loops.
    ///
    /// - Throws: ``CryptoError/Code/decryptionFailed`` whatever is wrong with the ciphertext, its size included, and
    ///   never a reason: whoever can tell the failures apart can decrypt without the key.
    public func decryptOAEP(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
        try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
            let size = (bits + 7) / 8
            let message = clearingErrors { () -> SecretBytes? in
                // libcrypto would take a shorter one for a number with leading zeros; RFC 8017, 7.1.2 does not.
                guard ciphertext.count == size else { return nil }
                return decryptionContexts.withContext(for: key) { context in
                    withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
                        defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
                        var written = buffer.count
                        let result = EVP_PKEY_decrypt(
                            context,
                            buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            &written,
                            ciphertext.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            ciphertext.count
                        )
                        guard result == 1, written <= buffer.count else { return nil }
                        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<written]))
                    }
                }
            }
            guard let message else { throw CryptoError(.decryptionFailed, operation: "RSA-OAEP decryption") }
            return message
        }
    }
}
