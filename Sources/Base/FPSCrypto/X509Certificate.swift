/// The fields of an X.509 certificate that FairPlay Streaming needs. The signature is not verified, because the server
/// uses its configured certificate and does not trust a certificate from a client.
public final class X509Certificate: Sendable {
    /// The unchanged DER bytes of the certificate.
    public let der: [UInt8]
    /// The SHA-1 of ``der``, 20 bytes, by which an SPC identifies the certificate.
    public let sha1: [UInt8]
    /// The subject's distinguished name in the form of RFC 2253.
    public let subject: String
    /// The first second of validity, in seconds since 1970.
    public let notBefore: Int64
    /// The last second of validity, in seconds since 1970.
    public let notAfter: Int64
    private let keyOrError: Result<RSAPublicKey, CryptoError>

    /// Parses one certificate: DER without any bytes after it, or PEM, where other blocks than certificates are
    /// skipped.
    ///
    /// - Throws: ``CryptoError/Code/unreadableCertificate``. A certificate with a key that is not an RSA key is parsed
    ///   without an error, but its ``publicKey`` throws.
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        der = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try Self.der(in: bytes) }
        let fields = try der.withUnsafeBufferPointer { der throws(CryptoError) in
            try Self.read(der)
        }
        sha1 = SHA1.hash(der)
        (subject, notBefore, notAfter, keyOrError) = fields
    }

    /// The RSA public key.
    ///
    /// - Throws: ``CryptoError/Code/notAnRSAKey``, ``CryptoError/Code/unsupportedKeySize`` or
    ///   ``CryptoError/Code/unreadableKey``.
    public var publicKey: RSAPublicKey {
        get throws(CryptoError) { try keyOrError.get() }
    }

    /// Returns whether `key` is the private half of the certificate's key.
    public func matches(_ key: RSAPrivateKey) -> Bool {
        guard case .success(let publicKey) = keyOrError else { return false }
        return publicKey.backend.isPublicHalf(of: key.backend)
    }

    private static let operation = "reading an X.509 certificate"

    static func unreadable(_ reason: String) -> CryptoError {
        CryptoError(.unreadableCertificate, operation: operation, reason: reason)
    }

    private static func der(in bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        guard bytes.count <= PEMBlock.maximumSize else { throw unreadable("the file is larger than 1 MiB") }
        guard PEMBlock.isPEM(bytes) else { return Array(bytes) }
        guard let blocks = PEMBlock.all(in: bytes) else { throw unreadable("the PEM text is damaged") }
        let certificates = blocks.filter { $0.label == "CERTIFICATE" || $0.label == "X509 CERTIFICATE" }
        guard let certificate = certificates.first else {
            let found = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
            throw unreadable("the PEM text contains no certificate, only: \(found)")
        }
        guard certificates.count == 1 else {
            throw unreadable("the PEM text contains \(certificates.count) certificates; expected one")
        }
        return certificate.content.reveal()
    }

    typealias Fields = (String, Int64, Int64, Result<RSAPublicKey, CryptoError>)
}
