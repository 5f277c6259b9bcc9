import ByteCoding

/// The type of MPEG-4 audio (ISO/IEC 14496-3, table 1.17), 1 to 95.
///
///     audioObjectType      5 bits   31: the next field is present
///     audioObjectTypeExt   6 bits   the type minus 32
public struct AudioObjectType: RawRepresentable, Hashable, Sendable {
    /// The number of the type.
    public let rawValue: UInt8

    /// Creates a type from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// AAC Main.
    public static let aacMain = AudioObjectType(rawValue: 1)
    /// AAC Low Complexity.
    public static let aacLC = AudioObjectType(rawValue: 2)
    /// AAC Scalable Sample Rate.
    public static let aacSSR = AudioObjectType(rawValue: 3)
    /// AAC Long Term Prediction.
    public static let aacLTP = AudioObjectType(rawValue: 4)
    /// Spectral band replication (SBR); with AAC Low Complexity as the core, HE-AAC.
    public static let sbr = AudioObjectType(rawValue: 5)
    /// AAC Scalable.
    public static let aacScalable = AudioObjectType(rawValue: 6)
    /// TwinVQ.
    public static let twinVQ = AudioObjectType(rawValue: 7)
    /// AAC Low Complexity, error resilient.
    public static let errorResilientAACLC = AudioObjectType(rawValue: 17)
    /// AAC Long Term Prediction, error resilient.
    public static let errorResilientAACLTP = AudioObjectType(rawValue: 19)
    /// AAC Scalable, error resilient.
    public static let errorResilientAACScalable = AudioObjectType(rawValue: 20)
    /// TwinVQ, error resilient.
    public static let errorResilientTwinVQ = AudioObjectType(rawValue: 21)
    /// Bit-Sliced Arithmetic Coding, error resilient.
    public static let errorResilientBSAC = AudioObjectType(rawValue: 22)
    /// AAC Low Delay, error resilient.
    public static let errorResilientAACLD = AudioObjectType(rawValue: 23)
    /// Parametric stereo (PS); with AAC Low Complexity as the core, HE-AAC version 2.
    public static let ps = AudioObjectType(rawValue: 29)
    /// MPEG-1 and MPEG-2 audio, layer I.
    public static let layer1 = AudioObjectType(rawValue: 32)
    /// MPEG-1 and MPEG-2 audio, layer II.
    public static let layer2 = AudioObjectType(rawValue: 33)
    /// MPEG-1 and MPEG-2 audio, layer III: MP3.
    public static let layer3 = AudioObjectType(rawValue: 34)
    /// AAC Enhanced Low Delay, error resilient.
    public static let errorResilientAACELD = AudioObjectType(rawValue: 39)
    /// Unified speech and audio coding (USAC), used by xHE-AAC.
    public static let usac = AudioObjectType(rawValue: 42)

    /// Reads 5 or 11 bits: GetAudioObjectType().
    ///
    /// - Throws: `ParseError`; `invalid-value` for type 0.
    init(reading reader: inout BitReader) throws(ParseError) {
        var number = try reader.readBits(5, "audio object type")
        if number == 31 { number = 32 + (try reader.readBits(6, "extended audio object type")) }
        guard number != 0 else { throw reader.failure(.invalidValue, "audio object type", "type 0 is not valid") }
        rawValue = UInt8(truncatingIfNeeded: number)
    }

    /// Writes 5 or 11 bits.
    func write(to writer: inout BitWriter) {
        if rawValue < 31 { return writer.write(rawValue, bits: 5) }
        writer.write(31, bits: 5)
        writer.write(rawValue &- 32, bits: 6)
    }

    /// True if the type's configuration is a GASpecificConfig.
    var isGeneralAudio: Bool { [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(rawValue) }

    /// True if `epConfig` follows the type's configuration.
    var isErrorResilient: Bool { [17, 39].contains(rawValue) || (19...27).contains(rawValue) }
}

/// A sample rate (ISO/IEC 14496-3, table 1.18).
///
///     samplingFrequencyIndex   4 bits    0 to 12, or 15: the next field is present
///     samplingFrequency        24 bits   hertz
public struct SamplingFrequency: Hashable, Sendable {
    /// The sample rates that have an index, in hertz.
    static let table: [UInt32] = [
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]

    /// The index in the table, 0 to 12; 15 if the rate is written explicitly.
    public let index: UInt8
    /// The sample rate in hertz.
    public let hertz: UInt32

    /// Creates a sample rate, with an index if it is in the table.
    ///
    /// - Parameter hertz: the sample rate in hertz, below 2^24.
    public init(hertz: UInt32) {
        index = Self.table.firstIndex(of: hertz).map { UInt8($0) } ?? 15
        self.hertz = hertz & 0xFF_FFFF
    }

    /// Creates a sample rate from its index in the table. Returns nil if the index is above 12.
    public init?(index: UInt8) {
        guard index < Self.table.count else { return nil }
        self.index = index
        hertz = Self.table[Int(index)]
    }

    /// The index of the rate in the table, even if it was written explicitly; nil if the table does not contain it.
    public var tableIndex: UInt8? { Self.table.firstIndex(of: hertz).map { UInt8($0) } }

    /// Reads 4 or 28 bits.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the index is reserved or the rate is 0 Hz.
    init(reading reader: inout BitReader) throws(ParseError) {
        index = UInt8(truncatingIfNeeded: try reader.readBits(4, "sampling frequency index"))
        if index == 15 {
            hertz = try reader.readBits(24, "sampling frequency")
        } else {
            hertz = index < Self.table.count ? Self.table[Int(index)] : 0
        }
        guard hertz > 0 else {
            throw reader.failure(.invalidValue, "sampling frequency", "index \(index) is reserved, or the rate is 0")
        }
    }

    /// Writes 4 or 28 bits.
    func write(to writer: inout BitWriter) {
        writer.write(index, bits: 4)
        if index == 15 { writer.write(hertz, bits: 24) }
    }
}
