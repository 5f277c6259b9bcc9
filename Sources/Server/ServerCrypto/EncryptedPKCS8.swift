import CLibcrypto

/// The cost of deriving the cipher key of an encrypted private key, which is checked before the derivation: the file
/// specifies the number of rounds, and a malicious file could keep a processor busy for days.
enum EncryptedPKCS8 {
    /// The maximum number of rounds of PBKDF2 or of PKCS#12's key derivation. OpenSSL writes 2048 by default, this
    /// module 600,000.
    static let maximumRounds: Int64 = 10_000_000
    /// The maximum of scrypt's N · r · p. OpenSSL writes 2¹⁷; its own limit of 32 MiB bounds only the memory.
    static let maximumScryptWork: Int64 = 1 << 22

    /// Returns false if the derivation exceeds the limits. An unknown method is left for libcrypto to reject.
    static func isWithinLimits(_ encrypted: OpaquePointer) -> Bool {
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(encrypted, &algorithm, nil)
        guard let algorithm, let (method, parameters) = parts(of: algorithm) else { return true }
        guard method == NID_pbes2 else {
            guard let values = decode(d2i_PBEPARAM, parameters) else { return true }
            defer { PBEPARAM_free(values) }
            return number(values.pointee.iter) <= maximumRounds
        }
        guard let values = decode(d2i_PBE2PARAM, parameters) else { return true }
        defer { PBE2PARAM_free(values) }
        guard let derivation = values.pointee.keyfunc, let (function, parameters) = parts(of: derivation) else {
            return true
        }
        switch function {
        case NID_id_pbkdf2: return isPBKDF2WithinLimits(parameters)
        case NID_id_scrypt: return isScryptWithinLimits(parameters)
        default: return true
        }
    }

    private static func isPBKDF2WithinLimits(_ parameters: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let values = decode(d2i_PBKDF2PARAM, parameters) else { return true }
        defer { PBKDF2PARAM_free(values) }
        return number(values.pointee.iter) <= maximumRounds
    }

    private static func isScryptWithinLimits(_ parameters: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let values = decode(d2i_SCRYPT_PARAMS, parameters) else { return true }
        defer { SCRYPT_PARAMS_free(values) }
        var work: Int64 = 1
        for factor in [
            values.pointee.costParameter, values.pointee.blockSize, values.pointee.parallelizationParameter,
        ] {
            let (product, overflow) = work.multipliedReportingOverflow(by: number(factor))
            guard !overflow, product <= maximumScryptWork else { return false }
            work = product
        }
        return true
    }

    private typealias Decoder<Value> = (
        UnsafeMutablePointer<UnsafeMutablePointer<Value>?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
    ) -> UnsafeMutablePointer<Value>?

    private static func decode<Value>(
        _ decoder: Decoder<Value>,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeMutablePointer<Value>? {
        var cursor = bytes.baseAddress
        return decoder(nil, &cursor, bytes.count)
    }

    /// Returns the algorithm's NID in libcrypto, and the encoding of its parameters.
    private static func parts(of algorithm: UnsafePointer<X509_ALGOR>) -> (Int32, UnsafeBufferPointer<UInt8>)? {
        var (object, value): (OpaquePointer?, UnsafeRawPointer?)
        var type: Int32 = 0
        X509_ALGOR_get0(&object, &type, &value, algorithm)
        guard type == V_ASN1_SEQUENCE, let value else { return nil }
        let sequence = value.assumingMemoryBound(to: ASN1_STRING.self)
        let start = ASN1_STRING_get0_data(sequence)
        return (OBJ_obj2nid(object), UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(sequence))))
    }

    /// Returns the value of an integer, or the maximum if it does not fit.
    private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int64 {
        var value: Int64 = 0
        return ASN1_INTEGER_get_int64(&value, integer) == 1 ? value : .max
    }
}
