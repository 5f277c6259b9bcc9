#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension X509Certificate {
    /// Parses the subject, the validity and the public key.
    static func read(_ der: UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Fields {
        defer { ERR_clear_error() }
        var cursor = der.baseAddress
        guard let certificate = d2i_X509(nil, &cursor, der.count) else {
            throw unreadable("the data is neither a PEM nor a DER certificate, or the certificate is damaged")
        }
        defer { X509_free(certificate) }
        guard cursor == der.baseAddress.map({ $0 + der.count }) else {
            throw unreadable("unexpected bytes follow the certificate")
        }
        let name = MemoryBIO.written { bio in
            // Returns the length, or -1.
            X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, clibcrypto_name_style) >= 0 ? 1 : 0
        }
        guard let name, let notBefore = seconds(X509_get0_notBefore(certificate)),
            let notAfter = seconds(X509_get0_notAfter(certificate))
        else {
            throw unreadable("the subject or the validity is malformed")
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
            return .success(try RSAPublicKey(LibcryptoKey(owning: key), operation: operation))
        } catch {
            return .failure(error)
        }
    }

    /// Returns a time in seconds since 1970, or nil if it is malformed.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
#endif
