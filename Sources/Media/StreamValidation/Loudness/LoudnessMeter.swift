/// A meter outside of the library, such as an ffmpeg process, that decodes audio and measures its loudness.
public protocol LoudnessMeter: Sendable {
    /// Measures the loudness of a stream.
    ///
    /// - Parameters:
    ///   - format: The format of the stream.
    ///   - nextPart: A function that returns the next part of the stream, and nil at its end. The meter requests a part when it
    ///     has processed the one before, so that only one is in memory.
    /// - Returns: nil if the meter is not available, took too long, or cannot decode the stream.
    func measure(
        _ format: LoudnessStreamFormat,
        nextPart: @Sendable () async -> [UInt8]?
    ) async -> LoudnessMeterResult?
}

/// The formats of streams for a loudness meter. The first audio track is measured.
public enum LoudnessStreamFormat: String, Sendable {
    /// Fragmented MP4: an init segment and fragments.
    case mp4
    /// An MPEG-2 transport stream.
    case transportStream
    /// AAC in ADTS frames.
    case aac
    /// AC-3 syncframes.
    case ac3
    /// E-AC-3 syncframes.
    case eac3
}

/// The result of a loudness meter.
public struct LoudnessMeterResult: Hashable, Sendable {
    /// The integrated loudness in LKFS, also called LUFS (ITU-R BS.1770, EBU R 128); nil for silence and for less than 0.4
    /// seconds.
    public var integrated: Double?
    /// The true peak in dBTP; nil for silence.
    public var truePeak: Double?

    /// Creates a result.
    public init(integrated: Double?, truePeak: Double?) { (self.integrated, self.truePeak) = (integrated, truePeak) }
}

/// The loudness of the audio of a rendition, or the reason why it was not measured.
public struct MeasuredLoudness: Hashable, Sendable {
    /// The outcome of a measurement.
    public enum Outcome: Hashable, Sendable {
        /// The loudness was measured.
        case measured(LoudnessMeterResult)
        /// The audio is encrypted, and no key is known to open it.
        case needsKey
        /// The meter is not available, took too long, or cannot decode the audio.
        case notDecoded
    }

    /// The outcome.
    public var outcome: Outcome
    /// True if the whole program was decoded. Otherwise the loudness is an estimate: segments were not loaded or could not be
    /// decrypted, the init segment changes, or the stream is live.
    public var isWhole: Bool

    /// The result; nil if nothing was measured.
    public var result: LoudnessMeterResult? {
        if case .measured(let result) = outcome { result } else { nil }
    }

    /// The reason why nothing was measured, as a part of a sentence; nil if it was.
    public var failure: String? {
        switch outcome {
        case .measured(let result):
            result.integrated == nil ? "the audio is silent, or shorter than 0.4 seconds" : nil
        case .needsKey: "the audio is encrypted, and no key opens it"
        case .notDecoded: "ffmpeg is not installed, took too long, or cannot decode the audio"
        }
    }
}
