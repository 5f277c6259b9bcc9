public import ByteCoding

/// What a decoder of MPEG-4 audio needs to know: AudioSpecificConfig() (ISO/IEC 14496-3, 1.6.2.1).
///
///     audioObjectType                   5 or 11 bits    5 or 29: hierarchical signaling, with the fields marked *
///     samplingFrequency                 4 or 28 bits
///     channelConfiguration              4 bits          0: a program_config_element says it
///     extensionSamplingFrequency *      4 or 28 bits
///     audioObjectType *                 5 or 11 bits    the type below
///     extensionChannelConfiguration *   4 bits          when that is 22
///     specific configuration            by the type, see ``GASpecificConfig``
///     epConfig                          2 bits          error resilient types
///     syncExtensionType                 11 bits         0x2B7: backward compatible signaling
///     extensionAudioObjectType          5 bits          5
///     sbrPresentFlag                    1 bit
///     extensionSamplingFrequency        4 or 28 bits    when that is 1
///     syncExtensionType                 11 bits         0x548
///     psPresentFlag                     1 bit
///
/// Every bit that was read is written again, also those of types that are not taken apart here.
public struct AudioSpecificConfig: Hashable, Sendable {
    /// Spectral band replication, and whether parametric stereo is there as well.
    public struct SpectralBandReplication: Hashable, Sendable {
        /// The rate that comes out, as a rule twice the core's.
        public var samplingFrequency: SamplingFrequency
        /// Whether two channels come out of one by parametric stereo; nil when nothing is said.
        public var hasParametricStereo: Bool?
        /// Of ER BSAC alone: `extensionChannelConfiguration`.
        public var channelConfiguration: UInt8?

        /// Describes the extension.
        public init(samplingFrequency: SamplingFrequency, hasParametricStereo: Bool? = nil) {
            self.samplingFrequency = samplingFrequency
            self.hasParametricStereo = hasParametricStereo
        }
    }

    /// How spectral band replication is signaled (ISO/IEC 14496-3, 1.6.5).
    public enum Signaling: Hashable, Sendable {
        /// Nothing is said; the stream may have it all the same.
        case implicit
        /// The first object type is 5 or 29: decoders that do not know it refuse the stream.
        case hierarchical(SpectralBandReplication)
        /// Behind the core's configuration: decoders that do not know it play the core. nil: it is not there.
        case backwardCompatible(SpectralBandReplication?)
    }

    private enum Specific: Hashable, Sendable {
        case generalAudio(GASpecificConfig)
        /// Of other types, all that is left.
        case other(BitString)
    }

    /// The type of the core: AAC Low Complexity for HE-AAC as well.
    public var objectType: AudioObjectType
    /// The rate of the core.
    public var samplingFrequency: SamplingFrequency
    /// Where the loudspeakers are, 1 to 14 (table 1.19); 0: ``GASpecificConfig/programConfig`` says it.
    public var channelConfiguration: UInt8
    /// Whether spectral band replication is there.
    public var signaling: Signaling
    private var specific: Specific
    private var errorProtection: UInt8 = 0
    /// What lies behind, unless it only fills up the last byte with zeros.
    private var trailing = BitString()

    /// Makes a configuration of the AAC family.
    public init(
        objectType: AudioObjectType = .aacLC,
        samplingFrequency: SamplingFrequency,
        channelConfiguration: UInt8,
        signaling: Signaling = .implicit,
        generalAudio: GASpecificConfig = GASpecificConfig()
    ) {
        self.objectType = objectType
        self.samplingFrequency = samplingFrequency
        self.channelConfiguration = channelConfiguration
        self.signaling = signaling
        specific = .generalAudio(generalAudio)
    }

    /// The configuration of the AAC family; nil for other types.
    public var generalAudio: GASpecificConfig? {
        if case .generalAudio(let config) = specific { config } else { nil }
    }

    /// Reads a configuration.
    ///
    /// - Parameter base: What the first byte counts as in errors.
    /// - Throws: `ParseError`; `invalid-value` for a type or a rate that does not exist.
    public init(_ bytes: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(bytes, base: base, emulationPrevention: false)
        let first = try AudioObjectType(reading: &reader)
        objectType = first
        samplingFrequency = try SamplingFrequency(reading: &reader)
        channelConfiguration = UInt8(truncatingIfNeeded: try reader.readBits(4, "channel configuration"))
        signaling = .implicit
        if first == .sbr || first == .ps {
            var extended = SpectralBandReplication(samplingFrequency: try SamplingFrequency(reading: &reader))
            if first == .ps { extended.hasParametricStereo = true }
            objectType = try AudioObjectType(reading: &reader)
            if objectType == .errorResilientBSAC {
                let configuration = try reader.readBits(4, "extension channel configuration")
                extended.channelConfiguration = UInt8(truncatingIfNeeded: configuration)
            }
            signaling = .hierarchical(extended)
        }
        let size = bytes.byteCount * 8
        guard objectType.isGeneralAudio else {
            let left = size - reader.bitsRead
            specific = .other(try BitString(reading: &reader, count: left, "specific configuration"))
            return
        }
        specific = .generalAudio(
            try GASpecificConfig(reading: &reader, type: objectType, channelConfiguration: channelConfiguration)
        )
        if objectType.isErrorResilient {
            errorProtection = UInt8(truncatingIfNeeded: try reader.readBits(2, "error protection configuration"))
        }
        // What stands behind types 2 and 3 of error protection is not taken apart, so nothing can be looked for there.
        if signaling == .implicit, errorProtection < 2 { try readExtension(&reader, size) }
        let rest = try BitString(reading: &reader, count: size - reader.bitsRead, "end of a configuration")
        if rest.count >= 8 || !rest.isZero { trailing = rest }
    }

    /// Reads the sync extensions behind the core's configuration.
    private mutating func readExtension(_ reader: inout BitReader, _ size: Int) throws(ParseError) {
        guard size - reader.bitsRead >= 16 else { return }
        var probe = reader
        guard try probe.readBits(11, "sync extension type") == Self.sbrSyncExtension,
            try probe.readBits(5, "extension audio object type") == AudioObjectType.sbr.rawValue
        else { return }
        reader = probe
        guard try reader.readFlag("sbrPresentFlag") else {
            signaling = .backwardCompatible(nil)
            return
        }
        var extended = SpectralBandReplication(samplingFrequency: try SamplingFrequency(reading: &reader))
        probe = reader
        if size - reader.bitsRead >= 12, try probe.readBits(11, "sync extension type") == Self.psSyncExtension {
            extended.hasParametricStereo = try probe.readFlag("psPresentFlag")
            reader = probe
        }
        signaling = .backwardCompatible(extended)
    }

    private static let sbrSyncExtension: UInt32 = 0x2B7
    private static let psSyncExtension: UInt32 = 0x548

    /// The configuration in whole bytes, filled up with zeros.
    public var bytes: [UInt8] {
        var writer = BitWriter()
        if case .hierarchical(let extended) = signaling {
            (extended.hasParametricStereo == true ? AudioObjectType.ps : .sbr).write(to: &writer)
        } else {
            objectType.write(to: &writer)
        }
        samplingFrequency.write(to: &writer)
        writer.write(channelConfiguration, bits: 4)
        if case .hierarchical(let extended) = signaling {
            extended.samplingFrequency.write(to: &writer)
            objectType.write(to: &writer)
            if objectType == .errorResilientBSAC { writer.write(extended.channelConfiguration ?? 0, bits: 4) }
        }
        switch specific {
        case .generalAudio(let config):
            config.write(to: &writer, type: objectType, channelConfiguration: channelConfiguration)
            if objectType.isErrorResilient { writer.write(errorProtection, bits: 2) }
        case .other(let bits): writer.write(bits)
        }
        if case .backwardCompatible(let extended) = signaling {
            writer.write(Self.sbrSyncExtension, bits: 11)
            writer.write(AudioObjectType.sbr.rawValue, bits: 5)
            writer.write(extended != nil)
            if let extended {
                extended.samplingFrequency.write(to: &writer)
                if let hasParametricStereo = extended.hasParametricStereo {
                    writer.write(Self.psSyncExtension, bits: 11)
                    writer.write(hasParametricStereo)
                }
            }
        }
        writer.write(trailing)
        return writer.bytes
    }
}
