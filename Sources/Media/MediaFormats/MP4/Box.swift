public import ByteCoding

/// A box with a type of its own in this library. Its byte table stands above it; reading and writing stand side by side
/// below.
public protocol Box: Sendable {
    /// The type.
    static var type: FourCC { get }
    /// Reads the content, the header left out, to its end.
    ///
    /// - Throws: `ParseError` with the offset in the outermost input.
    init(reading reader: inout ByteReader) throws(ParseError)
    /// Writes the whole box, the header included.
    func write(to writer: inout BoxWriter)
}

/// The version and flags that begin the content of a full box (ISO/IEC 14496-12, 4.2).
///
///     version   1 byte
///     flags     3 bytes
public struct FullBoxHeader: Hashable, Sendable {
    /// Which form the content has.
    public var version: UInt8
    /// 24 bits.
    public var flags: UInt32

    /// Makes a header.
    public init(version: UInt8 = 0, flags: UInt32 = 0) {
        self.version = version
        self.flags = flags
    }

    /// Reads 4 bytes.
    ///
    /// - Throws: `ParseError` `truncated`; `invalid-value` when the version is above `newest`.
    public init(reading reader: inout ByteReader, of type: FourCC, newest: UInt8) throws(ParseError) {
        let offset = reader.offset
        let word = try reader.readUInt32("version and flags of a \(type) box")
        version = UInt8(truncatingIfNeeded: word >> 24)
        flags = word & 0xFF_FFFF
        guard version <= newest else {
            throw ParseError(
                .invalidValue,
                reading: "version of a \(type) box",
                offset: offset,
                reason: "version \(version) is not known; \(newest) is the newest"
            )
        }
    }
}
