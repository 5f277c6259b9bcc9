public import ByteCoding

/// The configuration of an MPEG-4 audio decoder: AudioSpecificConfig() (ISO/IEC 14496-3, 1.6.2.1).
///
///     audioObjectType                   5 or 11 bits    5 or 29: hierarchical signaling, with the fields marked *
///     samplingFrequency                 4 or 28 bits
///     channelConfiguration              4 bits          0: see program_config_element
///     extensionSamplingFrequency *      4 or 28 bits
///     audioObjectType *                 5 or 11 bits    the type of the core
///     extensionChannelConfiguration *   4 bits          if that is 22
///     specific configuration            depends on the type, see ``GASpecificConfig``
///     epConfig                          2 bits          error resilient types
///     syncExtensionType                 11 bits         0x2B7: backward compatible signaling
///     extensionAudioObjectType          5 bits          5
///     sbrPresentFlag                    1 bit
///     extensionSamplingFrequency        4 or 28 bits    if that is 1
///     syncExtensionType                 11 bits         0x548
///     psPresentFlag                     1 bit
///
/// Every bit that was read is written again, including the configurations of types that are not parsed.
public struct AudioSpecificConfig: Hashable, Sendable {
    /// Spectral band replication (SBR), with or without parametric stereo (PS).
    public struct SpectralBandReplication: Hashable, Sendable {
        /// The sample rate of the decoded output, usually twice the core's.
        public var samplingFrequency: SamplingFrequency
        /// True if parametric stereo decodes one channel to two; nil if not signaled.
        public var hasParametricStereo: Bool?
        /// The `extensionChannelConfiguration`, only for ER BSAC.
        public var channelConfiguration: UInt8?

        /// Creates the extension.
        public init(samplingFrequency: SamplingFrequency, hasParametricStereo: Bool? = nil) {
            self.samplingFrequency = samplingFrequency
            self.hasParametricStereo = hasParametricStereo
        }
    }

    /// The signaling of spectral band replication (ISO/IEC 14496-3, 1.6.5).
    public enum Signaling: Hashable, Sendable {
        /// The configuration does not signal it, but the stream can still contain it.
        case implicit
        /// The first object type is 5 or 29. Decoders that do not support it reject the stream.
        case hierarchical(SpectralBandReplication)
        /// An extension after the core's configuration. Decoders that do not support it decode the core. Nil means that
        /// spectral band replication is signaled as absent.
        case backwardCompatible(SpectralBandReplication?)
    }

    private enum Specific: Hashable, Sendable {
        case generalAudio(GASpecificConfig)
        /// All remaining bits, for other types.
        case other(BitString)
    }

    /// The type of the core: AAC Low Complexity also for HE-AAC.
    public var objectType: AudioObjectType
    /// The sample rate of the core.
    public var samplingFrequency: SamplingFrequency
    /// The channel configuration, 1 to 14 (table 1.19). If 0, ``GASpecificConfig/programConfig`` specifies the
    /// channels.
    public var channelConfiguration: UInt8
    /// The signaling of spectral band replication.
    public var signaling: Signaling
    private var specific: Specific
    private var errorProtection: UInt8 = 0
    /// The bits after the configuration, unless they are only zeros that fill the last byte.
    private var trailing = BitString()

    /// Creates a configuration of the AAC family.
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

    /// The GASpecificConfig of the AAC family; nil for other types.
    public var generalAudio: GASpecificConfig? {
        if case .generalAudio(let config) = specific { config } else { nil }
    }

    /// Parses a configuration.
    ///
    /// - Parameter base: the offset of the first byte, for errors.
    /// - Throws: `ParseError`; `invalid-value` if the type or the sample rate is invalid.
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
        // The data after error protection types 2 and 3 are not parsed, so extensions after them cannot be found.
        if signaling == .implicit, errorProtection < 2 { try readExtension(&reader, size) }
        let rest = try BitString(reading: &reader, count: size - reader.bitsRead, "end of a configuration")
        if rest.count >= 8 || !rest.isZero { trailing = rest }
    }

    /// Reads the sync extensions after the core's configuration.
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

    /// The encoded configuration, padded with zero bits to whole bytes.
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
