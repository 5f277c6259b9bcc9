public import ByteCoding

/// What a TLLV of a known tag means. A type that conforms reads and writes the value alone; framing and padding are the
/// block's business.
public protocol TLLVContent: Sendable, Hashable {
    /// The tag of the blocks that carry this.
    static var tag: TLLVTag { get }

    /// The sizes in bytes that a value may have.
    static var valueLengths: TLLVValueLengths { get }

    /// Where the value says its version, and which versions can be read; nil where it has none, or any will do.
    static var versioning: TLLVVersioning? { get }

    /// Reads the value, whose size and version have been checked. What it leaves unread is an error.
    init(readingValue reader: inout ByteReader) throws(ParseError)

    /// Writes the value.
    func writeValue(to writer: inout ByteWriter)
}

/// The sizes in bytes that a TLLV's value may have.
public enum TLLVValueLengths: Sendable {
    /// One of these.
    case oneOf([Int])
    /// Any in this range that is a multiple of `step`.
    case range(ClosedRange<Int>, step: Int = 1)
    /// This size, or more: blocks in which a device describes itself have grown without a new version before. What is
    /// read past the known fields is left alone; the block keeps it.
    case atLeast(Int)

    /// Exactly this size.
    static func exactly(_ count: Int) -> Self { .oneOf([count]) }

    /// Whether a value may have this size.
    public func allows(_ count: Int) -> Bool {
        switch self {
        case .oneOf(let sizes): sizes.contains(count)
        case .range(let range, let step): range.contains(count) && count.isMultiple(of: step)
        case .atLeast(let least): count >= least
        }
    }
}

/// The version field of a TLLV's value, 4 bytes.
public struct TLLVVersioning: Sendable {
    /// Where the field begins, in bytes from the start of the value.
    public let offset: Int
    /// The versions that the guide describes.
    public let known: ClosedRange<UInt32>
}

extension TLLVContent {
    /// None.
    public static var versioning: TLLVVersioning? { nil }

    /// Reads the value of a block.
    ///
    /// - Throws: `unknown-tllv-version`, which outranks `invalid-value-length`, since another version may have another
    ///   size; and what the type itself finds wrong. Offsets count from the start of the payload of the block.
    public init(_ block: TLLV) throws(ParseError) {
        let base = block.offset + TLLV.headerLength
        if let versioning = Self.versioning, block.value.count >= versioning.offset + 4 {
            var reader = ByteReader(block.value.span.bytes, base: base)
            try reader.skip(versioning.offset, "value of \(Self.tag)")
            let version = try reader.readUInt32("version of \(Self.tag)")
            guard versioning.known.contains(version) else {
                throw ParseError(
                    .unknownTLLVVersion,
                    reading: "version of \(Self.tag)",
                    offset: base + versioning.offset,
                    reason: "\(version)"
                )
            }
        }
        guard Self.valueLengths.allows(block.value.count) else {
            throw ParseError(
                .invalidValueLength,
                reading: "value of \(Self.tag)",
                offset: base,
                reason: "\(block.value.count) bytes"
            )
        }
        var reader = ByteReader(block.value.span.bytes, base: base)
        self = try Self(readingValue: &reader)
        if case .atLeast = Self.valueLengths { return }
        try reader.finish("value of \(Self.tag)")
    }

    /// The value alone.
    public var encodedValue: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writeValue(to: &writer)
        return writer.bytes
    }

    /// Makes a block with fresh random padding, by `extraPadding` times 16 bytes longer than needed.
    public func block(extraPadding: Int = 0, using random: inout some RandomNumberGenerator) -> TLLV {
        TLLV(tag: Self.tag, value: encodedValue, extraPadding: extraPadding, using: &random)
    }
}
