import CLibcrypto

/// An RSA public key of 1024 to 8192 bits.
public final class RSAPublicKey: Sendable {
    // libcrypto counts references to a key atomically and locks what it caches inside, so that threads may use one key
    // at once as long as none changes it, and nothing here does.
    nonisolated(unsafe) let key: OpaquePointer

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

    /// Encrypts `message` by RSAES-OAEP with SHA-1 and MGF1-SHA-1 (RFC 8017, 7.1), with an empty label. The result is
    /// as long as the modulus.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if `message` is longer than the modulus less 42 bytes.
    public func encryptOAEP(_ message: SecretBytes) throws(CryptoError) -> [UInt8] {
        let operation = "RSA-OAEP encryption"
        let size = (bits + 7) / 8
        guard message.count <= size - 42 else {
            let reason = "message: \(message.count) bytes, at most \(size - 42) for this key"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
        guard let context = oaepContext(key, initializing: EVP_PKEY_encrypt_init) else {
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
}

/// The size of `key` in bits, if it is an RSA key of a size that is served.
func checkedBits(_ key: OpaquePointer, operation: String) throws(CryptoError) -> Int {
    guard EVP_PKEY_is_a(key, "RSA") == 1 else {
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) }
        throw CryptoError(.notAnRSAKey, operation: operation, reason: name.map { "it is a key for \($0)" })
    }
    let bits = Int(EVP_PKEY_get_bits(key))
    guard (1024...8192).contains(bits) else {
        throw CryptoError(.unsupportedKeySize, operation: operation, reason: "\(bits) bits, must be 1024 to 8192")
    }
    return bits
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
