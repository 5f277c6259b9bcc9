import FPSCrypto
import Testing

/// The key of the tests.
let testKey = SecretBytes(copying: (0..<16).map { UInt8($0 * 7) })

/// Returns the bytes of hexadecimal digits; white space is ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns the code of the error that `body` throws, or nil.
func code(_ body: () throws(CryptoError) -> Void) -> CryptoError.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}
