import CLibcrypto

/// How much work the derivation of an encrypted private key's cipher key takes, read before any of it is done: the file
/// names the figure, and a hostile one could keep a processor busy for days.
enum EncryptedPKCS8 {
    /// Rounds of PBKDF2 or of PKCS#12's function. OpenSSL writes 2048 unless told otherwise, we write 600,000.
    static let maximumRounds: Int64 = 10_000_000
    /// scrypt's N · r · p. OpenSSL writes 2¹⁷; its own limit of 32 MiB bounds memory alone.
    static let maximumScryptWork: Int64 = 1 << 22

    /// False if `encrypted` asks for too much. What is not understood here is left to libcrypto to refuse.
    static func isBearable(_ encrypted: OpaquePointer) -> Bool {
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
        case NID_id_pbkdf2: return isBearablePBKDF2(parameters)
        case NID_id_scrypt: return isBearableScrypt(parameters)
        default: return true
        }
    }

    private static func isBearablePBKDF2(_ parameters: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let values = decode(d2i_PBKDF2PARAM, parameters) else { return true }
        defer { PBKDF2PARAM_free(values) }
        return number(values.pointee.iter) <= maximumRounds
    }

    private static func isBearableScrypt(_ parameters: UnsafeBufferPointer<UInt8>) -> Bool {
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

    /// What an algorithm is called in libcrypto's numbers, and the encoding of its parameters.
    private static func parts(of algorithm: UnsafePointer<X509_ALGOR>) -> (Int32, UnsafeBufferPointer<UInt8>)? {
        var (object, value): (OpaquePointer?, UnsafeRawPointer?)
        var type: Int32 = 0
        X509_ALGOR_get0(&object, &type, &value, algorithm)
        guard type == V_ASN1_SEQUENCE, let value else { return nil }
        let sequence = value.assumingMemoryBound(to: ASN1_STRING.self)
        let start = ASN1_STRING_get0_data(sequence)
        return (OBJ_obj2nid(object), UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(sequence))))
    }

    /// A number that does not fit counts as too large.
    private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int64 {
        var value: Int64 = 0
        return ASN1_INTEGER_get_int64(&value, integer) == 1 ? value : .max
    }
}
