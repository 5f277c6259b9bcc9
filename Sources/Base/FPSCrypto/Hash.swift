/// SHA-1 (FIPS 180-4). SHA-1 is broken for signatures. It is included because FairPlay Streaming uses it to identify
/// certificates and to derive the CKC's key.
public enum SHA1 {
    /// The size of a hash in bytes.
    public static let size = 20

    /// Returns the hash of `message`, 20 bytes.
    public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        Digest.hash(message, Digest.sha1, size)
    }

    /// Returns the hash of a secret as a secret, 20 bytes.
    public static func hash(_ message: SecretBytes) -> SecretBytes {
        Digest.hash(message, Digest.sha1, size)
    }
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The size of a hash in bytes.
    public static let size = 32

    /// Returns the hash of `message`, 32 bytes.
    public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        Digest.hash(message, Digest.sha256, size)
    }

    /// Returns the hash of a secret as a secret, 32 bytes.
    public static func hash(_ message: SecretBytes) -> SecretBytes {
        Digest.hash(message, Digest.sha256, size)
    }
}

extension Digest {
    static func hash(_ message: some Collection<UInt8>, _ digest: Function, _ size: Int) -> [UInt8] {
        withContiguousBytes(message) { message in makeBytes(count: size) { compute(message, digest, $0) } }
    }

    static func hash(_ message: SecretBytes, _ digest: Function, _ size: Int) -> SecretBytes {
        message.withUnsafeBytes { message in SecretBytes(count: size) { compute(message, digest, $0) } }
    }
}
