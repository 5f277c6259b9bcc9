/// HMAC with SHA-256 (RFC 2104, FIPS 198-1). Compare authentication codes only with
/// ``SecretBytes/constantTimeEquals(_:_:)``.
public enum HMACSHA256 {
    /// The size of an authentication code in bytes.
    public static let size = 32

    /// Returns the authentication code of `message`, 32 bytes. The key can have any size.
    public static func authenticate(_ message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        HMACFunction.sha256.authenticate(message, key: key)
    }

    /// Returns the same 32 bytes as a secret, for deriving one key from another.
    public static func derive(_ message: some Collection<UInt8>, key: SecretBytes) -> SecretBytes {
        HMACFunction.sha256.derive(message, key: key)
    }
}
