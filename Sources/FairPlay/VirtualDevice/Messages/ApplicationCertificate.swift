internal import FPSCrypto

/// The fields of the application certificate that a device uses. The device does not check the validity dates (guide,
/// chapter 7).
struct ApplicationCertificate {
    /// SHA-1 of the DER encoding, 20 bytes.
    let hash: [UInt8]
    let publicKey: RSAPublicKey
    /// The SPC version for the size of the key: 1 for 1024 bits, 2 for 2048 bits.
    let spcVersion: UInt32

    /// Parses the certificate.
    ///
    /// - Throws: ``FPSError/invalidCertificate``.
    init(der: [UInt8]) throws(FPSError) {
        do throws(CryptoError) {
            let certificate = try X509Certificate(der)
            // The parser also accepts PEM, but a device does not.
            guard certificate.der == der else {
                throw CryptoError(.unreadableCertificate, operation: "the certificate is not DER")
            }
            hash = certificate.sha1
            publicKey = try certificate.publicKey
        } catch {
            throw .invalidCertificate.because("\(error)")
        }
        switch publicKey.bits {
        case 1024: spcVersion = 1
        case 2048: spcVersion = 2
        default: throw .invalidCertificate.because("the key has \(publicKey.bits) bits, must be 1024 or 2048")
        }
    }
}
