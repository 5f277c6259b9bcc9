#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto
package import Locking

/// The RSA keys of this backend.
package typealias RSAPublicBackend = LibcryptoKey
/// The RSA private keys of this backend; a key of libcrypto does not say in its type which halves it has.
package typealias RSAPrivateBackend = LibcryptoKey

/// A reference to an `EVP_PKEY`: a key in memory or in an OpenSSL provider.
package final class LibcryptoKey: Sendable {
    // libcrypto counts references to a key atomically and locks what it caches inside (Montgomery values, blinding), so
    // that threads may use one key at once as long as none changes it, and nothing here does.
    /// The key, which lives as long as this object.
    package nonisolated(unsafe) let pointer: OpaquePointer
    private let decryptionContexts = DecryptionContexts()
    /// What another module has computed for the key and needs again; nil until it does.
    package let attachment = Lock<(any Sendable)?>(nil)

    /// Takes over a reference to `pointer`.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// A new key with the public exponent 65537.
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

    /// Reads the DER of an unencrypted private key; nil when it is something else or damaged.
    static func privateKey(der: UnsafeRawBufferPointer, operation: String) throws(CryptoError) -> LibcryptoKey? {
        let start = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var cursor = start
        guard let pointer = clearingErrors({ d2i_AutoPrivateKey(nil, &cursor, der.count) }) else { return nil }
        let key = LibcryptoKey(owning: pointer)
        return cursor == start.map { $0 + der.count } ? key : nil
    }

    /// Whether this is the DER of an `EncryptedPrivateKeyInfo` (RFC 5958, 3).
    static func isEncryptedPrivateKey(der: UnsafeRawBufferPointer) -> Bool {
        let start = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var cursor = start
        guard let encrypted = clearingErrors({ d2i_X509_SIG(nil, &cursor, der.count) }) else { return false }
        X509_SIG_free(encrypted)
        return cursor == start.map { $0 + der.count }
    }

    /// The size of the modulus in bits.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey``.
    func bits(operation: String) throws(CryptoError) -> Int {
        guard EVP_PKEY_is_a(pointer, "RSA") == 1 else {
            let name = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) }
            throw CryptoError(.notAnRSAKey, operation: operation, reason: name.map { "it is a key for \($0)" })
        }
        return Int(EVP_PKEY_get_bits(pointer))
    }

    /// A copy of the public half.
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

    /// Whether this is the public half of `key`.
    func isPublicHalf(of key: LibcryptoKey) -> Bool {
        clearingErrors { EVP_PKEY_eq(pointer, key.pointer) == 1 }
    }

    /// The PKCS#8 DER of a private key, not encrypted.
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

    /// RSAES-OAEP encryption of a message that fits; the result has `size` bytes.
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

    /// RSAES-OAEP decryption of a ciphertext as long as the modulus; nil when that fails, for whatever reason.
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

/// A context for RSAES-OAEP with SHA-1 and MGF1-SHA-1, or nil with the reason in the error queue.
func oaepContext(_ key: OpaquePointer, initializing: (OpaquePointer) -> Int32) -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
    // MGF1 takes the same hash function unless told otherwise.
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
