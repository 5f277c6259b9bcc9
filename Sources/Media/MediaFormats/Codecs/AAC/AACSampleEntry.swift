public import ByteCoding

extension SampleEntry {
    /// The stream descriptor of an `mp4a` entry, encrypted or not; nil when it has none.
    ///
    /// - Throws: `ParseError` when it is damaged, with offsets from the beginning of the `esds` box's content.
    public func elementaryStreamDescriptor() throws(ParseError) -> ElementaryStreamDescriptorBox? {
        guard let box = boxes.first(ElementaryStreamDescriptorBox.type) else { return nil }
        return try box.parse(as: ElementaryStreamDescriptorBox.self)
    }

    /// The AudioSpecificConfig of an `mp4a` entry, encrypted or not; nil for other formats, and for MP3 and others that
    /// have none.
    ///
    /// - Throws: `ParseError` when it is damaged; `missing-box` when an AAC entry has no configuration.
    public func audioSpecificConfig() throws(ParseError) -> AudioSpecificConfig? {
        guard originalFormat == "mp4a" else { return nil }
        guard let descriptor = try elementaryStreamDescriptor() else {
            throw ParseError(.missingBox, reading: "mp4a sample entry", offset: 0, reason: "it has no esds box")
        }
        switch descriptor.objectType {
        // 0x66 to 0x68 are MPEG-2 AAC, which is described alike.
        case ElementaryStreamDescriptorBox.mpeg4Audio, 0x66, 0x67, 0x68:
            return try AudioSpecificConfig(descriptor.decoderSpecificInfo.span.bytes)
        default: return nil
        }
    }

    /// An `mp4a` entry for a stream (ISO/IEC 14496-14, 5.6.1). Its rate and its channels are those that come out.
    ///
    /// - Parameters:
    ///   - maximumBitRate: In bits a second; 0 when it is not known.
    ///   - averageBitRate: In bits a second; 0 when it is not known.
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
