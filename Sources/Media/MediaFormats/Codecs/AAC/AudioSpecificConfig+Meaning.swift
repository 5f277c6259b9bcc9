public import ByteCoding
import TextCoding

// What follows from a configuration.

extension AudioSpecificConfig {
    /// Spectral band replication, where the configuration says that it is there.
    public var spectralBandReplication: SpectralBandReplication? {
        switch signaling {
        case .implicit: nil
        case .hierarchical(let extended): extended
        case .backwardCompatible(let extended): extended
        }
    }

    /// Whether parametric stereo makes two channels of one, as far as the configuration says so.
    public var hasParametricStereo: Bool { spectralBandReplication?.hasParametricStereo == true }

    /// Samples a second that come out.
    public var outputSampleRate: UInt32 { (spectralBandReplication?.samplingFrequency ?? samplingFrequency).hertz }

    /// Channels that come out; nil when the configuration does not say it.
    public var outputChannelCount: Int? {
        let count: Int?
        switch channelConfiguration {
        case 0: count = generalAudio?.programConfig?.channelCount
        case 1...6: count = Int(channelConfiguration)
        case 7, 12, 14: count = 8
        case 11: count = 7
        case 13: count = 24
        default: count = nil
        }
        return count == 1 && hasParametricStereo ? 2 : count
    }

    /// Samples in an access unit at the core's rate, for each channel; nil where the type does not fix it.
    public var coreFrameLength: Int? {
        switch objectType {
        case .layer1: 384
        case .layer2: 1152
        // MPEG-2's lower rates have half of it.
        case .layer3: samplingFrequency.hertz < 32000 ? 576 : 1152
        case .errorResilientAACLD: generalAudio?.hasShortFrames == true ? 480 : 512
        default: generalAudio.map { $0.hasShortFrames ? 960 : 1024 }
        }
    }

    /// Samples in an access unit at ``outputSampleRate``: 2048 for HE-AAC. nil where the type does not fix it.
    public var outputFrameLength: Int? {
        guard let length = coreFrameLength, let extended = spectralBandReplication else { return coreFrameLength }
        return length * Int(extended.samplingFrequency.hertz) / max(1, Int(samplingFrequency.hertz))
    }

    /// The element of a CODECS attribute (RFC 6381, 3.3): `mp4a.40.2`, `mp4a.40.5` for HE-AAC and `mp4a.40.29` for its
    /// version 2, however they are signaled.
    public var codecs: String {
        let type = spectralBandReplication == nil ? objectType : hasParametricStereo ? .ps : .sbr
        return "mp4a.40.\(type.rawValue)"
    }
}

extension ElementaryStreamDescriptorBox {
    /// MPEG-4 audio, which an AudioSpecificConfig describes.
    public static let mpeg4Audio: UInt8 = 0x40

    /// The element of a CODECS attribute (RFC 6381, 3.3): that of the AudioSpecificConfig for MPEG-4 audio, the object
    /// type in hexadecimal for others: `mp4a.6b` is MP3, `mp4a.67` MPEG-2 AAC Low Complexity.
    ///
    /// - Throws: `ParseError` for a damaged AudioSpecificConfig.
    public func codecs() throws(ParseError) -> String {
        guard objectType == Self.mpeg4Audio else { return "mp4a." + Hexadecimal.encode([objectType]) }
        return try AudioSpecificConfig(decoderSpecificInfo.span.bytes).codecs
    }
}
