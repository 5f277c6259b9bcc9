internal import FPSCrypto

/// What a device takes from the application certificate. It does not look at the validity dates (guide, chapter 7).
struct ApplicationCertificate {
    /// SHA-1 of the DER encoding, 20 bytes.
    let hash: [UInt8]
    let publicKey: RSAPublicKey
    /// The SPC version that the key's size goes with: 1 for 1024 bits, 2 for 2048.
    let spcVersion: UInt32

    /// - Throws: ``FPSError/invalidCertificate``.
    init(der: [UInt8]) throws(FPSError) {
        do throws(CryptoError) {
            let certificate = try X509Certificate(der)
            // The reader takes PEM as well; a device does not.
            guard certificate.der == der else { throw CryptoError(.unreadableCertificate, operation: "not DER") }
            hash = certificate.sha1
            publicKey = try certificate.publicKey
        } catch {
            throw .invalidCertificate.because("\(error)")
        }
        switch publicKey.bits {
        case 1024: spcVersion = 1
        case 2048: spcVersion = 2
        default: throw .invalidCertificate.because("\(publicKey.bits) bits, must be 1024 or 2048")
        }
    }
}
