/// A writer that appends big-endian numbers and byte strings to an array that it owns.
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]

    /// Creates an empty writer with a capacity of `capacity` bytes.
    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The number of bytes written.
    public var count: Int { bytes.count }

    /// Appends a big-endian number with the size of its type.
    public mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes.
    public mutating func write(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }
}
