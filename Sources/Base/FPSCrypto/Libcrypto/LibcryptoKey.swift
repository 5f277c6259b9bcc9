#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto
package import Locking

/// The RSA public keys of this backend.
package typealias RSAPublicBackend = LibcryptoKey
/// The RSA private keys of this backend. The type is the same as for public keys, because libcrypto uses one type for
/// both.
package typealias RSAPrivateBackend = LibcryptoKey

/// A reference to an `EVP_PKEY`: a key in memory or in an OpenSSL provider.
package final class LibcryptoKey: Sendable {
    // libcrypto counts references to a key atomically and locks its internal caches (Montgomery values, blinding), so
    // several threads can use one key at the same time if no thread changes it. This code never changes a key.
    /// The key, which is valid as long as this object exists.
    package nonisolated(unsafe) let pointer: OpaquePointer
    private let decryptionContexts = DecryptionContexts()
    /// A cached value that another module has computed for the key, if any.
    package let attachment = Lock<(any Sendable)?>(nil)

    /// Creates a key that takes ownership of one reference to `pointer`.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Generates a key with the public exponent 65537.
    static func generate(bits: Int, operation: String) throws(CryptoError) -> LibcryptoKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .fromLibrary(.libraryFailure, operation: operation) }
        return LibcryptoKey(owning: key)
    }

    /// Parses the DER of an unencrypted private key. Returns nil if the data is not such a key or is damaged.
    static func privateKey(der: UnsafeRawBufferPointer, operation: String) throws(CryptoError) -> LibcryptoKey? {
        let start = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var cursor = start
        guard let pointer = clearingErrors({ d2i_AutoPrivateKey(nil, &cursor, der.count) }) else { return nil }
        let key = LibcryptoKey(owning: pointer)
        return cursor == start.map { $0 + der.count } ? key : nil
    }

    /// Returns whether the data is the DER of an `EncryptedPrivateKeyInfo` (RFC 5958, 3).
    static func isEncryptedPrivateKey(der: UnsafeRawBufferPointer) -> Bool {
        let start = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var cursor = start
        guard let encrypted = clearingErrors({ d2i_X509_SIG(nil, &cursor, der.count) }) else { return false }
        X509_SIG_free(encrypted)
        return cursor == start.map { $0 + der.count }
    }

    /// Returns the size of the modulus in bits.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey``.
    func bits(operation: String) throws(CryptoError) -> Int {
        guard EVP_PKEY_is_a(pointer, "RSA") == 1 else {
            let name = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) }
            throw CryptoError(
                .notAnRSAKey,
                operation: operation,
                reason: name.map { "the algorithm of the key is \($0)" }
            )
        }
        return Int(EVP_PKEY_get_bits(pointer))
    }

    /// Returns a copy of the public half.
    func publicHalf(operation: String) throws(CryptoError) -> LibcryptoKey {
        var encoding: UnsafeMutablePointer<UInt8>?
        let size = i2d_PUBKEY(pointer, &encoding)
        defer { clibcrypto_free(encoding) }
        guard size > 0, let encoding else { throw .fromLibrary(.libraryFailure, operation: operation) }
        var cursor: UnsafePointer<UInt8>? = UnsafePointer(encoding)
        guard let copy = d2i_PUBKEY(nil, &cursor, Int(size)) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        return LibcryptoKey(owning: copy)
    }

    /// Returns whether this is the public half of `key`.
    func isPublicHalf(of key: LibcryptoKey) -> Bool {
        clearingErrors { EVP_PKEY_eq(pointer, key.pointer) == 1 }
    }

    /// Returns the unencrypted PKCS#8 DER of a private key.
    func encodedPKCS8(operation: String) throws(CryptoError) -> SecretBytes {
        guard let information = EVP_PKEY2PKCS8(pointer) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        guard let encoding = MemoryBIO.written({ i2d_PKCS8_PRIV_KEY_INFO_bio($0, information) }) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        return encoding
    }

    /// Encrypts a message with RSAES-OAEP. The message must fit; the result has `size` bytes.
    func encryptOAEP(_ message: SecretBytes, size: Int, operation: String) throws(CryptoError) -> [UInt8] {
        guard let context = oaepContext(pointer, initializing: EVP_PKEY_encrypt_init) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { EVP_PKEY_CTX_free(context) }
        return try message.withUnsafeBytes { message throws(CryptoError) in
            try makeBytes(count: size) { out throws(CryptoError) in
                var written = out.count
                let result = EVP_PKEY_encrypt(
                    context,
                    out.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &written,
                    message.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    message.count
                )
                guard result == 1, written == size else {
                    throw .fromLibrary(.libraryFailure, operation: operation)
                }
            }
        }
    }

    /// Decrypts a ciphertext, which must be as long as the modulus, with RSAES-OAEP. Returns nil for any failure.
    func decryptOAEP(_ ciphertext: UnsafeRawBufferPointer) -> SecretBytes? {
        clearingErrors {
            decryptionContexts.withContext(for: pointer) { context in
                withUnsafeTemporaryAllocation(byteCount: ciphertext.count, alignment: 16) { buffer in
                    defer { SecretBytes.wipe(buffer) }
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
    }
}

/// Returns a context for RSAES-OAEP with SHA-1 and MGF1-SHA-1, or nil with the reason in the error queue.
func oaepContext(_ key: OpaquePointer, initializing: (OpaquePointer) -> Int32) -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
    // MGF1 uses the same hash function by default.
    guard initializing(context) == 1,
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_oaep_md_name(context, "SHA1", nil) == 1
    else {
        EVP_PKEY_CTX_free(context)
        return nil
    }
    return context
}
#endif
