public import ByteCoding

/// What the device can enforce: 128 bits (Tables 3-1 and 3-2).
///
///     bytes    field
///     0-7      tag 0x9c02af3253c07fb2
///     8-11     block length
///     12-15    value length: 16
///     16-23    bits 64-127
///     24-31    bits 0-63
///     32...    padding
public struct Capabilities: TLLVContent {
    /// A feature, by the number of its bit.
    public enum Feature: Int, CaseIterable, Sendable {
        /// Enforces the HDCP type that a CKC asks for. Without it, no key that needs Type 1 should be released.
        case hdcpEnforcement = 0
        /// Handles the Offline Key TLLV.
        case offlineKey = 1
        /// Supports secure invalidation of persistent keys.
        case secureInvalidation = 2
        /// Handles version 2 of the Offline Key TLLV.
        case offlineKeyVersion2 = 3
        /// Enforces security level Baseline. A Security Level Report says it better.
        case securityLevelBaseline = 4
        /// Enforces security level Main. A Security Level Report says it better.
        case securityLevelMain = 5
    }

    /// Bits 64 to 127; the guide gives none of them a meaning.
    public let high: UInt64
    /// Bits 0 to 63.
    public let low: UInt64

    /// Makes capabilities from their bits.
    public init(high: UInt64 = 0, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes capabilities from features.
    public init(_ features: Set<Feature>) {
        self.init(low: features.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    }

    /// Whether the feature's bit is set.
    public func has(_ feature: Feature) -> Bool { low >> UInt64(feature.rawValue) & 1 == 1 }

    /// The numbers of all bits that are set, named or not.
    public var bits: [Int] { (0..<128).filter { ($0 < 64 ? low >> $0 : high >> ($0 - 64)) & 1 == 1 } }

    /// 0x9c02af3253c07fb2.
    public static let tag = TLLVTag.capabilities
    /// 16 bytes.
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
