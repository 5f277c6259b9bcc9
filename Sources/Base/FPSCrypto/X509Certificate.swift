import CLibcrypto

/// What FairPlay Streaming needs to know of an X.509 certificate. Its signature is not checked: the server names the
/// certificate it was configured with, it does not trust one that is sent.
public final class X509Certificate: Sendable {
    /// The certificate, byte for byte as it was given (in PEM: as it was encoded there).
    public let der: [UInt8]
    /// SHA-1 of ``der``, 20 bytes: how an SPC names the certificate.
    public let sha1: [UInt8]
    /// The subject's distinguished name in the form of RFC 2253.
    public let subject: String
    /// The first second of validity, in seconds since 1970.
    public let notBefore: Int64
    /// The last second of validity, in seconds since 1970.
    public let notAfter: Int64
    private let keyOrError: Result<RSAPublicKey, CryptoError>

    /// Reads one certificate: DER with nothing behind it, or PEM in which other blocks than certificates are passed
    /// over.
    ///
    /// - Throws: ``CryptoError/Code/unreadableCertificate``. A certificate for another key than RSA is read all the
    ///   same; its ``publicKey`` throws.
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        der = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try Self.der(in: bytes) }
        let fields = try der.withUnsafeBufferPointer { der throws(CryptoError) in
            try clearingErrors { () throws(CryptoError) in try Self.read(der) }
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

    /// True if `key` is the private half of the certificate's key.
    public func matches(_ key: RSAPrivateKey) -> Bool {
        guard case .success(let publicKey) = keyOrError else { return false }
        return clearingErrors { EVP_PKEY_eq(publicKey.key, key.key) == 1 }
    }

    private static let operation = "reading an X.509 certificate"

    private static func unreadable(_ reason: String) -> CryptoError {
        CryptoError(.unreadableCertificate, operation: operation, reason: reason)
    }

    private static func der(in bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        guard bytes.count <= PEMBlock.maximumSize else { throw unreadable("longer than 1 MiB") }
        guard PEMBlock.isPEM(bytes) else { return Array(bytes) }
        guard let blocks = PEMBlock.all(in: bytes) else { throw unreadable("the PEM text is damaged") }
        let certificates = blocks.filter { $0.label == "CERTIFICATE" || $0.label == "X509 CERTIFICATE" }
        guard let certificate = certificates.first else {
            let found = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
            throw unreadable("the PEM text holds no certificate but: \(found)")
        }
        guard certificates.count == 1 else { throw unreadable("the PEM text holds \(certificates.count) certificates") }
        return certificate.content.reveal()
    }

    private typealias Fields = (String, Int64, Int64, Result<RSAPublicKey, CryptoError>)

    private static func read(_ der: UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Fields {
        var cursor = der.baseAddress
        guard let certificate = d2i_X509(nil, &cursor, der.count) else {
            throw unreadable("it is neither PEM nor the DER of a certificate, or it is damaged")
        }
        defer { X509_free(certificate) }
        guard cursor == der.baseAddress.map({ $0 + der.count }) else {
            throw unreadable("bytes follow the certificate")
        }
        let name = MemoryBIO.written { bio in
            // Returns the length, or -1.
            X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, clibcrypto_name_style) >= 0 ? 1 : 0
        }
        guard let name, let notBefore = seconds(X509_get0_notBefore(certificate)),
            let notAfter = seconds(X509_get0_notAfter(certificate))
        else {
            throw unreadable("its subject or its validity is malformed")
        }
        let subject = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return (subject, notBefore, notAfter, key(of: certificate))
    }

    private static func key(of certificate: OpaquePointer) -> Result<RSAPublicKey, CryptoError> {
        let operation = "reading the public key of a certificate"
        guard let key = X509_get_pubkey(certificate) else {
            return .failure(.fromLibrary(.unreadableKey, operation: operation))
        }
        do throws(CryptoError) {
            return .success(try RSAPublicKey(owning: key, operation: operation))
        } catch {
            return .failure(error)
        }
    }

    /// A point in time in seconds since 1970, or nil if it is malformed.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
