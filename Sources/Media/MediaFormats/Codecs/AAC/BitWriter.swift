import ByteCoding

/// A writer that appends bits to an array, most significant bit first. It does not insert emulation prevention bytes.
struct BitWriter {
    /// The written bits. The last byte is padded with zeros.
    private(set) var bytes: [UInt8] = []
    /// The number of bits written.
    private(set) var count = 0

    /// True if the next bit is the first bit of a byte.
    var isByteAligned: Bool { count & 7 == 0 }

    /// The number of bits to the next byte boundary.
    var bitsToAlignment: Int { -count & 7 }

    /// Appends the lowest `width` bits of a number; `width` is 0 to 32.
    mutating func write(_ number: some BinaryInteger, bits width: Int) {
        let value = UInt64(truncatingIfNeeded: number)
        for bit in stride(from: width - 1, through: 0, by: -1) {
            if isByteAligned { bytes.append(0) }
            if value >> UInt64(bit) & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> UInt8(count & 7) }
            count += 1
        }
    }

    /// Appends a bit.
    mutating func write(_ flag: Bool) { write(flag ? 1 : 0, bits: 1) }

    /// Appends a bit string.
    mutating func write(_ string: BitString) {
        var left = string.count
        for byte in string.bytes {
            write(byte >> UInt8(8 - min(left, 8)), bits: min(left, 8))
            left -= 8
        }
    }
}

/// A sequence of bits that is copied without interpretation.
struct BitString: Hashable, Sendable {
    /// The bits, starting with the most significant bit of the first byte. The last byte is padded with zeros.
    private(set) var bytes: [UInt8] = []
    /// The number of bits.
    private(set) var count = 0

    /// Creates an empty bit string.
    init() {}

    /// Reads the next `count` bits.
    init(reading reader: inout BitReader, count: Int, _ field: String) throws(ParseError) {
        self.count = count
        bytes.reserveCapacity((count + 7) / 8)
        for start in stride(from: 0, to: count, by: 8) {
            let width = min(8, count - start)
            bytes.append(UInt8(truncatingIfNeeded: try reader.readBits(width, field) << UInt32(8 - width)))
        }
    }

    /// True if every bit is 0.
    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
}
