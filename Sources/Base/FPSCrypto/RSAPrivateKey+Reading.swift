extension RSAPrivateKey {
    /// Reads a key that is not encrypted, in PEM or DER, as PKCS#1 or PKCS#8; which one it is shows in the bytes.
    ///
    /// The key is tried once, so that a damaged one is found here and not when the first client comes.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey``, ``CryptoError/Code/notAnRSAKey``,
    ///   ``CryptoError/Code/unsupportedKeySize``, or ``CryptoError/Code/passphraseNeeded`` for an encrypted key.
    public convenience init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        try self.init(withContiguousBytes(bytes) { bytes throws(CryptoError) in try PrivateKeyFile(bytes) })
    }

    /// Reads a key that is held as a secret, as ``init(_:)-(Collection<UInt8>)`` reads plain bytes.
    public convenience init(_ bytes: SecretBytes) throws(CryptoError) {
        try self.init(bytes.withUnsafeBytes { bytes throws(CryptoError) in try PrivateKeyFile(bytes) })
    }

    private convenience init(_ file: PrivateKeyFile) throws(CryptoError) {
        guard file.header.isEmpty else {
            throw CryptoError(.passphraseNeeded, operation: PrivateKeyFile.operation)
        }
        try self.init(try PrivateKeyFile.key(der: file.content), operation: PrivateKeyFile.operation)
        try checkHalves()
    }

    /// Checks that the private half undoes what the public half does.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey``.
    package func checkHalves() throws(CryptoError) {
        var random = SecureRandom()
        let message = SecretBytes(count: 16, randomFrom: &random)
        do {
            if try decryptOAEP(publicKey.encryptOAEP(message)) == message { return }
        } catch {}
        throw PrivateKeyFile.unreadable("its private and public parts do not agree")
    }
}

/// The one private key of a file: the bytes of a DER file, or the block of a PEM text (`RSA PRIVATE KEY`, `PRIVATE KEY`,
/// `ENCRYPTED PRIVATE KEY`). Other blocks, a certificate for instance, are skipped.
package struct PrivateKeyFile {
    /// What errors say was being done.
    package static let operation = "reading an RSA private key"

    /// The DER, encrypted as a whole where there is a header.
    package let content: SecretBytes
    /// The header lines of PEM's old encrypted form, with `DEK-Info`; empty otherwise.
    package let header: [UInt8]

    /// Finds the key.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey`` or ``CryptoError/Code/notAnRSAKey``.
    package init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
        guard bytes.count <= PEMBlock.maximumSize else { throw Self.unreadable("longer than 1 MiB") }
        guard PEMBlock.isPEM(bytes) else {
            (content, header) = (SecretBytes(copying: bytes), [])
            return
        }
        guard let blocks = PEMBlock.all(in: bytes) else { throw Self.unreadable("the PEM text is damaged") }
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let key = keys.first else {
            let found = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
            throw Self.unreadable("the PEM text holds no private key, only: \(found)")
        }
        guard keys.count == 1 else { throw Self.unreadable("the PEM text holds \(keys.count) private keys") }
        guard ["RSA PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].contains(key.label) else {
            throw CryptoError(.notAnRSAKey, operation: Self.operation, reason: "the PEM text says \(key.label)")
        }
        (content, header) = (key.content, key.header)
    }

    /// The key in an unencrypted DER encoding.
    ///
    /// - Throws: ``CryptoError/Code/passphraseNeeded`` when it is encrypted, ``CryptoError/Code/unreadableKey``, and
    ///   with some libraries ``CryptoError/Code/notAnRSAKey``.
    package static func key(der: SecretBytes) throws(CryptoError) -> RSAPrivateBackend {
        try der.withUnsafeBytes { der throws(CryptoError) in
            if let key = try RSAPrivateBackend.privateKey(der: der, operation: operation) { return key }
            guard !RSAPrivateBackend.isEncryptedPrivateKey(der: der) else {
                throw CryptoError(.passphraseNeeded, operation: operation)
            }
            throw unreadable("it is neither PEM nor the DER of a private key, or it is damaged")
        }
    }

    /// The error for bytes that are not a private key.
    package static func unreadable(_ reason: String) -> CryptoError {
        CryptoError(.unreadableKey, operation: operation, reason: reason)
    }
}
