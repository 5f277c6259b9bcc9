public import ByteCoding

/// The header of a box (ISO/IEC 14496-12, 4.2).
///
///     size        4 bytes   size of the whole box; 1: largesize follows; 0: to the end of the file
///     type        4 bytes
///     largesize   8 bytes   if size is 1
///     usertype    16 bytes  if type is "uuid"
public struct BoxHeader: Hashable, Sendable {
    /// The type of the box.
    public let type: FourCC
    /// The 16 bytes of the user type; nil unless the type is `uuid`.
    public let userType: [UInt8]?
    /// The offset of the first byte of the box.
    public let offset: Int
    /// The size of the header in bytes: 8, 16, 24 or 32.
    public let headerSize: Int
    /// The size of the whole box in bytes; nil if it extends to the end of the file.
    public let size: Int?

    /// Reads a header.
    ///
    /// - Throws: `ParseError` `truncated`, or `invalid-length` if the size is less than the header's or at least 2^62.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let offset = reader.offset
        let size = try reader.readUInt32("size of a box")
        let type = FourCC(rawValue: try reader.readUInt32("type of a box"))
        var large: UInt64?
        if size == 1 { large = try reader.readUInt64("large size of the \(type) box") }
        let userType = type == "uuid" ? try reader.readBytes(16, "extended type of the uuid box") : nil
        let headerSize = reader.offset - offset
        let total = large ?? UInt64(size)
        guard size == 0 || (total >= UInt64(headerSize) && total < 1 << 62) else {
            throw ParseError(
                .invalidLength,
                reading: "\(type) box",
                offset: offset,
                reason: "the box size of \(total) bytes is less than the size of its header, or too large"
            )
        }
        self.type = type
        self.userType = userType
        self.offset = offset
        self.headerSize = headerSize
        self.size = size == 0 ? nil : Int(total)
    }

    /// Returns the size of the content in bytes if `remaining` bytes follow the header.
    ///
    ///     let header = try BoxHeader(reading: &reader)
    ///     var content = try reader.split(header.contentSize(of: reader.remaining), "content of the \(header.type) box")
    public func contentSize(of remaining: Int) -> Int { size.map { $0 - headerSize } ?? remaining }
}
