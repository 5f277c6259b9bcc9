/// The checksum of table sections: CRC-32 with the polynomial 0x04C11DB7, most significant bit first, initial value all
/// ones, not inverted at the end (ISO/IEC 13818-1, annex A).
enum SectionChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { value, _ in
            value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1
        }
    }

    /// Returns the checksum of the bytes; 0 for a section that ends with its valid checksum.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { $0 << 8 ^ table[Int(UInt8(truncatingIfNeeded: $0 >> 24) ^ $1)] }
    }
}
