import ByteCoding

/// A byte range of a resource.
///
///     byte-range = length [ "@" offset ]      both decimal integers
///
/// Section 4.4.4.2. Without an offset, the range starts at the end of the previous range of the same resource.
/// ``ResolvedSegment/byteRange`` is the absolute range.
public struct ByteRange: Hashable, Sendable {
    /// The number of bytes.
    public var length: UInt64
    /// The offset of the first byte; nil when the range starts at the end of the previous range.
    public var offset: UInt64?

    /// Creates a range of `length` bytes.
    public init(length: UInt64, offset: UInt64? = nil) {
        self.length = length
        self.offset = offset
    }

    init?(_ bytes: [UInt8], _ range: Range<Int>) { self.init(bytes.span.bytes, range) }

    init?(_ bytes: RawSpan, _ range: Range<Int>) {
        var position = range.lowerBound
        guard let length = Decimal.integer(bytes, &position, range.upperBound) else { return nil }
        self.length = length
        guard position < range.upperBound else { return }
        guard bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: "@") else { return nil }
        position += 1
        guard let offset = Decimal.integer(bytes, &position, range.upperBound), position == range.upperBound else {
            return nil
        }
        // The end must not overflow either.
        guard !length.addingReportingOverflow(offset).overflow else { return nil }
        self.offset = offset
    }

    var text: String { offset.map { "\(length)@\($0)" } ?? "\(length)" }
}
