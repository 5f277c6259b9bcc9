import CLibcrypto
package import FPSCrypto

extension RSAPrivateKey {
    /// Reads a key in PEM or DER, as PKCS#1, PKCS#8 or encrypted PKCS#8. The format is detected. The initializer never
    /// prompts for a passphrase on the terminal. `passphrase` (UTF-8) is ignored if the key is not encrypted.
    ///
    /// The key is tested once, so that a damaged key is detected here and not with the first request.
    ///
    /// - Throws: `unreadableKey`, `notAnRSAKey`, `unsupportedKeySize`, `passphraseRequired` or `wrongPassphrase`.
    package convenience init(_ bytes: some Collection<UInt8>, passphrase: SecretBytes?) throws(CryptoError) {
        let file = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try PrivateKeyFile(bytes) }
        try self.init(try PrivateKeyReader(passphrase: passphrase).read(file), operation: PrivateKeyFile.operation)
        try checkHalves()
    }

    /// Reads a key from secret bytes; see `init(_:passphrase:)`.
    package convenience init(_ bytes: SecretBytes, passphrase: SecretBytes?) throws(CryptoError) {
        let file = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try PrivateKeyFile(bytes) }
        try self.init(try PrivateKeyReader(passphrase: passphrase).read(file), operation: PrivateKeyFile.operation)
        try checkHalves()
    }

    /// Opens the first private key at `uri` with OpenSSL's stores: `file:`, and the schemes that the providers in
    /// OpenSSL's configuration add, such as `pkcs11:`. The key stays in its provider, which performs the operations.
    ///
    /// - Throws: The errors of `init(_:passphrase:)`; `unreadableKey` also if the store contains no key, or if no
    ///   provider supports the scheme.
    package convenience init(storeURI uri: String, passphrase: SecretBytes? = nil) throws(CryptoError) {
        let source = PassphraseSource(passphrase)
        let (key, failed) = clearingErrors { source.withArgument { Self.load(uri, $0) } }
        guard let key else {
            if source.wasRequested, passphrase == nil {
                throw CryptoError(.passphraseRequired, operation: Self.storeOperation)
            }
            if source.wasRequested, failed { throw CryptoError(.wrongPassphrase, operation: Self.storeOperation) }
            throw CryptoError(
                .unreadableKey,
                operation: Self.storeOperation,
                reason: "the store contains no private key"
            )
        }
        try self.init(LibcryptoKey(owning: key), operation: Self.storeOperation)
        try checkHalves()
    }

    private static let storeOperation = "opening an RSA private key in a store"

    /// Returns the first private key, or nil and whether the store failed instead of reaching its end.
    private static func load(_ uri: String, _ argument: UnsafeMutableRawPointer) -> (OpaquePointer?, failed: Bool) {
        guard let method = UI_UTIL_wrap_read_pem_callback(passphraseCallback, 0) else { return (nil, true) }
        defer { UI_destroy_method(method) }
        guard let store = OSSL_STORE_open(uri, method, argument, nil, nil) else { return (nil, true) }
        defer { OSSL_STORE_close(store) }
        guard OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1 else { return (nil, true) }
        while OSSL_STORE_eof(store) == 0, OSSL_STORE_error(store) == 0 {
            guard let information = OSSL_STORE_load(store) else { continue }
            defer { OSSL_STORE_INFO_free(information) }
            if OSSL_STORE_INFO_get_type(information) == OSSL_STORE_INFO_PKEY {
                return (OSSL_STORE_INFO_get1_PKEY(information), false)
            }
        }
        return (nil, OSSL_STORE_error(store) != 0)
    }
}
