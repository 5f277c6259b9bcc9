/// HMAC with SHA-512 (RFC 2104, FIPS 198-1). Compare authentication codes only with
/// ``SecretBytes/constantTimeEquals(_:_:)``.
public enum HMACSHA512 {
    /// The size of an authentication code in bytes.
    public static let size = 64

    /// Returns the authentication code of `message`, 64 bytes. The key can have any size.
    public static func authenticate(_ message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        HMACFunction.sha512.authenticate(message, key: key)
    }
}
