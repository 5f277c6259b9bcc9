import ByteCoding

/// A size in pixels.
///
///     decimal-resolution = width "x" height
///
/// Section 4.2.
public struct Resolution: Hashable, Sendable, CustomStringConvertible {
    /// The width in pixels.
    public var width: UInt64
    /// The height in pixels.
    public var height: UInt64

    /// Creates a size.
    public init(width: UInt64, height: UInt64) {
        self.width = width
        self.height = height
    }

    init?(_ bytes: [UInt8], _ range: Range<Int>) { self.init(bytes.span.bytes, range) }

    init?(_ bytes: RawSpan, _ range: Range<Int>) {
        var position = range.lowerBound
        guard let width = Decimal.integer(bytes, &position, range.upperBound), position < range.upperBound,
            bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: "x"),
            let height = Decimal.integer(bytes, position + 1..<range.upperBound)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// The size in the form `1920x1080`.
    public var description: String { "\(width)x\(height)" }
}
