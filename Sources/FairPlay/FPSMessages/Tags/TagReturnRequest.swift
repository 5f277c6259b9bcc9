public import ByteCoding

/// The tags of the TLLVs that the CKC must return unmodified (Table 2-4).
///
///     bytes    field
///     0-7      tag 0x19f9d4e5ab7609cb
///     8-11     block length
///     12-15    value length: a multiple of 8, zero included
///     16...    tags, 8 bytes each
///     ...      padding
public struct TagReturnRequest: TLLVContent {
    /// The tags, in the order of the request.
    public let tags: [TLLVTag]

    /// Creates a request for these tags.
    public init(_ tags: [TLLVTag]) { self.tags = tags }

    /// The tag, 0x19f9d4e5ab7609cb.
    public static let tag = TLLVTag.tagReturnRequest
    /// The size of the value: any multiple of 8 bytes.
    public static let valueLengths = TLLVValueLengths.range(0...Int(UInt32.max), step: 8)

    /// Reads all tags.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        var tags: [TLLVTag] = []
        tags.reserveCapacity(reader.remaining / 8)
        while reader.remaining > 0 {
            tags.append(TLLVTag(rawValue: try reader.readUInt64("requested tag")))
        }
        self.tags = tags
    }

    /// Writes the tags.
    public func writeValue(to writer: inout ByteWriter) {
        for tag in tags { writer.write(tag.rawValue) }
    }
}
