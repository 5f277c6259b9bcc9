public import ByteCoding
import TextCoding

// Properties derived from a configuration.

extension AudioSpecificConfig {
    /// The spectral band replication, if the configuration signals it.
    public var spectralBandReplication: SpectralBandReplication? {
        switch signaling {
        case .implicit: nil
        case .hierarchical(let extended): extended
        case .backwardCompatible(let extended): extended
        }
    }

    /// True if the configuration signals parametric stereo, which decodes one channel to two.
    public var hasParametricStereo: Bool { spectralBandReplication?.hasParametricStereo == true }

    /// The sample rate of the decoded output in hertz.
    public var outputSampleRate: UInt32 { (spectralBandReplication?.samplingFrequency ?? samplingFrequency).hertz }

    /// The number of channels of the decoded output; nil if the configuration does not specify it.
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

    /// The number of samples per channel in an access unit at the core's sample rate; nil if the type does not specify
    /// it.
    public var coreFrameLength: Int? {
        switch objectType {
        case .layer1: 384
        case .layer2: 1152
        // The lower sample rates of MPEG-2 have half the frame length.
        case .layer3: samplingFrequency.hertz < 32000 ? 576 : 1152
        case .errorResilientAACLD: generalAudio?.hasShortFrames == true ? 480 : 512
        default: generalAudio.map { $0.hasShortFrames ? 960 : 1024 }
        }
    }

    /// The number of samples in an access unit at ``outputSampleRate``, for example 2048 for HE-AAC; nil if the type
    /// does not specify it.
    public var outputFrameLength: Int? {
        guard let length = coreFrameLength, let extended = spectralBandReplication else { return coreFrameLength }
        return length * Int(extended.samplingFrequency.hertz) / max(1, Int(samplingFrequency.hertz))
    }

    /// The codec string for a CODECS attribute (RFC 6381, 3.3): for example `mp4a.40.2`, `mp4a.40.5` for HE-AAC and
    /// `mp4a.40.29` for HE-AAC version 2, for any type of signaling.
    public var codecs: String {
        let type = spectralBandReplication == nil ? objectType : hasParametricStereo ? .ps : .sbr
        return "mp4a.40.\(type.rawValue)"
    }
}

extension ElementaryStreamDescriptorBox {
    /// The object type of MPEG-4 audio, which has an AudioSpecificConfig.
    public static let mpeg4Audio: UInt8 = 0x40

    /// Returns the codec string for a CODECS attribute (RFC 6381, 3.3): that of the AudioSpecificConfig for MPEG-4
    /// audio, or the object type in hexadecimal for others, for example `mp4a.6b` for MP3 and `mp4a.67` for MPEG-2 AAC
    /// Low Complexity.
    ///
    /// - Throws: `ParseError` if the AudioSpecificConfig is invalid.
    public func codecs() throws(ParseError) -> String {
        guard objectType == Self.mpeg4Audio else { return "mp4a." + Hexadecimal.encode([objectType]) }
        return try AudioSpecificConfig(decoderSpecificInfo.span.bytes).codecs
    }
}
