public import ByteCoding

/// The information that a player requires to decrypt audio: audio_setup_information() (Apple, MPEG-2 Stream Encryption
/// Format for HTTP Live Streaming, 2.3.4).
///
///     audio_type          4 bytes   see ``Kind``
///     priming             2 bytes   0
///     version             1 byte    1
///     setup_data_length   1 byte
///     setup_data                    AAC: the AudioSpecificConfig. AC-3: the first 10 bytes of a syncframe. E-AC-3: the
///                                   content of a `dec3` box
///
/// It follows the `apad` of a registration descriptor in a transport stream. In packed audio it is in a private frame
/// of the ID3 tag.
public struct AudioSetupInformation: Hashable, Sendable {
    /// The audio types of the setup information.
    public enum Kind {
        /// AAC Low Complexity.
        public static let aacLC: FourCC = "zaac"
        /// HE-AAC.
        public static let heAAC: FourCC = "zach"
        /// HE-AAC version 2.
        public static let heAACv2: FourCC = "zacp"
        /// AC-3.
        public static let ac3: FourCC = "zac3"
        /// E-AC-3.
        public static let enhancedAC3: FourCC = "zec3"
    }

    /// The format identifier of the registration descriptor: `apad`.
    public static let formatIdentifier: FourCC = "apad"
    /// The size in bytes of the setup data for AC-3: the start of a syncframe.
    public static let ac3SetupSize = 10

    /// The type of the audio, one of ``Kind``.
    public var audioType: FourCC
    /// The number of priming samples to drop at the start; 0 by default.
    public var priming: UInt16 = 0
    /// The setup data for the decoder, at most 255 bytes.
    public var setupData: [UInt8]

    /// Creates the setup information for AAC.
    public init(_ config: AudioSpecificConfig) {
        audioType =
            config.spectralBandReplication == nil ? Kind.aacLC : config.hasParametricStereo ? Kind.heAACv2 : Kind.heAAC
        setupData = config.bytes
    }

    /// Creates the setup information for AC-3.
    ///
    /// - Parameters:
    ///   - syncframe: the first syncframe of the stream, not encrypted; its first 10 bytes are required.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError`; `not-supported` for E-AC-3, for which the initializer with a `dec3` box exists.
    public init(ac3 syncframe: RawSpan, base: Int = 0) throws(ParseError) {
        _ = try AC3ConfigurationBox(AC3Syncframe(syncframe, base: base))
        guard syncframe.byteCount >= Self.ac3SetupSize else {
            let reason = "the syncframe has \(syncframe.byteCount) bytes, at least \(Self.ac3SetupSize) are required"
            throw ParseError(.truncated, reading: "AC-3 syncframe", offset: base, reason: reason)
        }
        audioType = Kind.ac3
        setupData = syncframe.extracting(0..<Self.ac3SetupSize).withUnsafeBytes { [UInt8]($0) }
    }

    /// Creates the setup information for E-AC-3.
    public init(_ configuration: EnhancedAC3ConfigurationBox) {
        audioType = Kind.enhancedAC3
        setupData = RawBox(configuration).content
    }

    /// Reads the setup information.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the version is not 1.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        audioType = try reader.readFourCC("audio type")
        priming = try reader.readUInt16("priming")
        let offset = reader.offset
        let version = try reader.readUInt8("version of audio setup information")
        guard version == 1 else {
            throw ParseError(
                .invalidValue,
                reading: "version of audio setup information",
                offset: offset,
                reason: "version \(version) is not supported, must be 1"
            )
        }
        setupData = try reader.readBytes(Int(try reader.readUInt8("length of setup data")), "setup data")
    }

    /// The encoded setup information: 8 bytes and the setup data.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 8 + setupData.count)
        writer.write(audioType)
        writer.write(priming)
        writer.write(UInt8(1))
        writer.write(UInt8(min(setupData.count, 255)))
        writer.write(setupData.prefix(255))
        return writer.bytes
    }
}

extension TransportDescriptor {
    /// Creates the registration descriptor of an audio stream with SAMPLE-AES.
    ///
    /// - Throws: `ParseError` with the code `invalid-length` if the setup data have more than 243 bytes and do not fit
    ///   in a descriptor.
    public init(_ setup: AudioSetupInformation) throws(ParseError) {
        var content = BoxWriter(capacity: 12 + setup.setupData.count)
        content.write(AudioSetupInformation.formatIdentifier)
        content.write(setup.bytes)
        guard content.count <= 255, setup.setupData.count <= 243 else {
            throw ParseError(
                .invalidLength,
                reading: "setup data",
                offset: 0,
                reason: "the setup data have \(setup.setupData.count) bytes, the maximum in a descriptor is 243"
            )
        }
        self.init(tag: Self.registration, content: content.bytes)
    }

    /// Returns the audio setup information of a registration descriptor; nil for other descriptors.
    ///
    /// - Throws: `ParseError` if the setup information is invalid.
    public func audioSetup() throws(ParseError) -> AudioSetupInformation? {
        var reader = ByteReader(content.span.bytes)
        guard tag == Self.registration, content.count >= 4,
            try reader.readFourCC("format identifier") == AudioSetupInformation.formatIdentifier
        else { return nil }
        let setup = try AudioSetupInformation(reading: &reader)
        try reader.finish("audio setup information")
        return setup
    }
}
