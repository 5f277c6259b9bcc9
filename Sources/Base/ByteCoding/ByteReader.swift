/// A cursor over bytes that it does not own. It reads big-endian numbers and byte strings. Every error contains the
/// field and its offset.
///
/// The compiler ensures that the reader does not outlive the memory, so bytes are copied only when a field is read as
/// an array. A reader over a part (``split(_:_:)``) counts offsets from the start of the whole input.
public struct ByteReader: ~Escapable {
    @usableFromInline let span: RawSpan
    @usableFromInline let base: Int
    @usableFromInline var position = 0

    /// Creates a reader over all of `span`. `base` is the offset of the first byte in errors.
    @_lifetime(copy span)
    @inlinable
    public init(_ span: RawSpan, base: Int = 0) {
        self.span = span
        self.base = base
    }

    /// The number of bytes that have not been read yet.
    @inlinable
    public var remaining: Int { span.byteCount - position }

    /// The offset of the next byte from the start of the outermost input.
    @inlinable
    public var offset: Int { base + position }

    /// Reads one byte.
    @inlinable
    public mutating func readUInt8(_ field: @autoclosure () -> String) throws(ParseError) -> UInt8 {
        try read(UInt8.self, field())
    }

    /// Reads a 2-byte big-endian number.
    @inlinable
    public mutating func readUInt16(_ field: @autoclosure () -> String) throws(ParseError) -> UInt16 {
        try read(UInt16.self, field())
    }

    /// Reads a 4-byte big-endian number.
    @inlinable
    public mutating func readUInt32(_ field: @autoclosure () -> String) throws(ParseError) -> UInt32 {
        try read(UInt32.self, field())
    }

    /// Reads an 8-byte big-endian number.
    @inlinable
    public mutating func readUInt64(_ field: @autoclosure () -> String) throws(ParseError) -> UInt64 {
        try read(UInt64.self, field())
    }

    /// Reads `count` bytes into an array.
    @inlinable
    public mutating func readBytes(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) -> [UInt8] {
        try require(count, field())
        defer { position += count }
        let part = span.extracting(position..<position + count)
        return part.withUnsafeBytes { [UInt8]($0) }
    }

    /// Skips `count` bytes.
    @inlinable
    public mutating func skip(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) {
        try require(count, field())
        position += count
    }

    /// Returns a reader over the next `count` bytes, and skips these bytes.
    @_lifetime(copy self)
    @inlinable
    public mutating func split(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) -> ByteReader {
        try require(count, field())
        defer { position += count }
        return ByteReader(span.extracting(position..<position + count), base: base + position)
    }

    /// Checks that all bytes have been read.
    ///
    /// - Throws: ``ParseError/Code/trailingBytes``.
    @inlinable
    public func finish(_ structure: @autoclosure () -> String) throws(ParseError) {
        guard remaining == 0 else {
            throw ParseError(
                .trailingBytes,
                reading: structure(),
                offset: offset,
                reason: "\(remaining) unexpected bytes at the end"
            )
        }
    }

    @inlinable
    mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type,
        _ field: @autoclosure () -> String
    ) throws(ParseError) -> Number {
        let size = Number.bitWidth / 8
        try require(size, field())
        defer { position += size }
        return Number(bigEndian: span.unsafeLoadUnaligned(fromByteOffset: position, as: Number.self))
    }

    @inlinable
    func require(_ count: Int, _ field: @autoclosure () -> String) throws(ParseError) {
        guard count >= 0, count <= remaining else {
            throw ParseError(
                .truncated,
                reading: field(),
                offset: offset,
                reason: "expected \(count) bytes, found \(remaining)"
            )
        }
    }
}
