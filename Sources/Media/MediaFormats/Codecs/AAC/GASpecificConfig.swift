import ByteCoding

/// The configuration of a decoder of the AAC family: GASpecificConfig() (ISO/IEC 14496-3, 4.4.1).
///
///     frameLengthFlag         1 bit     960 samples instead of 1024; 480 instead of 512 in AAC Low Delay
///     dependsOnCoreCoder      1 bit
///     coreCoderDelay          14 bits   if that is 1
///     extensionFlag           1 bit
///     program_config_element            if the channel configuration is 0
///     layerNr                 3 bits    scalable types, 6 and 20
///     numOfSubFrame           5 bits    ┐ type 22
///     layer_length            11 bits   │
///     resilience flags        3 bits    │ types 17, 19, 20 and 23
///     extensionFlag3          1 bit     ┘ if extensionFlag is 1
public struct GASpecificConfig: Hashable, Sendable {
    /// True if frames are short: 960 samples instead of 1024, or 480 instead of 512 in AAC Low Delay.
    public var hasShortFrames = false
    /// The delay of the core coder below this layer, if any.
    public var coreCoderDelay: UInt16?
    /// The channels if the channel configuration is 0; otherwise nil.
    public var programConfig: ProgramConfigElement?
    /// The layer number in a scalable stream, 3 bits.
    public var layer: UInt8 = 0
    /// The bits after an `extensionFlag` of 1; nil if the flag is 0.
    private var extensionBits: UInt32?

    /// Creates a configuration for frames of 1024 samples.
    public init(programConfig: ProgramConfigElement? = nil) { self.programConfig = programConfig }

    private static func extensionWidth(_ type: AudioObjectType) -> Int {
        switch type.rawValue {
        case 22: 17
        case 17, 19, 20, 23: 4
        default: 1
        }
    }

    private static func hasLayer(_ type: AudioObjectType) -> Bool { [6, 20].contains(type.rawValue) }

    /// Parses a configuration.
    init(
        reading reader: inout BitReader,
        type: AudioObjectType,
        channelConfiguration: UInt8
    ) throws(ParseError) {
        hasShortFrames = try reader.readFlag("frame length flag")
        if try reader.readFlag("core coder flag") {
            coreCoderDelay = UInt16(truncatingIfNeeded: try reader.readBits(14, "core coder delay"))
        }
        let isExtended = try reader.readFlag("extension flag")
        if channelConfiguration == 0 { programConfig = try ProgramConfigElement(reading: &reader, start: 0) }
        if Self.hasLayer(type) { layer = UInt8(truncatingIfNeeded: try reader.readBits(3, "layer number")) }
        if isExtended { extensionBits = try reader.readBits(Self.extensionWidth(type), "extension of a configuration") }
    }

    /// Writes the configuration.
    func write(to writer: inout BitWriter, type: AudioObjectType, channelConfiguration: UInt8) {
        writer.write(hasShortFrames)
        writer.write(coreCoderDelay != nil)
        if let coreCoderDelay { writer.write(coreCoderDelay, bits: 14) }
        writer.write(extensionBits != nil)
        if channelConfiguration == 0 {
            (programConfig ?? ProgramConfigElement(frequencyIndex: 15)).write(to: &writer)
        }
        if Self.hasLayer(type) { writer.write(layer, bits: 3) }
        if let extensionBits { writer.write(extensionBits, bits: Self.extensionWidth(type)) }
    }
}
