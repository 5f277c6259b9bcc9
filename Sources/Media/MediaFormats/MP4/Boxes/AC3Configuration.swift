public import ByteCoding

/// `dac3`: AC-3 in a track (ETSI TS 102 366, F.4).
///
///     fscod           2 bits
///     bsid            5 bits
///     bsmod           3 bits
///     acmod           3 bits
///     lfeon           1 bit
///     bit_rate_code   5 bits
///     reserved        5 bits   kept as they are
public struct AC3ConfigurationBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "dac3"

    /// 0 is 48, 1 is 44.1, 2 is 32 kHz.
    public var frequencyCode: UInt8
    /// Which version of the format.
    public var bitStreamID: UInt8
    /// The kind of service; 0 is a complete main one.
    public var bitStreamMode: UInt8
    /// Which full-bandwidth channels there are.
    public var codingMode: UInt8
    /// Whether there is a channel for low frequencies.
    public var hasLowFrequency: Bool
    /// The nominal bit rate, 0 to 18 for 32 to 640 thousand bits a second.
    public var bitRateCode: UInt8
    private var reserved: UInt8 = 0

    /// Makes the box of a stream.
    ///
    /// - Throws: `ParseError` `not-supported` for a syncframe of E-AC-3.
    public init(_ syncframe: AC3Syncframe) throws(ParseError) {
        guard !syncframe.isEnhanced else {
            let reason = "bsid \(syncframe.bitStreamID) is that of E-AC-3, which has a dec3 box"
            throw ParseError(.notSupported, reading: "AC-3 syncframe", offset: 0, reason: reason)
        }
        frequencyCode = syncframe.frequencyCode
        bitStreamID = syncframe.bitStreamID
        bitStreamMode = syncframe.bitStreamMode
        codingMode = syncframe.codingMode
        hasLowFrequency = syncframe.hasLowFrequency
        bitRateCode = syncframe.bitRateCode
    }

    /// Channels, that for low frequencies included.
    public var channelCount: Int { AC3Syncframe.channels[Int(codingMode & 7)] + (hasLowFrequency ? 1 : 0) }
    /// Samples a second; 0 for the code that is reserved.
    public var sampleRate: UInt32 { AC3Syncframe.sampleRate(frequencyCode) }
    /// Bits a second; 0 for codes that are reserved.
    public var bitRate: UInt32 {
        bitRateCode < 19 ? UInt32(AC3Syncframe.bitRates[Int(bitRateCode)]) * 1000 : 0
    }
    /// The element of a CODECS attribute (RFC 6381).
    public var codecs: String { "ac-3" }

    /// Reads the content, the header left out: 3 bytes.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let bits =
            UInt32(try reader.readUInt16("AC-3 configuration")) << 8
            | UInt32(try reader.readUInt8("bit rate code"))
        frequencyCode = UInt8(bits >> 22)
        bitStreamID = UInt8(bits >> 17 & 31)
        bitStreamMode = UInt8(bits >> 14 & 7)
        codingMode = UInt8(bits >> 11 & 7)
        hasLowFrequency = bits >> 10 & 1 == 1
        bitRateCode = UInt8(bits >> 5 & 31)
        reserved = UInt8(bits & 31)
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        var bits = BitWriter()
        bits.write(frequencyCode, bits: 2)
        bits.write(bitStreamID, bits: 5)
        bits.write(bitStreamMode, bits: 3)
        bits.write(codingMode, bits: 3)
        bits.write(hasLowFrequency)
        bits.write(bitRateCode, bits: 5)
        bits.write(reserved, bits: 5)
        writer.box(Self.type) { $0.write(bits.bytes) }
    }
}
