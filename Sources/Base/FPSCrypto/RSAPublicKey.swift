/// An RSA public key of 1024 to 8192 bits.
public final class RSAPublicKey: Sendable {
    let backend: RSAPublicBackend

    /// The size of the modulus in bits.
    public let bits: Int

    init(_ backend: RSAPublicBackend, operation: String) throws(CryptoError) {
        bits = try requireBits(try backend.bits(operation: operation), operation: operation)
        self.backend = backend
    }

    /// Encrypts `message` with RSAES-OAEP, with SHA-1, MGF1-SHA-1 and an empty label (RFC 8017, 7.1). The result is as
    /// long as the modulus.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if `message` is longer than the size of the modulus minus 42 bytes.
    public func encryptOAEP(_ message: SecretBytes) throws(CryptoError) -> [UInt8] {
        try backend.encryptOAEP(message, size: checkedSize(for: message), operation: Self.encryption)
    }

    static let encryption = "RSA-OAEP encryption"

    /// Returns the size of the modulus in bytes, after checking that the message fits.
    func checkedSize(for message: SecretBytes) throws(CryptoError) -> Int {
        let size = (bits + 7) / 8
        guard message.count <= size - 42 else {
            let reason = "message: \(message.count) bytes, must be at most \(size - 42) for this key"
            throw CryptoError(.invalidLength, operation: Self.encryption, reason: reason)
        }
        return size
    }
}

/// Returns the size of an RSA modulus in bits, after checking that this package supports it.
func requireBits(_ bits: Int, operation: String) throws(CryptoError) -> Int {
    guard (1024...8192).contains(bits) else {
        throw CryptoError(.unsupportedKeySize, operation: operation, reason: "\(bits) bits, must be 1024 to 8192")
    }
    return bits
}
