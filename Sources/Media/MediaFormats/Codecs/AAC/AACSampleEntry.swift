public import ByteCoding

extension SampleEntry {
    /// Returns the elementary stream descriptor of an `mp4a` entry, encrypted or not, if any.
    ///
    /// - Throws: `ParseError` if the descriptor is invalid, with offsets from the start of the `esds` box's content.
    public func elementaryStreamDescriptor() throws(ParseError) -> ElementaryStreamDescriptorBox? {
        guard let box = boxes.first(ElementaryStreamDescriptorBox.type) else { return nil }
        return try box.parse(as: ElementaryStreamDescriptorBox.self)
    }

    /// Returns the AudioSpecificConfig of an `mp4a` entry, encrypted or not; nil for other formats, and for codecs
    /// without one, such as MP3.
    ///
    /// - Throws: `ParseError` if the configuration is invalid; `missing-box` if an AAC entry has no configuration.
    public func audioSpecificConfig() throws(ParseError) -> AudioSpecificConfig? {
        guard originalFormat == "mp4a" else { return nil }
        guard let descriptor = try elementaryStreamDescriptor() else {
            throw ParseError(
                .missingBox,
                reading: "mp4a sample entry",
                offset: 0,
                reason: "the sample entry has no esds box"
            )
        }
        switch descriptor.objectType {
        // 0x66 to 0x68 are MPEG-2 AAC, which also has an AudioSpecificConfig.
        case ElementaryStreamDescriptorBox.mpeg4Audio, 0x66, 0x67, 0x68:
            return try AudioSpecificConfig(descriptor.decoderSpecificInfo.span.bytes)
        default: return nil
        }
    }

    /// Creates an `mp4a` sample entry (ISO/IEC 14496-14, 5.6.1) with the sample rate and channel count of the decoded
    /// output.
    ///
    /// - Parameters:
    ///   - maximumBitRate: the maximum bit rate in bits per second; 0 if it is not known.
    ///   - averageBitRate: the average bit rate in bits per second; 0 if it is not known.
    public static func mp4a(
        _ config: AudioSpecificConfig,
        maximumBitRate: UInt32 = 0,
        averageBitRate: UInt32 = 0
    ) -> SampleEntry {
        let descriptor = ElementaryStreamDescriptorBox(
            objectType: ElementaryStreamDescriptorBox.mpeg4Audio,
            decoderSpecificInfo: config.bytes,
            maximumBitRate: maximumBitRate,
            averageBitRate: averageBitRate
        )
        let fields = AudioSampleFields(
            channelCount: UInt32(config.outputChannelCount ?? 2),
            sampleRate: Double(config.outputSampleRate)
        )
        return SampleEntry(format: "mp4a", fields: .audio(fields), boxes: [RawBox(descriptor)])
    }
}
