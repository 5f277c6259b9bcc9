import CLibcrypto
package import FPSCrypto

extension RSAPrivateKey {
    /// Encodes the key as PKCS#8 DER, an `EncryptedPrivateKeyInfo`: PBES2 with AES-256-CBC and PBKDF2 over
    /// HMAC-SHA-256, 600,000 rounds. The passphrase is UTF-8.
    ///
    /// - Throws: `libraryFailure`, for example if a provider does not export the key.
    package func encodedPKCS8(passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        try encrypted(passphrase) { i2d_PKCS8_bio($0, $1) }
    }

    /// Encodes the key in PEM: `PRIVATE KEY`, or with a passphrase `ENCRYPTED PRIVATE KEY`, encrypted as in
    /// `encodedPKCS8(passphrase:)`.
    ///
    /// - Throws: `libraryFailure`, for example if a provider does not export the key.
    package func pem(passphrase: SecretBytes? = nil) throws(CryptoError) -> SecretBytes {
        if let passphrase { return try encrypted(passphrase) { PEM_write_bio_PKCS8($0, $1) } }
        return try encoded { information in
            MemoryBIO.written { PEM_write_bio_PKCS8_PRIV_KEY_INFO($0, information) }
        }
    }

    private func encrypted(
        _ passphrase: SecretBytes,
        _ write: (OpaquePointer, OpaquePointer) -> Int32
    ) throws(CryptoError) -> SecretBytes {
        try encoded { information in
            let protected = passphrase.withUnsafeBytes { passphrase in
                PKCS8_encrypt(
                    -1,  // PBES2
                    EVP_aes_256_cbc(),
                    passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: passphrase.count),
                    nil,  // a random salt
                    16,
                    600_000,
                    information
                )
            }
            guard let protected else { return nil }
            defer { X509_SIG_free(protected) }
            return MemoryBIO.written { write($0, protected) }
        }
    }

    private func encoded(_ encode: (OpaquePointer) -> SecretBytes?) throws(CryptoError) -> SecretBytes {
        let operation = "encoding an RSA private key"
        guard let information = EVP_PKEY2PKCS8(backend.pointer) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        guard let encoding = encode(information) else { throw .fromLibrary(.libraryFailure, operation: operation) }
        return encoding
    }
}
