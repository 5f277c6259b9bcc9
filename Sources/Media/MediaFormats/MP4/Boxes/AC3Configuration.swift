public import ByteCoding

/// A `dac3` box: the configuration of an AC-3 track (ETSI TS 102 366, F.4).
///
///     fscod           2 bits
///     bsid            5 bits
///     bsmod           3 bits
///     acmod           3 bits
///     lfeon           1 bit
///     bit_rate_code   5 bits
///     reserved        5 bits   preserved
public struct AC3ConfigurationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "dac3"

    /// The `fscod`: 0 is 48 kHz, 1 is 44.1 kHz, 2 is 32 kHz.
    public var frequencyCode: UInt8
    /// The `bsid`: the version of the format.
    public var bitStreamID: UInt8
    /// The `bsmod`: the type of service; 0 is a complete main service.
    public var bitStreamMode: UInt8
    /// The `acmod`: the full-bandwidth channels.
    public var codingMode: UInt8
    /// True if there is a low-frequency effects (LFE) channel.
    public var hasLowFrequency: Bool
    /// The code of the nominal bit rate, 0 to 18 for 32 to 640 kbit/s.
    public var bitRateCode: UInt8
    private var reserved: UInt8 = 0

    /// Creates the box of a stream from its first syncframe.
    ///
    /// - Throws: `ParseError` `not-supported` for an E-AC-3 syncframe.
    public init(_ syncframe: AC3Syncframe) throws(ParseError) {
        guard !syncframe.isEnhanced else {
            let reason = "the syncframe is E-AC-3 (bsid \(syncframe.bitStreamID)), which requires a dec3 box"
            throw ParseError(.notSupported, reading: "AC-3 syncframe", offset: 0, reason: reason)
        }
        frequencyCode = syncframe.frequencyCode
        bitStreamID = syncframe.bitStreamID
        bitStreamMode = syncframe.bitStreamMode
        codingMode = syncframe.codingMode
        hasLowFrequency = syncframe.hasLowFrequency
        bitRateCode = syncframe.bitRateCode
    }

    /// The number of channels, including the LFE channel.
    public var channelCount: Int { AC3Syncframe.channels[Int(codingMode & 7)] + (hasLowFrequency ? 1 : 0) }
    /// The sample rate in hertz; 0 for the reserved code.
    public var sampleRate: UInt32 { AC3Syncframe.sampleRate(frequencyCode) }
    /// The nominal bit rate in bits per second; 0 for reserved codes.
    public var bitRate: UInt32 {
        bitRateCode < 19 ? UInt32(AC3Syncframe.bitRates[Int(bitRateCode)]) * 1000 : 0
    }
    /// The codec string for a CODECS attribute (RFC 6381).
    public var codecs: String { "ac-3" }

    /// Reads the content of the box, 3 bytes after its header.
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

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("bsid", bitStreamID), BoxField("acmod", codingMode), BoxField("lfeon", hasLowFrequency ? 1 : 0),
            BoxField("bit_rate", bitRate), BoxField("channels", channelCount),
        ]
    }
}
