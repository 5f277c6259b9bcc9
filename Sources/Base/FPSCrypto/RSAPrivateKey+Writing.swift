import CLibcrypto

extension RSAPrivateKey {
    /// The key as PKCS#8 DER: a `PrivateKeyInfo`, or with a passphrase (UTF-8) an `EncryptedPrivateKeyInfo` (PBES2 with
    /// AES-256-CBC and PBKDF2 over HMAC-SHA-256, 600,000 rounds).
    ///
    /// - Throws: ``CryptoError/Code/libraryFailure``, for a key that a provider does not hand out among others.
    public func encodedPKCS8(passphrase: SecretBytes? = nil) throws(CryptoError) -> SecretBytes {
        try encoded(
            passphrase: passphrase,
            plain: { i2d_PKCS8_PRIV_KEY_INFO_bio($0, $1) },
            encrypted: { i2d_PKCS8_bio($0, $1) }
        )
    }

    /// The same as ``encodedPKCS8(passphrase:)`` in PEM: `PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`.
    public func pem(passphrase: SecretBytes? = nil) throws(CryptoError) -> SecretBytes {
        try encoded(
            passphrase: passphrase,
            plain: { PEM_write_bio_PKCS8_PRIV_KEY_INFO($0, $1) },
            encrypted: { PEM_write_bio_PKCS8($0, $1) }
        )
    }

    private func encoded(
        passphrase: SecretBytes?,
        plain: (OpaquePointer, OpaquePointer) -> Int32,
        encrypted: (OpaquePointer, OpaquePointer) -> Int32
    ) throws(CryptoError) -> SecretBytes {
        let operation = "encoding an RSA private key"
        guard let information = EVP_PKEY2PKCS8(key) else { throw .fromLibrary(.libraryFailure, operation: operation) }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        let encoding: SecretBytes?
        if let passphrase {
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
            guard let protected else { throw .fromLibrary(.libraryFailure, operation: operation) }
            defer { X509_SIG_free(protected) }
            encoding = MemoryBIO.written { encrypted($0, protected) }
        } else {
            encoding = MemoryBIO.written { plain($0, information) }
        }
        guard let encoding else { throw .fromLibrary(.libraryFailure, operation: operation) }
        return encoding
    }
}
