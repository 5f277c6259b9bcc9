/// A writer for the adaptation field of a packet. The field is as long as its flags require, or long enough that the
/// payload fills the packet (ISO/IEC 13818-1, 2.4.3.4; see the table of ``TransportPacketHeader``).
enum AdaptationField {
    /// Returns the size in bytes that the first packet's flags require: the field's length, the flags and the PCR.
    static func size(hasClock: Bool, _ isRandomAccess: Bool) -> Int {
        hasClock ? 8 : isRandomAccess ? 2 : 0
    }

    /// Returns the size of the adaptation field in the first packet of a PES packet of `total` bytes, including the
    /// length byte.
    static func size(beforePESOf total: Int, hasClock: Bool, _ isRandomAccess: Bool) -> Int {
        max(size(hasClock: hasClock, isRandomAccess), TransportPacketizer.payloadSize - total)
    }

    /// Writes an adaptation field of `size` bytes, including its length byte.
    static func write(
        _ size: Int,
        _ clock: UInt64?,
        _ isRandomAccess: Bool,
        to memory: UnsafeMutableRawBufferPointer
    ) {
        memory[0] = UInt8(size - 1)
        guard size > 1 else { return }
        memory[1] = (isRandomAccess ? 0x40 : 0) | (clock == nil ? 0 : 0x10)
        var used = 2
        if let clock {
            // 33 bits of the 90 kHz base, 6 reserved bits, 9 bits of the extension.
            let field = (clock / 300 & 0x1_FFFF_FFFF) << 15 | 0x7E00 | clock % 300
            for index in 0..<6 { memory[2 + index] = UInt8(truncatingIfNeeded: field >> UInt64(40 - 8 * index)) }
            used += 6
        }
        memory[used..<size].initializeMemory(as: UInt8.self, repeating: 0xFF)
    }
}
