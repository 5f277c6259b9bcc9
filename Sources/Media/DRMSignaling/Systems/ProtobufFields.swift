import ByteCoding

/// A field of a Protocol Buffers message, with the subset of types that DRM headers use (protobuf.dev, "Encoding").
///
///     field    = tag value
///     tag      = varint    field number << 3 | wire type
///     value    = varint                  wire type 0
///              | 8 bytes                 wire type 1
///              | varint, then that number of bytes   wire type 2
///            | 4 bytes                 wire type 5
///     varint   = 1 to 10 bytes of 7 bits each, the least significant first; bit 7: another one follows
///
/// Groups (wire types 3 and 4), which are deprecated, are rejected.
struct ProtobufField: Hashable, Sendable {
    /// The value of a field.
    enum Value: Hashable, Sendable {
        case number(UInt64)
        case fixed64(UInt64)
        case bytes([UInt8])
        case fixed32(UInt32)
    }

    /// The field number, 1 to 2^29 - 1.
    let number: UInt32
    /// The value.
    let value: Value

    /// Parses all fields of a message.
    ///
    /// - Throws: `ParseError`: `truncated`; `invalid-value` for an invalid field number or wire type, or a number of
    ///   more than 64 bits.
    static func all(reading reader: inout ByteReader) throws(ParseError) -> [ProtobufField] {
        var fields: [ProtobufField] = []
        while reader.remaining > 0 {
            let offset = reader.offset
            let tag = try varint(reading: &reader, "tag of a field")
            guard let number = UInt32(exactly: tag >> 3), (1..<1 << 29).contains(number) else {
                throw ParseError(
                    .invalidValue,
                    reading: "number of a field",
                    offset: offset,
                    reason: "must be 1 to 2^29-1"
                )
            }
            fields.append(ProtobufField(number: number, value: try value(UInt8(tag & 7), offset, reading: &reader)))
        }
        return fields
    }

    private static func value(
        _ wireType: UInt8,
        _ offset: Int,
        reading reader: inout ByteReader
    ) throws(ParseError) -> Value {
        switch wireType {
        case 0: return .number(try varint(reading: &reader, "value of a field"))
        case 1: return .fixed64(try reader.readUInt64("value of a field").byteSwapped)
        case 2:
            let place = reader.offset
            let size = try varint(reading: &reader, "size of a field")
            guard size <= UInt64(reader.remaining) else {
                throw ParseError(
                    .truncated,
                    reading: "content of a field",
                    offset: place,
                    reason: "the field specifies \(size) bytes, but \(reader.remaining) are left"
                )
            }
            return .bytes(try reader.readBytes(Int(size), "content of a field"))
        case 5: return .fixed32(try reader.readUInt32("value of a field").byteSwapped)
        default:
            throw ParseError(
                .invalidValue,
                reading: "wire type of a field",
                offset: offset,
                reason: "\(wireType) is not supported"
            )
        }
    }

    private static func varint(reading reader: inout ByteReader, _ field: String) throws(ParseError) -> UInt64 {
        let offset = reader.offset
        var value: UInt64 = 0
        for place in 0..<10 {
            let byte = try reader.readUInt8(field)
            // The tenth byte has only one significant bit.
            guard place < 9 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << UInt64(7 * place)
            if byte < 0x80 { return value }
        }
        throw ParseError(.invalidValue, reading: field, offset: offset, reason: "the number has more than 64 bits")
    }

    /// Writes the field.
    func write(to writer: inout ByteWriter) {
        switch value {
        case .number(let number):
            writeTag(0, to: &writer)
            Self.write(number, to: &writer)
        case .fixed64(let number):
            writeTag(1, to: &writer)
            writer.write(number.byteSwapped)
        case .bytes(let bytes):
            writeTag(2, to: &writer)
            Self.write(UInt64(bytes.count), to: &writer)
            writer.write(bytes)
        case .fixed32(let number):
            writeTag(5, to: &writer)
            writer.write(number.byteSwapped)
        }
    }

    private func writeTag(_ wireType: UInt64, to writer: inout ByteWriter) {
        Self.write(UInt64(number) << 3 | wireType, to: &writer)
    }

    private static func write(_ number: UInt64, to writer: inout ByteWriter) {
        var rest = number
        while rest >= 0x80 {
            writer.write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        writer.write(UInt8(rest))
    }
}
