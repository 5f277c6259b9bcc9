/// The ID of a content key (ISO/IEC 23001-7): 16 bytes, held in place so that a sample can carry it without an
/// allocation.
public struct KeyID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Makes an ID of 16 bytes; nil when there are more or fewer.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 bytes.
    public var bytes: [UInt8] { bigEndian(high) + bigEndian(low) }
}

/// An initialization vector of 8 or 16 bytes, or none, held in place.
public struct SampleIV: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    /// Its size in bytes: 0, 8 or 16.
    public let count: Int

    /// No vector.
    public static let none = SampleIV(high: 0, low: 0, count: 0)

    /// Makes a vector of two numbers, big-endian; `low` is 0 in one of 8 bytes. For each sample of a track, which the
    /// generic initializer is too slow for.
    package init(high: UInt64, low: UInt64, count: Int) {
        self.high = high
        self.low = low
        self.count = count
    }

    /// Makes a vector of 0, 8 or 16 bytes; nil when there is another number of them.
    public init?(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        guard count == 0 || count == 8 || count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes.
    public var bytes: [UInt8] { Array((bigEndian(high) + bigEndian(low)).prefix(count)) }
}

private func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
}
