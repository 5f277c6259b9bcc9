public import ByteCoding

/// The description of an audio track for a playlist.
public struct AudioDescription: Hashable, Sendable {
    /// The codec string for the CODECS attribute, for example `mp4a.40.2`.
    public var codecs: String
    /// The CHANNELS attribute (RFC 8216bis, 4.4.6.1), for example `2` or `16/JOC`; nil if the channels are not known.
    public var channels: String?
    /// The sample rate of the decoded output in hertz; 0 if it is not known.
    public var sampleRate: UInt32
    /// The number of samples in an access unit at ``sampleRate``; nil if the format does not specify it.
    public var frameLength: Int?

    /// Creates a description.
    public init(codecs: String, channels: String?, sampleRate: UInt32, frameLength: Int?) {
        self.codecs = codecs
        self.channels = channels
        self.sampleRate = sampleRate
        self.frameLength = frameLength
    }
}

extension SampleEntry {
    /// The element of the CODECS attribute (RFC 6381), encrypted or not; only the format if the configuration is unknown.
    package var codecs: String {
        let format = originalFormat
        if let configuration = dolbyVision, configuration.requiresDolbyVision {
            return configuration.codecs(sampleEntry: format)
        }
        var codecs: String?
        switch format {
        case "avc1", "avc3":
            codecs = (try? boxes.first("avcC")?.parse(as: AVCConfigurationBox.self))?.codecs(sampleEntry: format)
        case "hvc1", "hev1":
            let box = try? boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self)
            codecs = box?.profileTierLevel.codecs(sampleEntry: format)
        default: codecs = (try? audioDescription())?.codecs
        }
        return codecs ?? format.description
    }

    /// Returns the description of an audio track in AAC, AC-3, E-AC-3 or MP3, encrypted or not; nil for other formats.
    ///
    /// - Throws: `ParseError` if the configuration is invalid or missing.
    public func audioDescription() throws(ParseError) -> AudioDescription? {
        guard case .audio(let fields) = fields else { return nil }
        let rate = fields.sampleRate >= 0 && fields.sampleRate < 0x1p32 ? UInt32(fields.sampleRate) : 0
        if let box = try ac3Configuration() {
            return AudioDescription(
                codecs: box.codecs,
                channels: "\(box.channelCount)",
                sampleRate: box.sampleRate,
                frameLength: 1536
            )
        }
        if let box = try enhancedAC3Configuration() {
            return AudioDescription(
                codecs: box.codecs,
                channels: box.channelsAttribute,
                sampleRate: box.sampleRate > 0 ? box.sampleRate : rate,
                frameLength: 1536
            )
        }
        if let config = try audioSpecificConfig() {
            return AudioDescription(
                codecs: try elementaryStreamDescriptor()?.codecs() ?? config.codecs,
                channels: config.outputChannelCount.map { "\($0)" },
                sampleRate: config.outputSampleRate,
                frameLength: config.outputFrameLength
            )
        }
        guard originalFormat == "mp4a", let descriptor = try elementaryStreamDescriptor() else { return nil }
        return AudioDescription(
            codecs: try descriptor.codecs(),
            channels: fields.channelCount > 0 ? "\(fields.channelCount)" : nil,
            sampleRate: rate,
            frameLength: nil
        )
    }
}
