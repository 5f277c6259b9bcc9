import FPSCrypto
import Foundation
import Testing

/// Bytes from hexadecimal digits; white space is passed over.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: hex(text)) }

/// A file from the folder Fixtures.
func fixture(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil))
    return [UInt8](try Data(contentsOf: url))
}

/// The code of the error that `body` throws, or nil.
func code(_ body: () throws(CryptoError) -> Void) -> CryptoError.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}
