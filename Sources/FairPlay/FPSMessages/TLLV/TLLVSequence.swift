public import ByteCoding

/// The blocks of a payload, in order, with each tag at most once.
public struct TLLVSequence: Sendable, Hashable, RandomAccessCollection {
    /// The blocks, in order.
    public let blocks: [TLLV]
    private let index: [TLLVTag: Int]

    /// Parses the decrypted payload of an SPC or a CKC, which consists only of consecutive blocks.
    ///
    /// - Throws: `truncated`, `length-not-multiple-of-16`, `value-longer-than-block`, `duplicate-tag`. Offsets are from
    ///   the start of the payload.
    public init(parsing payload: [UInt8]) throws(ParseError) {
        var reader = ByteReader(payload.span.bytes)
        var blocks: [TLLV] = []
        var index: [TLLVTag: Int] = [:]
        blocks.reserveCapacity(24)
        index.reserveCapacity(24)
        while reader.remaining > 0 {
            let block = try TLLV(reading: &reader, of: payload)
            guard index.updateValue(blocks.count, forKey: block.tag) == nil else {
                throw ParseError(.duplicateTag, reading: "tag \(block.tag)", offset: block.offset)
            }
            blocks.append(block)
        }
        self.blocks = blocks
        self.index = index
    }

    /// The block with this tag, if any.
    public subscript(tag: TLLVTag) -> TLLV? { index[tag].map { blocks[$0] } }

    /// The first position.
    public var startIndex: Int { blocks.startIndex }
    /// The position past the last block.
    public var endIndex: Int { blocks.endIndex }
    /// The block at a position.
    public subscript(position: Int) -> TLLV { blocks[position] }

    /// The bytes of all blocks, which equal the parsed payload.
    public var encoded: [UInt8] { blocks.flatMap(\.encoded) }

    /// Returns the content of the block with the tag of `Content`.
    ///
    /// - Throws: `missing-…` if there is no such block, and the errors from parsing it.
    public func mandatory<Content: TLLVContent>(_: Content.Type = Content.self) throws(ParseError) -> Content {
        guard let content: Content = try optional() else {
            throw ParseError(.missing(Content.tag), reading: "payload", offset: blocks.last?.encoded.endIndex ?? 0)
        }
        return content
    }

    /// Returns the content of the block with the tag of `Content`, or nil if there is no such block.
    public func optional<Content: TLLVContent>(_: Content.Type = Content.self) throws(ParseError) -> Content? {
        guard let block = self[Content.tag] else { return nil }
        return try Content(block)
    }
}
