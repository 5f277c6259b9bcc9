public import ByteCoding

/// The features that the device can enforce, as 128 bits (Tables 3-1 and 3-2).
///
///     bytes    field
///     0-7      tag 0x9c02af3253c07fb2
///     8-11     block length
///     12-15    value length: 16
///     16-23    bits 64-127
///     24-31    bits 0-63
///     32...    padding
public struct Capabilities: TLLVContent {
    /// A feature; the raw value is the number of its bit.
    public enum Feature: Int, CaseIterable, Sendable {
        /// The device enforces the HDCP type that a CKC requires. Without this feature, a key that requires Type 1 must
        /// not be issued.
        case hdcpEnforcement = 0
        /// The device supports the Offline Key TLLV.
        case offlineKey = 1
        /// The device supports secure invalidation of persistent keys.
        case secureInvalidation = 2
        /// The device supports version 2 of the Offline Key TLLV.
        case offlineKeyVersion2 = 3
        /// The device enforces security level Baseline. A Security Level Report takes precedence.
        case securityLevelBaseline = 4
        /// The device enforces security level Main. A Security Level Report takes precedence.
        case securityLevelMain = 5
    }

    /// Bits 64 to 127, which the guide does not define.
    public let high: UInt64
    /// Bits 0 to 63.
    public let low: UInt64

    /// Creates capabilities from their bits.
    public init(high: UInt64 = 0, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates capabilities from features.
    public init(_ features: Set<Feature>) {
        self.init(low: features.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    }

    /// Returns whether the bit of a feature is set.
    public func has(_ feature: Feature) -> Bool { low >> UInt64(feature.rawValue) & 1 == 1 }

    /// The numbers of all set bits, including undefined bits.
    public var bits: [Int] { (0..<128).filter { ($0 < 64 ? low >> $0 : high >> ($0 - 64)) & 1 == 1 } }

    /// The tag, 0x9c02af3253c07fb2.
    public static let tag = TLLVTag.capabilities
    /// The size of the value: 16 bytes.
    public static let valueLengths = TLLVValueLengths.exactly(16)

    /// Reads the bits.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        high = try reader.readUInt64("capability bits 64-127")
        low = try reader.readUInt64("capability bits 0-63")
    }

    /// Writes the bits.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(high)
        writer.write(low)
    }
}
