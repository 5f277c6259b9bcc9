import CLibcrypto

/// SHA-1 (FIPS 180-4). Broken as a signature hash; here because FairPlay Streaming names certificates and derives the
/// CKC's key with it.
public enum SHA1 {
    /// The size of a hash in bytes.
    public static let size = 20

    /// The hash of `message`, 20 bytes.
    public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        Digest.hash(message, Digest.sha1, size)
    }

    /// The hash of a secret, 20 bytes, itself a secret.
    public static func hash(_ message: SecretBytes) -> SecretBytes {
        Digest.hash(message, Digest.sha1, size)
    }
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The size of a hash in bytes.
    public static let size = 32

    /// The hash of `message`, 32 bytes.
    public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        Digest.hash(message, Digest.sha256, size)
    }

    /// The hash of a secret, 32 bytes, itself a secret.
    public static func hash(_ message: SecretBytes) -> SecretBytes {
        Digest.hash(message, Digest.sha256, size)
    }
}

/// Hash functions of libcrypto, looked up once (see ``Cipher``).
enum Digest {
    // Immutable after the fetch and meant by libcrypto to be shared between threads; never freed.
    nonisolated(unsafe) static let sha1: OpaquePointer? = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    static func hash(_ message: some Collection<UInt8>, _ digest: OpaquePointer?, _ size: Int) -> [UInt8] {
        withContiguousBytes(message) { message in makeBytes(count: size) { compute(message, digest, $0) } }
    }

    static func hash(_ message: SecretBytes, _ digest: OpaquePointer?, _ size: Int) -> SecretBytes {
        message.withUnsafeBytes { message in SecretBytes(count: size) { compute(message, digest, $0) } }
    }

    /// Traps if libcrypto has no such hash function or no memory: no input brings that about, and no caller could go on.
    private static func compute(
        _ message: UnsafeRawBufferPointer,
        _ digest: OpaquePointer?,
        _ output: UnsafeMutableRawBufferPointer
    ) {
        let out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        precondition(
            digest != nil && EVP_Digest(message.baseAddress, message.count, out, nil, digest, nil) == 1,
            "libcrypto cannot compute a hash"
        )
    }
}
