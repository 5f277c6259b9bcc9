public import ByteCoding

/// The blocks of a payload, in the order they came in, each tag at most once.
public struct TLLVSequence: Sendable, Hashable, RandomAccessCollection {
    /// The blocks, in order.
    public let blocks: [TLLV]
    private let index: [TLLVTag: Int]

    /// Reads the clear payload of an SPC or a CKC: blocks tightly packed, nothing left over.
    ///
    /// - Throws: `truncated`, `length-not-multiple-of-16`, `value-longer-than-block`, `duplicate-tag`; offsets count
    ///   from the start of the payload.
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

    /// The block with this tag, if there is one.
    public subscript(tag: TLLVTag) -> TLLV? { index[tag].map { blocks[$0] } }

    /// The first position.
    public var startIndex: Int { blocks.startIndex }
    /// The position past the last block.
    public var endIndex: Int { blocks.endIndex }
    /// The block at a position.
    public subscript(position: Int) -> TLLV { blocks[position] }

    /// All blocks' bytes, one after the other: what was parsed, to the byte.
    public var encoded: [UInt8] { blocks.flatMap(\.encoded) }

    /// The content of the block with the content's tag.
    ///
    /// - Throws: `missing-…` if there is none, and what reading it throws.
    public func mandatory<Content: TLLVContent>(_: Content.Type = Content.self) throws(ParseError) -> Content {
        guard let content: Content = try optional() else {
            throw ParseError(.missing(Content.tag), reading: "payload", offset: blocks.last?.encoded.endIndex ?? 0)
        }
        return content
    }

    /// The content of the block with the content's tag, if there is one.
    public func optional<Content: TLLVContent>(_: Content.Type = Content.self) throws(ParseError) -> Content? {
        guard let block = self[Content.tag] else { return nil }
        return try Content(block)
    }
}
