import ByteCoding
import MediaFormats

/// The checksums of AC-3 and E-AC-3 syncframes: a CRC of 16 bits with the polynomial x^16 + x^15 + x^2 + 1 and no initial
/// value (ETSI TS 102 366, 6.1.7 and E.2).
enum AC3Checksum {
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x8005 }
    }

    /// Returns the remainder over a whole syncframe without its syncword: 0 for an intact frame. With a wrong
    /// initialization vector it is the same for all frames of one size, because the CRC is linear.
    static func remainder(_ frame: [UInt8]) -> UInt16 { remainder(frame.dropFirst(2)) }

    /// Returns whether the last three eighths of an AC-3 syncframe are intact. The first five eighths end with a
    /// remainder of 0 (crc1), so that the rest has one of its own.
    static func isTailIntact(_ frame: [UInt8]) -> Bool {
        let split = (frame.count >> 2 + frame.count >> 4) << 1
        return split < frame.count && remainder(frame[split...]) == 0
    }

    private static func remainder(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in crc << 8 ^ table[Int(UInt8(crc >> 8) ^ byte)] }
    }
}
