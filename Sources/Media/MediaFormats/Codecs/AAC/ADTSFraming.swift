public import ByteCoding

/// A writer that wraps AAC access units in ADTS frames, for transport streams and packed audio (ISO/IEC 14496-3,
/// 1.A.2): a header of 7 bytes without checksum, and one raw data block.
///
///     let framing = try ADTSFraming(config)
///     try framing.append(accessUnit, to: &bytes)
public struct ADTSFraming: Sendable {
    private let fixed: UInt64
    /// The program_config_element before each access unit; empty if the header specifies the channels.
    private let prefix: [UInt8]

    /// Creates the header of a stream's frames.
    ///
    /// - Parameter isMPEG2: whether the header specifies MPEG-2, as some old players require.
    /// - Throws: `ParseError` `not-supported` for configurations that ADTS cannot represent: object types other than 1
    ///   to 4, sample rates without an index, frames of 960 samples, channel configurations above 7.
    public init(_ config: AudioSpecificConfig, isMPEG2: Bool = false) throws(ParseError) {
        guard (1...4).contains(config.objectType.rawValue) else {
            throw Self.unsupported("audio object type \(config.objectType.rawValue), only 1 to 4")
        }
        guard let index = config.samplingFrequency.tableIndex else {
            throw Self.unsupported("the sample rate \(config.samplingFrequency.hertz) Hz, only the rates of table 1.18")
        }
        guard config.generalAudio?.hasShortFrames != true else {
            throw Self.unsupported("frames of 960 samples, only frames of 1024")
        }
        let channels = config.channelConfiguration
        // The field has 3 bits. A program_config_element must specify any other channel layout.
        guard channels < 8, channels > 0 || config.generalAudio?.programConfig != nil else {
            throw Self.unsupported("channel configuration \(channels), only 1 to 7")
        }
        prefix = channels == 0 ? config.generalAudio?.programConfig?.rawDataBlockPrefix ?? [] : []
        let start: UInt64 = isMPEG2 ? 0xFFF9 : 0xFFF1
        fixed =
            start << 40 | UInt64(config.objectType.rawValue - 1) << 38 | UInt64(index) << 34 | UInt64(channels) << 30
            | 0x7FF << 2
    }

    private static func unsupported(_ configuration: String) -> ParseError {
        ParseError(
            .notSupported,
            reading: "configuration for ADTS",
            offset: 0,
            reason: "ADTS does not support \(configuration)"
        )
    }

    /// The number of bytes before each access unit of the stream: 7, plus the size of a program_config_element.
    public var overhead: Int { ADTSHeader.shortestSize + prefix.count }

    /// Returns the header for an access unit.
    ///
    /// - Parameter payloadSize: the number of bytes after the header.
    /// - Throws: `ParseError` `invalid-length` if `payloadSize` is above 8184.
    public func header(payloadSize: Int) throws(ParseError) -> ADTSHeader {
        guard payloadSize >= 0, payloadSize <= ADTSHeader.maximumFrameSize - ADTSHeader.shortestSize,
            let header = ADTSHeader(bits: fixed | UInt64(payloadSize + ADTSHeader.shortestSize) << 13)
        else {
            throw ParseError(
                .invalidLength,
                reading: "access unit for ADTS",
                offset: 0,
                reason: "\(payloadSize) bytes, the maximum is \(ADTSHeader.maximumFrameSize - ADTSHeader.shortestSize)"
            )
        }
        return header
    }

    /// Appends a frame: the header, a program_config_element if the channels require one and the access unit does not
    /// begin with one, and the access unit.
    ///
    /// - Throws: `ParseError` `invalid-length` if the access unit is too large for a frame.
    public func append(_ accessUnit: RawSpan, to bytes: inout [UInt8]) throws(ParseError) {
        let hasElement =
            prefix.isEmpty
            || accessUnit.byteCount > 0
                && accessUnit.unsafeLoad(fromByteOffset: 0, as: UInt8.self) >> 5 == ProgramConfigElement.elementID
        let size = accessUnit.byteCount + (hasElement ? 0 : prefix.count)
        try header(payloadSize: size).write(to: &bytes)
        if !hasElement { bytes.append(contentsOf: prefix) }
        accessUnit.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
}

extension ADTSHeader {
    /// Returns the configuration of the frames of a stream, for the `esds` box of an MP4 file.
    ///
    /// ADTS does not signal spectral band replication, so the signaling is implicit.
    ///
    /// - Parameters:
    ///   - frame: the whole frame. If the channel configuration is 0, its first raw data block specifies the channels.
    ///   - base: the offset of the frame's first byte, for errors.
    /// - Throws: `ParseError`; `unsupported-codec-feature` if neither the header nor the raw data block specifies the
    ///   channels.
    public func audioSpecificConfig(_ frame: RawSpan, base: Int = 0) throws(ParseError) -> AudioSpecificConfig {
        var config = GASpecificConfig()
        if channelConfiguration == 0, size <= frame.byteCount {
            let block = frame.extracting(size..<frame.byteCount)
            guard let element = try ProgramConfigElement(rawDataBlock: block, base: base + size) else {
                throw ParseError(
                    .unsupportedCodecFeature,
                    reading: "channels of an ADTS stream",
                    offset: base + size,
                    reason: "the channel configuration is 0, and the frame does not begin with a program_config_element"
                )
            }
            config.programConfig = element
        }
        return AudioSpecificConfig(
            objectType: objectType,
            samplingFrequency: SamplingFrequency(hertz: sampleRate),
            channelConfiguration: channelConfiguration,
            generalAudio: config
        )
    }
}
