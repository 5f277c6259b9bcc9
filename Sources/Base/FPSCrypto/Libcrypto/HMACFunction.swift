#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// HMAC with one hash function (RFC 2104, FIPS 198-1).
struct HMACFunction: Sendable {
    /// The size of an authentication code in bytes.
    let size: Int
    // A context with a hash function but without a key. The context is only copied, and copying only reads it, so
    // threads can share it. Creating a new context would search for the hash function by name each time.
    private nonisolated(unsafe) let template: OpaquePointer?

    static let sha256 = HMACFunction(hash: "SHA256", size: 32)
    static let sha512 = HMACFunction(hash: "SHA512", size: 64)

    private init(hash: String, size: Int) {
        self.size = size
        template = Self.context(hash)
    }

    private static func context(_ hash: String) -> OpaquePointer? {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        defer { EVP_MAC_free(mac) }
        guard let context = EVP_MAC_CTX_new(mac) else { return nil }
        guard clibcrypto_mac_set_digest(context, hash) == 1 else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        return context
    }

    /// Returns the authentication code of `message`. The key can have any size.
    func authenticate(_ message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        withContiguousBytes(message) { message in makeBytes(count: size) { compute(message, key, $0) } }
    }

    /// Returns the authentication code as a secret.
    func derive(_ message: some Collection<UInt8>, key: SecretBytes) -> SecretBytes {
        withContiguousBytes(message) { message in SecretBytes(count: size) { compute(message, key, $0) } }
    }

    /// Computes an HMAC. Traps if libcrypto has no HMAC or no memory: no input causes this failure, and no caller could
    /// recover.
    private func compute(
        _ message: UnsafeRawBufferPointer,
        _ key: SecretBytes,
        _ output: UnsafeMutableRawBufferPointer
    ) {
        guard let template, let context = EVP_MAC_CTX_dup(template) else {
            preconditionFailure("libcrypto cannot compute an HMAC")
        }
        defer { EVP_MAC_CTX_free(context) }
        let initialized = key.withUnsafeBytes { key in
            EVP_MAC_init(context, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
        }
        var written = 0
        let input = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        precondition(
            initialized == 1 && EVP_MAC_update(context, input, message.count) == 1
                && EVP_MAC_final(context, out, &written, output.count) == 1 && written == size,
            "libcrypto cannot compute an HMAC"
        )
    }
}
#endif
