import CLibcrypto

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1). Compare codes with
/// ``SecretBytes/constantTimeEquals(_:_:)`` only.
public enum HMACSHA256 {
    /// The size of an authentication code in bytes.
    public static let size = 32

    /// The authentication code of `message`, 32 bytes. The key may have any size.
    public static func authenticate(_ message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        withContiguousBytes(message) { message in makeBytes(count: size) { compute(message, key, $0) } }
    }

    /// The same 32 bytes as a secret, for deriving one key from another.
    public static func derive(_ message: some Collection<UInt8>, key: SecretBytes) -> SecretBytes {
        withContiguousBytes(message) { message in SecretBytes(count: size) { compute(message, key, $0) } }
    }

    // A context that has its hash function but no key. It is only ever copied, and copying reads it, so threads may
    // share it. Making one from scratch would look up the hash function by name each time.
    private nonisolated(unsafe) static let template: OpaquePointer? = {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        defer { EVP_MAC_free(mac) }
        guard let context = EVP_MAC_CTX_new(mac) else { return nil }
        guard clibcrypto_mac_set_digest(context, "SHA256") == 1 else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        return context
    }()

    /// Traps if libcrypto has no HMAC or no memory: no input brings that about, and no caller could go on.
    private static func compute(
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
