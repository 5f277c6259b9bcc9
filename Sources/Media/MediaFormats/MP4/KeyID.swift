/// The ID of a content key (ISO/IEC 23001-7): 16 bytes, stored inline so that a sample can contain it without a memory
/// allocation.
public struct KeyID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates an ID of 16 bytes. Returns nil if the number of bytes is different.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 bytes of the ID.
    public var bytes: [UInt8] { bigEndian(high) + bigEndian(low) }
}

/// An initialization vector (IV) of 0, 8 or 16 bytes, stored inline.
public struct SampleIV: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    /// The size in bytes: 0, 8 or 16.
    public let count: Int

    /// An empty initialization vector.
    public static let none = SampleIV(high: 0, low: 0, count: 0)

    /// Creates an initialization vector from two big-endian numbers; `low` is 0 if the size is 8 bytes. Used for each
    /// sample of a track, for which the generic initializer is too slow.
    package init(high: UInt64, low: UInt64, count: Int) {
        self.high = high
        self.low = low
        self.count = count
    }

    /// Creates an initialization vector of 0, 8 or 16 bytes. Returns nil if the number of bytes is different.
    public init?(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        guard count == 0 || count == 8 || count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes of the initialization vector.
    public var bytes: [UInt8] { Array((bigEndian(high) + bigEndian(low)).prefix(count)) }
}

private func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
}
