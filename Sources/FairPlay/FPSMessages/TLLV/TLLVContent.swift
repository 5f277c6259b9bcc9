public import ByteCoding
import TextCoding

/// The value of a TLLV with a known tag. A conforming type parses and writes only the value; ``TLLV`` handles the
/// header and the padding.
public protocol TLLVContent: Sendable, Hashable {
    /// The tag of the blocks with this value.
    static var tag: TLLVTag { get }

    /// The valid sizes of the value in bytes.
    static var valueLengths: TLLVValueLengths { get }

    /// The position of the version field in the value, and the supported versions; nil if the value has no version or
    /// any version is accepted.
    static var versioning: TLLVVersioning? { get }

    /// Parses the value, whose size and version have already been checked. Bytes that are left unread are an error.
    init(readingValue reader: inout ByteReader) throws(ParseError)

    /// Writes the value.
    func writeValue(to writer: inout ByteWriter)
}

/// The valid sizes of a TLLV's value in bytes.
public enum TLLVValueLengths: Sendable {
    /// One of these sizes.
    case oneOf([Int])
    /// Any size in this range that is a multiple of `step`.
    case range(ClosedRange<Int>, step: Int = 1)
    /// This size or more, because blocks that describe a device have been extended without a new version before. Bytes
    /// after the known fields are ignored, but preserved in the block.
    case atLeast(Int)

    /// Returns exactly this size.
    static func exactly(_ count: Int) -> Self { .oneOf([count]) }

    /// Returns whether a value can have this size.
    public func allows(_ count: Int) -> Bool {
        switch self {
        case .oneOf(let sizes): sizes.contains(count)
        case .range(let range, let step): range.contains(count) && count.isMultiple(of: step)
        case .atLeast(let least): count >= least
        }
    }
}

/// The position and the supported values of the version field in a TLLV's value, 4 bytes.
public struct TLLVVersioning: Sendable {
    /// The offset of the field, in bytes from the start of the value.
    public let offset: Int
    /// The versions that the guide describes.
    public let known: ClosedRange<UInt32>
}

extension TLLVContent {
    /// No version field, by default.
    public static var versioning: TLLVVersioning? { nil }

    /// Parses the value of a block.
    ///
    /// - Throws: `unknown-tllv-version`, which takes precedence over `invalid-value-length`, because another version
    ///   can have another size; and the errors of the type's own parser. Offsets are from the start of the payload that
    ///   contains the block.
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
                reason: counted(block.value.count, "byte")
            )
        }
        var reader = ByteReader(block.value.span.bytes, base: base)
        self = try Self(readingValue: &reader)
        if case .atLeast = Self.valueLengths { return }
        try reader.finish("value of \(Self.tag)")
    }

    /// The encoded value, without the header and the padding.
    public var encodedValue: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writeValue(to: &writer)
        return writer.bytes
    }

    /// Creates a block with new random padding, and `extraPadding` additional 16-byte units of padding.
    public func block(extraPadding: Int = 0, using random: inout some RandomNumberGenerator) -> TLLV {
        TLLV(tag: Self.tag, value: encodedValue, extraPadding: extraPadding, using: &random)
    }
}
