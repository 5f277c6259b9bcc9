public import ByteCoding

/// Puts AAC access units into ADTS frames, for transport streams and packed audio (ISO/IEC 14496-3, 1.A.2): a header of
/// 7 bytes without checksum, one raw data block.
///
///     let framing = try ADTSFraming(config)
///     try framing.append(accessUnit, to: &bytes)
public struct ADTSFraming: Sendable {
    private let fixed: UInt64
    /// The program_config_element that goes before each access unit; empty when the header names the channels.
    private let prefix: [UInt8]

    /// Prepares the header.
    ///
    /// - Parameter isMPEG2: Whether to call it MPEG-2, as some old players want it.
    /// - Throws: `ParseError` `not-supported` for what ADTS cannot say: object types other than 1 to 4, rates without
    ///   an index, frames of 960 samples, channel configurations above 7.
    public init(_ config: AudioSpecificConfig, isMPEG2: Bool = false) throws(ParseError) {
        guard (1...4).contains(config.objectType.rawValue) else {
            throw Self.failure("audio object type \(config.objectType.rawValue); it has only 1 to 4")
        }
        guard let index = config.samplingFrequency.tableIndex else {
            throw Self.failure("\(config.samplingFrequency.hertz) Hz; it has only the rates of table 1.18")
        }
        guard config.generalAudio?.hasShortFrames != true else {
            throw Self.failure("frames of 960 samples; it has only those of 1024")
        }
        let channels = config.channelConfiguration
        // 3 bits; other layouts have to stand in the stream itself.
        guard channels < 8, channels > 0 || config.generalAudio?.programConfig != nil else {
            throw Self.failure("channel configuration \(channels); it has only 1 to 7")
        }
        prefix = channels == 0 ? config.generalAudio?.programConfig?.rawDataBlockPrefix ?? [] : []
        let start: UInt64 = isMPEG2 ? 0xFFF9 : 0xFFF1
        fixed =
            start << 40 | UInt64(config.objectType.rawValue - 1) << 38 | UInt64(index) << 34 | UInt64(channels) << 30
            | 0x7FF << 2
    }

    private static func failure(_ what: String) -> ParseError {
        ParseError(.notSupported, reading: "configuration for ADTS", offset: 0, reason: "ADTS cannot say \(what)")
    }

    /// How many bytes come before an access unit of the stream: 7, and those of a program_config_element.
    public var overhead: Int { ADTSHeader.shortestSize + prefix.count }

    /// The header for an access unit.
    ///
    /// - Parameter payloadSize: The bytes behind the header.
    /// - Throws: `ParseError` `invalid-length` above 8184 bytes.
    public func header(payloadSize: Int) throws(ParseError) -> ADTSHeader {
        guard payloadSize >= 0, payloadSize <= ADTSHeader.largestFrame - ADTSHeader.shortestSize,
            let header = ADTSHeader(bits: fixed | UInt64(payloadSize + ADTSHeader.shortestSize) << 13)
        else {
            throw ParseError(
                .invalidLength,
                reading: "access unit for ADTS",
                offset: 0,
                reason: "\(payloadSize) bytes; \(ADTSHeader.largestFrame - ADTSHeader.shortestSize) fit into a frame"
            )
        }
        return header
    }

    /// Appends a frame: the header, a program_config_element where the channels need one and the access unit does not
    /// begin with its own, and the access unit.
    ///
    /// - Throws: `ParseError` `invalid-length` when the access unit is too large for a frame.
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
    /// The configuration that the frames of a stream have: for the `esds` of an MP4 file.
    ///
    /// ADTS says nothing of spectral band replication, so the signaling is implicit.
    ///
    /// - Parameters:
    ///   - frame: The whole frame; where the channel configuration is 0, its first raw data block says the channels.
    ///   - base: What the frame's first byte counts as in errors.
    /// - Throws: `ParseError`; `unsupported-codec-feature` when neither the header nor the block says the channels.
    public func audioSpecificConfig(_ frame: RawSpan, base: Int = 0) throws(ParseError) -> AudioSpecificConfig {
        var config = GASpecificConfig()
        if channelConfiguration == 0, size <= frame.byteCount {
            let block = frame.extracting(size..<frame.byteCount)
            guard let element = try ProgramConfigElement(rawDataBlock: block, base: base + size) else {
                throw ParseError(
                    .unsupportedCodecFeature,
                    reading: "channels of an ADTS stream",
                    offset: base + size,
                    reason: "configuration 0, and the frame does not begin with a program_config_element"
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
