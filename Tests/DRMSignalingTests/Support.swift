import DRMSignaling
import FPSCrypto
import Testing

/// Returns the bytes of hexadecimal digits; white space is ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns the error that `body` throws; nil if it does not throw.
func failure(_ body: () throws(SignalingError) -> Void) -> SignalingError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

let firstID = ContentKeyID(hex("00112233 44556677 8899aabb ccddeeff"))!
let secondID = ContentKeyID(hex("ffeeddcc bbaa9988 77665544 33221100"))!
