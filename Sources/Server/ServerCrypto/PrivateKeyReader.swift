import CLibcrypto
import FPSCrypto

/// Reads a private key in any of the common formats.
///
/// - DER: PKCS#1 `RSAPrivateKey`, PKCS#8 `PrivateKeyInfo` or `EncryptedPrivateKeyInfo`.
/// - PEM: the same three (`RSA PRIVATE KEY`, `PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), the first one also in the legacy
///   encrypted format with `DEK-Info`. Other blocks, such as certificates, are skipped.
struct PrivateKeyReader {
    let passphrase: SecretBytes?

    /// Reads the key in a file, and decrypts it if necessary.
    func read(_ file: PrivateKeyFile) throws(CryptoError) -> LibcryptoKey {
        try clearingErrors { () throws(CryptoError) in
            guard !file.header.isEmpty else { return try readDER(file.content) }
            let content = try decryptLegacyFormat(file)
            do throws(CryptoError) {
                return try readDER(content)
            } catch {
                // One of 256 wrong passphrases passes the padding check, and its result is not a key.
                throw passphraseError()
            }
        }
    }

    /// Decrypts a block according to its `DEK-Info` header.
    private func decryptLegacyFormat(_ block: PrivateKeyFile) throws(CryptoError) -> SecretBytes {
        var header = block.header.map { CChar(bitPattern: $0) } + [0]
        var info = EVP_CIPHER_INFO()
        guard PEM_get_EVP_CIPHER_INFO(&header, &info) == 1 else {
            throw PrivateKeyFile.unreadable("its DEK-Info header is not supported")
        }
        guard info.cipher != nil else { throw PrivateKeyFile.unreadable("its header is not supported") }
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
        CryptoError(passphrase == nil ? .passphraseRequired : .wrongPassphrase, operation: PrivateKeyFile.operation)
    }

    // MARK: DER

    private func readDER(_ der: SecretBytes) throws(CryptoError) -> LibcryptoKey {
        do throws(CryptoError) {
            return try PrivateKeyFile.key(der: der)
        } catch {
            guard error.code == .passphraseRequired, passphrase != nil else { throw error }
        }
        return try der.withUnsafeBytes { bytes throws(CryptoError) in
            var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // Cannot fail, because `PrivateKeyFile.key(der:)` has recognized the structure.
            guard let encrypted = d2i_X509_SIG(nil, &cursor, bytes.count) else { throw passphraseError() }
            defer { X509_SIG_free(encrypted) }
            return try decryptPKCS8(encrypted)
        }
    }

    private func decryptPKCS8(_ encrypted: OpaquePointer) throws(CryptoError) -> LibcryptoKey {
        guard let passphrase else { throw passphraseError() }
        guard EncryptedPKCS8.isWithinLimits(encrypted) else {
            throw PrivateKeyFile.unreadable("its key derivation exceeds the limit of rounds")
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
        guard let key = EVP_PKCS82PKEY(information) else {
            throw PrivateKeyFile.unreadable("its decrypted content is not a private key")
        }
        return LibcryptoKey(owning: key)
    }

    /// Distinguishes a wrong passphrase, after which the content is malformed, from an encryption that libcrypto does
    /// not support.
    private func decryptionError() -> CryptoError {
        let first = ERR_peek_error()
        let library = ERR_GET_LIB(first)
        let isMalformed =
            library == ERR_LIB_ASN1 || library == ERR_LIB_PKCS12
            || (library == ERR_LIB_PROV && ERR_GET_REASON(first) == PROV_R_BAD_DECRYPT)
        return isMalformed ? passphraseError() : .fromLibrary(.unreadableKey, operation: PrivateKeyFile.operation)
    }
}
