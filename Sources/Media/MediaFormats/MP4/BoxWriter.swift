/// A writer that appends boxes to an array. The size of a box is written when the box is complete.
public struct BoxWriter: Sendable {
    /// The written bytes.
    public private(set) var bytes: [UInt8]

    /// Creates a writer and reserves `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The number of written bytes.
    public var count: Int { bytes.count }

    /// Removes the written bytes and keeps the allocated memory.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a big-endian number with the size of its type.
    public mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a four-character code.
    public mutating func write(_ code: FourCC) { write(code.rawValue) }

    /// Appends bytes.
    public mutating func write(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends `count` zero bytes.
    public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    /// Replaces the 4 bytes at `offset` with a number.
    public mutating func patch(_ number: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
    }

    /// Writes a box. Its size is the size of the content that `content` writes, plus the header; it must be less than 4
    /// GiB.
    public mutating func box(_ type: FourCC, _ content: (inout BoxWriter) -> Void) {
        let start = bytes.count
        write(UInt32(0))
        write(type)
        content(&self)
        patch(UInt32(truncatingIfNeeded: bytes.count - start), at: start)
    }

    /// Writes a full box: 8 bits of version and 24 bits of flags before the content.
    public mutating func fullBox(
        _ type: FourCC,
        version: UInt8 = 0,
        flags: UInt32 = 0,
        _ content: (inout BoxWriter) -> Void
    ) {
        box(type) { writer in
            writer.write(UInt32(version) << 24 | flags & 0xFF_FFFF)
            content(&writer)
        }
    }
}
