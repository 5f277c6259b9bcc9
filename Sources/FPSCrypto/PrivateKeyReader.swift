import CLibcrypto

/// Reads a private key in any of the forms that people keep one in.
///
/// - DER: PKCS#1 `RSAPrivateKey`, PKCS#8 `PrivateKeyInfo` or `EncryptedPrivateKeyInfo`.
/// - PEM: those three (`RSA PRIVATE KEY`, `PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`), the first also in the old encrypted
///   form with `DEK-Info`. Other blocks, a certificate for instance, are passed over.
struct PrivateKeyReader {
    static let operation = "reading an RSA private key"
    /// More rounds of a passphrase's derivation than this take minutes; no honest file asks for them.
    static let maximumIterations: Int64 = 10_000_000

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
            let content = key.header.isEmpty ? key.content : try decryptOldForm(key)
            return try content.withUnsafeBytes { content throws(CryptoError) in try readDER(content) }
        default:
            throw CryptoError(.notAnRSAKey, operation: Self.operation, reason: "the PEM text says \(key.label)")
        }
    }

    /// Undoes the encryption that stands in the block's `DEK-Info` header.
    private func decryptOldForm(_ block: PEMBlock) throws(CryptoError) -> SecretBytes {
        var header = block.header.map { CChar(bitPattern: $0) } + [0]
        var info = EVP_CIPHER_INFO()
        guard PEM_get_EVP_CIPHER_INFO(&header, &info) == 1 else { throw unreadable("its DEK-Info is not understood") }
        guard info.cipher != nil else { return block.content }
        let source = PassphraseSource(passphrase)
        var content = block.content.reveal()
        defer { content.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        var size = content.count
        let decrypted = content.withUnsafeMutableBufferPointer { content in
            source.withArgument { PEM_do_header(&info, content.baseAddress, &size, passphraseCallback, $0) }
        }
        guard decrypted == 1, (0...content.count).contains(size) else { throw passphraseError() }
        return SecretBytes(copying: content[..<size])
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
        guard Self.iterations(of: encrypted).map({ (1...Self.maximumIterations).contains($0) }) ?? true else {
            throw unreadable("its passphrase derivation asks for too many rounds")
        }
        let information = passphrase.withUnsafeBytes { passphrase in
            PKCS8_decrypt(
                encrypted,
                passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: passphrase.count)
            )
        }
        guard let information else { throw passphraseError() }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        guard let key = EVP_PKCS82PKEY(information) else { throw unreadable("what was encrypted is no private key") }
        return key
    }

    /// How many rounds an encrypted key asks for, or nil where that does not stand in PKCS#5's places.
    private static func iterations(of encrypted: OpaquePointer) -> Int64? {
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(encrypted, &algorithm, nil)
        guard let algorithm, let (method, parameters) = parts(of: algorithm) else { return nil }
        var cursor = parameters.baseAddress
        guard method == NID_pbes2 else {
            guard let values = d2i_PBEPARAM(nil, &cursor, parameters.count) else { return nil }
            defer { PBEPARAM_free(values) }
            return number(values.pointee.iter)
        }
        guard let values = d2i_PBE2PARAM(nil, &cursor, parameters.count) else { return nil }
        defer { PBE2PARAM_free(values) }
        guard let derivation = values.pointee.keyfunc, let (function, parameters) = parts(of: derivation),
            function == NID_id_pbkdf2
        else { return nil }
        cursor = parameters.baseAddress
        guard let values = d2i_PBKDF2PARAM(nil, &cursor, parameters.count) else { return nil }
        defer { PBKDF2PARAM_free(values) }
        return number(values.pointee.iter)
    }

    /// What an algorithm is called in libcrypto's numbers, and the encoding of its parameters.
    private static func parts(of algorithm: UnsafePointer<X509_ALGOR>) -> (Int32, UnsafeBufferPointer<UInt8>)? {
        var (object, value): (OpaquePointer?, UnsafeRawPointer?)
        var type: Int32 = 0
        X509_ALGOR_get0(&object, &type, &value, algorithm)
        guard type == V_ASN1_SEQUENCE, let value else { return nil }
        let sequence = value.assumingMemoryBound(to: ASN1_STRING.self)
        let start = ASN1_STRING_get0_data(sequence)
        return (OBJ_obj2nid(object), UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(sequence))))
    }

    /// A number that does not fit counts as too many.
    private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int64 {
        var value: Int64 = 0
        return ASN1_INTEGER_get_int64(&value, integer) == 1 ? value : .max
    }
}
