import CLibcrypto
package import FPSCrypto
import Foundation

extension X509Certificate {
    /// Creates a self-signed certificate (SHA-256 with RSA, version 3, a random 127-bit serial number) for development
    /// credentials.
    ///
    /// - Parameters:
    ///   - subject: The common name, 1 to 64 characters.
    ///   - key: The key that the certificate contains, and that signs it.
    ///   - days: The validity, 1 to 36,500 days.
    ///   - notBefore: The start of validity, in Unix seconds; nil for the current time.
    /// - Throws: `invalidArgument` if an argument is out of range.
    package static func selfSigned(
        subject: String,
        key: RSAPrivateKey,
        days: Int,
        notBefore: Int64? = nil
    ) throws(CryptoError) -> X509Certificate {
        let operation = "creating a self-signed certificate"
        guard (1...64).contains(subject.unicodeScalars.count), !subject.utf8.contains(0), (1...36_500).contains(days)
        else {
            let reason = "the subject must have 1 to 64 characters, the validity 1 to 36500 days"
            throw CryptoError(.invalidArgument, operation: operation, reason: reason)
        }
        guard let certificate = X509_new() else { throw .fromLibrary(.libraryFailure, operation: operation) }
        defer { X509_free(certificate) }
        guard setValidity(certificate, from: notBefore, days: days) else {
            ERR_clear_error()
            throw CryptoError(.invalidArgument, operation: operation, reason: "the validity is out of range")
        }
        let name = X509_get_subject_name(certificate)
        let commonName = Array(subject.utf8)
        guard X509_set_version(certificate, 2) == 1,  // 2 means version 3
            setSerialNumber(certificate),
            X509_NAME_add_entry_by_NID(
                name,
                NID_commonName,
                clibcrypto_utf8,
                commonName,
                Int32(commonName.count),
                -1,
                0
            ) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            X509_set_pubkey(certificate, key.backend.pointer) == 1,
            X509_sign(certificate, key.backend.pointer, EVP_sha256()) > 0,
            let der = MemoryBIO.written({ i2d_X509_bio($0, certificate) })
        else { throw .fromLibrary(.libraryFailure, operation: operation) }
        return try X509Certificate(der.reveal())
    }

    /// The certificate in PEM, as ASCII text.
    package var pem: String {
        let text = der.withUnsafeBufferPointer { der in
            MemoryBIO.written { PEM_write_bio($0, "CERTIFICATE", "", der.baseAddress, der.count) > 0 ? 1 : 0 }
        }
        guard let text else { preconditionFailure("libcrypto cannot write PEM") }
        return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private static func setValidity(_ certificate: OpaquePointer, from start: Int64?, days: Int) -> Bool {
        var start = start.map { time_t($0) } ?? time(nil)
        return X509_time_adj_ex(X509_getm_notBefore(certificate), 0, 0, &start) != nil
            && X509_time_adj_ex(X509_getm_notAfter(certificate), Int32(days), 0, &start) != nil
    }

    private static func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        var random = SecureRandom()
        var bytes = random.bytes(16)
        // The serial number is positive and not zero.
        bytes[0] = bytes[0] & 0x7f | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }
}
