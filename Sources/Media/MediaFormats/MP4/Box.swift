public import ByteCoding

/// A box with its own type in this library. The byte table precedes the type; reading, writing and what a listing
/// displays are implemented next to each other.
public protocol Box: ListedBox {
    /// The type of the box.
    static var type: FourCC { get }
    /// Reads the content of the box, after its header, to its end.
    ///
    /// - Throws: `ParseError`, with the offset in the outermost input.
    init(reading reader: inout ByteReader) throws(ParseError)
    /// Writes the whole box, including its header.
    func write(to writer: inout BoxWriter)
    /// The fields that a listing displays.
    var fields: [BoxField] { get }
}

extension Box {
    /// The types of the boxes; only ``type`` unless the box defines more.
    public static var types: [FourCC] { [type] }

    /// Reads the box and returns its fields. A box with child boxes, or with more than a listing needs, implements this
    /// itself.
    public static func summary(reading reader: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        BoxSummary(try Self(reading: &reader).fields)
    }
}

/// The version and flags at the start of a full box's content (ISO/IEC 14496-12, 4.2).
///
///     version   1 byte
///     flags     3 bytes
public struct FullBoxHeader: Hashable, Sendable {
    /// The version of the content's syntax.
    public var version: UInt8
    /// The flags, 24 bits.
    public var flags: UInt32

    /// Creates a header.
    public init(version: UInt8 = 0, flags: UInt32 = 0) {
        self.version = version
        self.flags = flags
    }

    /// Reads 4 bytes.
    ///
    /// - Throws: `ParseError` `truncated`; `invalid-value` if the version is above `newest`.
    public init(reading reader: inout ByteReader, of type: FourCC, newest: UInt8) throws(ParseError) {
        let offset = reader.offset
        let word = try reader.readUInt32("version and flags of the \(type) box")
        version = UInt8(truncatingIfNeeded: word >> 24)
        flags = word & 0xFF_FFFF
        guard version <= newest else {
            throw ParseError(
                .invalidValue,
                reading: "version of the \(type) box",
                offset: offset,
                reason: "version \(version) is not supported, the maximum is \(newest)"
            )
        }
    }
}
