import COpenSSL

/// The lower bound: only libcrypto's RSA-OAEP decryption, with one context for all operations.
final class RawRSA {
    private let context: OpaquePointer
    private let ciphertext: [UInt8]
    private var clear = [UInt8](repeating: 0, count: 512)

    /// Creates the benchmark with a private key in DER and one ciphertext for it.
    init?(privateKeyDER: [UInt8], ciphertext: [UInt8]) {
        let key = privateKeyDER.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &position, buffer.count)
        }
        guard let key, let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        // The context has its own reference to the key.
        EVP_PKEY_free(key)
        guard EVP_PKEY_decrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
        else { return nil }
        self.context = context
        self.ciphertext = ciphertext
    }

    deinit { EVP_PKEY_CTX_free(context) }

    /// Decrypts the ciphertext once.
    func decrypt() -> Bool {
        var length = clear.count
        return EVP_PKEY_decrypt(context, &clear, &length, ciphertext, ciphertext.count) == 1 && length == 16
    }
}
