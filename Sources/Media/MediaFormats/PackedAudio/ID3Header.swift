import ByteCoding

/// The header of an ID3 tag of version 2, which can be before audio and between its segments (ID3 tag version 2.4.0,
/// section 3.1).
///
///     file identifier   3 bytes   "ID3"
///     version           1 byte    major version: 2, 3 or 4
///     revision          1 byte
///     flags             1 byte    0x80 unsynchronization, 0x40 extended header, 0x10 footer
///     size              4 bytes   7 bits each; without header and footer
package struct ID3Header {
    /// The size of the header and of the footer in bytes.
    static let size = 10
    static let firstByte: UInt8 = 0x49
    /// The size in bytes of a version 1 tag, which is at the end of a file and begins with "TAG".
    static let version1Size = 128
    static let firstByteOfVersion1: UInt8 = 0x54

    let version: UInt8
    let flags: UInt8
    /// The size in bytes of the content after the header, without the footer.
    let contentSize: Int

    var hasFooter: Bool { version >= 4 && flags & 0x10 != 0 }
    /// The size of the whole tag in bytes.
    package var tagSize: Int { Self.size + contentSize + (hasFooter ? Self.size : 0) }

    /// Reads a header from at least 10 bytes. Returns nil if they are not an ID3 header.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount >= Self.size, bytes.load(0, as: UInt32.self) >> 8 == 0x49_4433 else { return nil }
        version = bytes.unsafeLoad(fromByteOffset: 3, as: UInt8.self)
        flags = bytes.unsafeLoad(fromByteOffset: 5, as: UInt8.self)
        guard version < 0xFF, bytes.unsafeLoad(fromByteOffset: 4, as: UInt8.self) < 0xFF,
            let size = Self.syncsafe(bytes.load(6, as: UInt32.self))
        else { return nil }
        contentSize = size
    }

    /// Decodes a syncsafe number of 28 bits, 7 in each byte. Returns nil if the highest bit of a byte is set.
    static func syncsafe(_ number: UInt32) -> Int? {
        guard number & 0x8080_8080 == 0 else { return nil }
        return Int(number >> 24 & 127) << 21 | Int(number >> 16 & 127) << 14 | Int(number >> 8 & 127) << 7
            | Int(number & 127)
    }

    /// Encodes a number below 2^28 as a syncsafe number with 7 bits in each byte.
    static func syncsafe(_ number: Int) -> UInt32 {
        let value = UInt32(truncatingIfNeeded: number)
        return (value & 0x0FE0_0000) << 3 | (value & 0x1F_C000) << 2 | (value & 0x3F80) << 1 | value & 127
    }

    /// Detects a tag of version 1 or 2 at the start of the bytes. Returns nil if there is none.
    static func detect(_ bytes: RawSpan, isFinal: Bool) -> FrameDecision? {
        let isVersion1 = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == firstByteOfVersion1
        let identifier: UInt32 = isVersion1 ? 0x54_4147 : 0x49_4433
        for index in 0..<min(3, bytes.byteCount)
        where bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            != UInt8(truncatingIfNeeded: identifier >> UInt32(16 - 8 * index))
        {
            return nil
        }
        let needed = isVersion1 ? version1Size : size
        guard bytes.byteCount >= needed else { return isFinal ? nil : .needs(needed) }
        return isVersion1 ? .tag(version1Size) : ID3Header(bytes).map { .tag($0.tagSize) }
    }
}
