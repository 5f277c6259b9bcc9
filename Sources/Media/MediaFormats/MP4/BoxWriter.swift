/// Writes boxes into one array. Sizes are put in when a box is closed.
public struct BoxWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8]

    /// Makes a writer with room for `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// How many bytes have been written.
    public var count: Int { bytes.count }

    /// Forgets what was written, but keeps its room.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a big-endian number of the type's own size.
    public mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a code.
    public mutating func write(_ code: FourCC) { write(code.rawValue) }

    /// Appends bytes as they are.
    public mutating func write(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends zeros.
    public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    /// Puts a number over bytes that were written before.
    public mutating func patch(_ number: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
    }

    /// Writes a box; its size follows from what `content` writes. A box of 4 GiB or more does not occur in headers.
    public mutating func box(_ type: FourCC, _ content: (inout BoxWriter) -> Void) {
        let start = bytes.count
        write(UInt32(0))
        write(type)
        content(&self)
        patch(UInt32(truncatingIfNeeded: bytes.count - start), at: start)
    }

    /// Writes a full box: a version of 8 bits and flags of 24 before the content.
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
