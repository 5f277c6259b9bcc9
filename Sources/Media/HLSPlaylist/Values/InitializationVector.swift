import TextCoding

/// An AES initialization vector of 16 bytes.
///
///     IV = ( "0x" / "0X" ) 1*32HEXDIG      a number: fewer digits imply leading zeros
///
/// Sections 4.4.4.4 and 5.2.
public struct InitializationVector: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates the vector of a Media Segment whose key has no IV: the Media Sequence Number as a big-endian number of
    /// 16 bytes.
    public init(mediaSequenceNumber: UInt64) {
        high = 0
        low = mediaSequenceNumber
    }

    /// Creates a vector from 16 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: high >> UInt64($0)) }
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: low >> UInt64($0)) }
    }

    init?(hexadecimal digits: some Sequence<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        for digit in digits {
            guard let value = Hexadecimal.value(of: digit), count < 32 else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
            count += 1
        }
        guard count > 0 else { return nil }
        self.high = high
        self.low = low
    }

    var text: String { "0x" + Hexadecimal.encodeUppercase(bytes) }
}
