extension RSAPrivateKey {
    /// Parses an unencrypted key in PEM or DER, as PKCS#1 or PKCS#8. The format is detected from the bytes.
    ///
    /// The initializer encrypts and decrypts a test message with the key, so that a damaged key is detected before the
    /// first client request.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey``, ``CryptoError/Code/notAnRSAKey``,
    ///   ``CryptoError/Code/unsupportedKeySize``, or ``CryptoError/Code/passphraseRequired`` for an encrypted key.
    public convenience init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        try self.init(withContiguousBytes(bytes) { bytes throws(CryptoError) in try PrivateKeyFile(bytes) })
    }

    /// Parses a key from a secret, in the same way as ``init(_:)-(Collection<UInt8>)`` from plain bytes.
    public convenience init(_ bytes: SecretBytes) throws(CryptoError) {
        try self.init(bytes.withUnsafeBytes { bytes throws(CryptoError) in try PrivateKeyFile(bytes) })
    }

    private convenience init(_ file: PrivateKeyFile) throws(CryptoError) {
        guard file.header.isEmpty else {
            throw CryptoError(.passphraseRequired, operation: PrivateKeyFile.operation)
        }
        try self.init(try PrivateKeyFile.key(der: file.content), operation: PrivateKeyFile.operation)
        try checkHalves()
    }

    /// Checks that the private half decrypts a message that the public half has encrypted.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey``.
    package func checkHalves() throws(CryptoError) {
        var random = SecureRandom()
        let message = SecretBytes(count: 16, randomFrom: &random)
        do {
            if try decryptOAEP(publicKey.encryptOAEP(message)) == message { return }
        } catch {}
        throw PrivateKeyFile.unreadable("the private and public halves do not match")
    }
}

/// The private key of a file: the bytes of a DER file, or the block of a PEM file (`RSA PRIVATE KEY`, `PRIVATE KEY`,
/// `ENCRYPTED PRIVATE KEY`). Other blocks, for example certificates, are skipped.
package struct PrivateKeyFile {
    /// The value of ``CryptoError/operation`` in errors about private key files.
    package static let operation = "reading an RSA private key"

    /// The DER encoding of the key. If ``header`` is not empty, all of these bytes are encrypted with a passphrase.
    package let content: SecretBytes
    /// The header lines of the old encrypted PEM format, with `DEK-Info`; empty for other formats.
    package let header: [UInt8]

    /// Finds the private key in the bytes of a file.
    ///
    /// - Throws: ``CryptoError/Code/unreadableKey`` or ``CryptoError/Code/notAnRSAKey``.
    package init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
        guard bytes.count <= PEMBlock.maximumSize else { throw Self.unreadable("the file is larger than 1 MiB") }
        guard PEMBlock.isPEM(bytes) else {
            (content, header) = (SecretBytes(copying: bytes), [])
            return
        }
        guard let blocks = PEMBlock.all(in: bytes) else { throw Self.unreadable("the PEM text is damaged") }
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let key = keys.first else {
            let found = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
            throw Self.unreadable(
                "the PEM text contains no private key" + (found.isEmpty ? "" : "; it contains only: \(found)")
            )
        }
        guard keys.count == 1 else {
            throw Self.unreadable("the PEM text contains \(keys.count) private keys; expected one")
        }
        guard ["RSA PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].contains(key.label) else {
            throw CryptoError(
                .notAnRSAKey,
                operation: Self.operation,
                reason: "the type of the PEM block is \(key.label)"
            )
        }
        (content, header) = (key.content, key.header)
    }

    /// Parses the DER encoding of an unencrypted private key.
    ///
    /// With OpenSSL, the result can be a key of another algorithm, which the initializer of ``RSAPrivateKey`` rejects.
    ///
    /// - Throws: ``CryptoError/Code/passphraseRequired`` if the key is encrypted, or ``CryptoError/Code/unreadableKey``.
    ///   With swift-crypto also ``CryptoError/Code/notAnRSAKey`` and ``CryptoError/Code/unsupportedKeySize``.
    package static func key(der: SecretBytes) throws(CryptoError) -> RSAPrivateBackend {
        try der.withUnsafeBytes { der throws(CryptoError) in
            if let key = try RSAPrivateBackend.privateKey(der: der, operation: operation) { return key }
            guard !RSAPrivateBackend.isEncryptedPrivateKey(der: der) else {
                throw CryptoError(.passphraseRequired, operation: operation)
            }
            throw unreadable("the data is neither a PEM nor a DER private key, or the key is damaged")
        }
    }

    /// Returns an error with the code ``CryptoError/Code/unreadableKey`` and this reason.
    package static func unreadable(_ reason: String) -> CryptoError {
        CryptoError(.unreadableKey, operation: operation, reason: reason)
    }
}
