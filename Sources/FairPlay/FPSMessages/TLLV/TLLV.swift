import ByteCoding

/// A tag-length-length-value block, with its exact bytes.
///
/// Table 2-2, errata applied:
///
///     bytes    field
///     0-7      tag
///     8-11     block length: value and padding; a multiple of 16, at least the value length
///     12-15    value length: any, zero included
///     16...    value
///     ...      padding: random, not all 0x00 and not all 0xFF; may be longer than needed by multiples of 16
public struct TLLV: Sendable, Hashable {
    /// The size in bytes of the header: tag, block length and value length.
    public static let headerLength = 16

    /// The tag of the block.
    public let tag: TLLVTag
    /// The value, without padding.
    public let value: ArraySlice<UInt8>
    /// The whole block: header, value and padding.
    public let encoded: ArraySlice<UInt8>
    /// The offset of the block in its payload, in bytes; 0 for a new block.
    public let offset: Int

    /// The padding after the value.
    public var padding: ArraySlice<UInt8> { encoded[value.endIndex...] }

    /// True if the block has padding that is all 0x00 or all 0xFF, which the guide forbids. Some real messages have
    /// such padding, so it is reported but not an error.
    public var hasUniformPadding: Bool {
        guard let first = padding.first, first == 0x00 || first == 0xff else { return false }
        return padding.allSatisfy { $0 == first }
    }

    /// Returns whether all bytes of the two blocks are equal.
    public static func == (left: TLLV, right: TLLV) -> Bool { left.encoded == right.encoded }

    /// Hashes all bytes of the block.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension TLLV {
    /// Parses one block of a payload.
    ///
    /// - Parameters:
    ///   - reader: a reader over the whole of `payload`, with base 0.
    ///   - payload: the payload, which the block's bytes refer to.
    /// - Throws: `truncated`, `length-not-multiple-of-16`, `value-longer-than-block`.
    init(reading reader: inout ByteReader, of payload: [UInt8]) throws(ParseError) {
        let start = reader.offset
        let tag = TLLVTag(rawValue: try reader.readUInt64("TLLV tag"))
        let blockLength = Int(try reader.readUInt32("block length of \(tag)"))
        let valueLength = Int(try reader.readUInt32("value length of \(tag)"))
        guard blockLength.isMultiple(of: 16) else {
            throw ParseError(
                .lengthNotMultipleOf16,
                reading: "block length of \(tag)",
                offset: start + 8,
                reason: "\(blockLength)"
            )
        }
        guard valueLength <= blockLength else {
            throw ParseError(
                .valueLongerThanBlock,
                reading: "value length of \(tag)",
                offset: start + 12,
                reason: "value \(valueLength), block \(blockLength)"
            )
        }
        try reader.skip(blockLength, "value and padding of \(tag)")
        let valueStart = start + Self.headerLength
        self.init(
            tag: tag,
            value: payload[valueStart..<valueStart + valueLength],
            encoded: payload[start..<valueStart + blockLength],
            offset: start
        )
    }

    /// Creates a block with new random padding.
    ///
    /// - Parameters:
    ///   - tag: the tag of the block.
    ///   - value: the value, at most 2^31 bytes.
    ///   - extraPadding: the number of additional 16-byte units of padding.
    ///   - random: the source of the padding.
    public init(
        tag: TLLVTag,
        value: [UInt8],
        extraPadding: Int = 0,
        using random: inout some RandomNumberGenerator
    ) {
        let needed = (16 - value.count % 16) % 16
        let padding = Self.padding(needed + 16 * extraPadding, using: &random)
        var writer = ByteWriter(capacity: Self.headerLength + value.count + padding.count)
        writer.write(tag.rawValue)
        writer.write(UInt32(value.count + padding.count))
        writer.write(UInt32(value.count))
        writer.write(value)
        writer.write(padding)
        let bytes = writer.bytes
        self.init(
            tag: tag,
            value: bytes[Self.headerLength..<Self.headerLength + value.count],
            encoded: bytes[...],
            offset: 0
        )
    }

    /// Returns random bytes that are not all 0x00 or all 0xFF.
    static func padding(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        guard count > 0 else { return [] }
        var padding: [UInt8]
        repeat {
            padding = []
            padding.reserveCapacity(count)
            while padding.count < count {
                withUnsafeBytes(of: random.next()) { padding.append(contentsOf: $0.prefix(count - padding.count)) }
            }
        } while padding.allSatisfy { $0 == 0x00 } || padding.allSatisfy { $0 == 0xff }
        return padding
    }
}
