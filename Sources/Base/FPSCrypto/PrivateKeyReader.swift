import CLibcrypto

/// Reads a private key in any of the forms that people keep one in.
///
/// - DER: PKCS#1 `RSAPrivateKey`, PKCS#8 `PrivateKeyInfo` or `EncryptedPrivateKeyInfo`.
/// - PEM: those three (`RSA PRIVATE KEY`, `PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), the first also in the old encrypted
///   form with `DEK-Info`. Other blocks, a certificate for instance, are passed over.
struct PrivateKeyReader {
    static let operation = "reading an RSA private key"

    let passphrase: SecretBytes?

    /// Returns a key that the caller must free.
    func read(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> OpaquePointer {
        guard bytes.count <= PEMBlock.maximumSize else { throw unreadable("longer than 1 MiB") }
        return try clearingErrors { () throws(CryptoError) in
            PEMBlock.isPEM(bytes) ? try readPEM(bytes) : try readDER(bytes)
        }
    }

    private func unreadable(_ reason: String) -> CryptoError {
        CryptoError(.unreadableKey, operation: Self.operation, reason: reason)
    }

    // MARK: PEM

    private func readPEM(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> OpaquePointer {
        guard let blocks = PEMBlock.all(in: bytes) else { throw unreadable("the PEM text is damaged") }
        let keys = blocks.filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let key = keys.first else {
            let found = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
            throw unreadable("the PEM text holds no private key but: \(found)")
        }
        guard keys.count == 1 else { throw unreadable("the PEM text holds \(keys.count) private keys") }
        switch key.label {
        case "RSA PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY":
            guard !key.header.isEmpty else {
                return try key.content.withUnsafeBytes { content throws(CryptoError) in try readDER(content) }
            }
            let content = try decryptOldForm(key)
            return try content.withUnsafeBytes { content throws(CryptoError) in
                do throws(CryptoError) {
                    return try readDER(content)
                } catch {
                    // One wrong passphrase of 256 gets past the padding and yields noise.
                    throw passphraseError()
                }
            }
        default:
            throw CryptoError(.notAnRSAKey, operation: Self.operation, reason: "the PEM text says \(key.label)")
        }
    }

    /// Undoes the encryption that stands in the block's `DEK-Info` header.
    private func decryptOldForm(_ block: PEMBlock) throws(CryptoError) -> SecretBytes {
        var header = block.header.map { CChar(bitPattern: $0) } + [0]
        var info = EVP_CIPHER_INFO()
        guard PEM_get_EVP_CIPHER_INFO(&header, &info) == 1 else { throw unreadable("its DEK-Info is not understood") }
        guard info.cipher != nil else { throw unreadable("its header is not understood") }
        let source = PassphraseSource(passphrase)
        var size = block.content.count
        let content = try SecretBytes(count: size) { out throws(CryptoError) in
            block.content.withUnsafeBytes { out.copyMemory(from: $0) }
            let start = out.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let decrypted = source.withArgument { PEM_do_header(&info, start, &size, passphraseCallback, $0) }
            guard decrypted == 1, (0...out.count).contains(size) else { throw passphraseError() }
        }
        return content[0..<size]
    }

    private func passphraseError() -> CryptoError {
        CryptoError(passphrase == nil ? .passphraseNeeded : .wrongPassphrase, operation: Self.operation)
    }

    // MARK: DER

    private func readDER(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> OpaquePointer {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var cursor = start
        if let key = d2i_AutoPrivateKey(nil, &cursor, bytes.count) {
            return try complete(key, cursor == start.map { $0 + bytes.count })
        }
        cursor = start
        guard let encrypted = d2i_X509_SIG(nil, &cursor, bytes.count) else {
            throw unreadable("it is neither PEM nor the DER of a private key, or it is damaged")
        }
        defer { X509_SIG_free(encrypted) }
        guard cursor == start.map({ $0 + bytes.count }) else { throw unreadable("bytes follow the key") }
        return try decryptPKCS8(encrypted)
    }

    /// Returns `key`, or frees it and throws if it was not all there was.
    private func complete(_ key: OpaquePointer, _ isAll: Bool) throws(CryptoError) -> OpaquePointer {
        guard isAll else {
            EVP_PKEY_free(key)
            throw unreadable("bytes follow the key")
        }
        return key
    }

    private func decryptPKCS8(_ encrypted: OpaquePointer) throws(CryptoError) -> OpaquePointer {
        guard let passphrase else { throw passphraseError() }
        guard EncryptedPKCS8.isBearable(encrypted) else {
            throw unreadable("its passphrase derivation asks for too much work")
        }
        ERR_clear_error()
        let information = passphrase.withUnsafeBytes { passphrase in
            PKCS8_decrypt(
                encrypted,
                passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: passphrase.count)
            )
        }
        guard let information else { throw decryptionError() }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        guard let key = EVP_PKCS82PKEY(information) else { throw unreadable("what was encrypted is no private key") }
        return key
    }

    /// Tells a wrong passphrase, which yields noise, from an encryption that libcrypto does not know.
    private func decryptionError() -> CryptoError {
        let first = ERR_peek_error()
        let library = ERR_GET_LIB(first)
        let isNoise =
            library == ERR_LIB_ASN1 || library == ERR_LIB_PKCS12
            || (library == ERR_LIB_PROV && ERR_GET_REASON(first) == PROV_R_BAD_DECRYPT)
        return isNoise ? passphraseError() : .fromLibrary(.unreadableKey, operation: Self.operation)
    }
}
