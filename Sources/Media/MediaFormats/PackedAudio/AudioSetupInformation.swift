public import ByteCoding

/// What a player must know of audio before it can decrypt it: audio_setup_information() (Apple, MPEG-2 Stream
/// Encryption Format for HTTP Live Streaming, 2.3.4).
///
///     audio_type          4 bytes   see ``Kind``
///     priming             2 bytes   0
///     version             1 byte    1
///     setup_data_length   1 byte
///     setup_data                    AAC: the AudioSpecificConfig. AC-3: the first 10 bytes of a syncframe. E-AC-3: the
///                                   content of a `dec3` box
///
/// It stands behind the `apad` of a registration descriptor in a transport stream, and in a private frame of the ID3
/// tag of packed audio.
public struct AudioSetupInformation: Hashable, Sendable {
    /// What the audio is.
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

    /// What the registration descriptor names: `apad`.
    public static let formatIdentifier: FourCC = "apad"
    /// How many bytes of a syncframe of AC-3 are the setup data.
    public static let ac3SetupSize = 10

    /// What the audio is, one of ``Kind``.
    public var audioType: FourCC
    /// Samples to drop at the beginning; 0, since nobody says them here.
    public var priming: UInt16 = 0
    /// What the decoder needs, at most 255 bytes.
    public var setupData: [UInt8]

    /// Describes AAC.
    public init(_ config: AudioSpecificConfig) {
        audioType =
            config.spectralBandReplication == nil ? Kind.aacLC : config.hasParametricStereo ? Kind.heAACv2 : Kind.heAAC
        setupData = config.bytes
    }

    /// Describes AC-3.
    ///
    /// - Parameters:
    ///   - syncframe: The first one of the stream, in the clear: its first 10 bytes.
    ///   - base: What its first byte counts as in errors.
    /// - Throws: `ParseError`; `not-supported` for E-AC-3, which its `dec3` box describes.
    public init(ac3 syncframe: RawSpan, base: Int = 0) throws(ParseError) {
        _ = try AC3ConfigurationBox(AC3Syncframe(syncframe, base: base))
        guard syncframe.byteCount >= Self.ac3SetupSize else {
            let reason = "\(syncframe.byteCount) bytes, \(Self.ac3SetupSize) are needed"
            throw ParseError(.truncated, reading: "AC-3 syncframe", offset: base, reason: reason)
        }
        audioType = Kind.ac3
        setupData = syncframe.extracting(0..<Self.ac3SetupSize).withUnsafeBytes { [UInt8]($0) }
    }

    /// Describes E-AC-3.
    public init(_ configuration: EnhancedAC3ConfigurationBox) {
        audioType = Kind.enhancedAC3
        setupData = RawBox(configuration).content
    }

    /// Reads the information.
    ///
    /// - Throws: `ParseError`; `invalid-value` for another version than 1.
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
                reason: "version \(version) is not known; 1 is the only one"
            )
        }
        setupData = try reader.readBytes(Int(try reader.readUInt8("length of setup data")), "setup data")
    }

    /// 8 bytes and the setup data.
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
    /// The registration descriptor of an audio stream that is encrypted by SAMPLE-AES.
    ///
    /// - Throws: `ParseError` `invalid-length` when the setup data do not fit into a descriptor: above 243 bytes.
    public init(_ setup: AudioSetupInformation) throws(ParseError) {
        var content = BoxWriter(capacity: 12 + setup.setupData.count)
        content.write(AudioSetupInformation.formatIdentifier)
        content.write(setup.bytes)
        guard content.count <= 255, setup.setupData.count <= 243 else {
            throw ParseError(
                .invalidLength,
                reading: "setup data",
                offset: 0,
                reason: "\(setup.setupData.count) bytes, 243 fit into a descriptor"
            )
        }
        self.init(tag: Self.registration, content: content.bytes)
    }

    /// What a registration descriptor says of encrypted audio; nil for other descriptors.
    ///
    /// - Throws: `ParseError` when it is damaged.
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
