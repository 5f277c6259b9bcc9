/// A decoder outside of the library, such as an ffmpeg process, that finds out whether decrypted media can be decoded.
public protocol ExternalDecoder: Sendable {
    /// Decodes a stream.
    ///
    /// - Parameters:
    ///   - stream: An elementary stream from its first parameter sets or its first frame header.
    ///   - codec: The codec of the stream.
    /// - Returns: nil if the decoder is not available, took too long, or does not support the stream.
    func decode(_ stream: [UInt8], as codec: ExternalDecoderCodec) async -> ExternalDecoderResult?
}

/// The codecs of elementary streams for an external decoder.
public enum ExternalDecoderCodec: String, Sendable {
    /// H.264 as a byte stream (ITU-T H.264, annex B).
    case h264
    /// HEVC as a byte stream (ITU-T H.265, annex B).
    case hevc
    /// AAC in ADTS frames.
    case aac
}

/// The result of an external decoder. Its exit code proves nothing: decoders conceal errors and succeed.
public struct ExternalDecoderResult: Hashable, Sendable {
    /// The number of decoded frames.
    public var frameCount: Int
    /// The number of errors in the entropy-coded data, which is what encryption changes.
    public var errorCount: Int
    /// The number of other errors, which say nothing about the key.
    public var otherErrorCount: Int

    /// Creates a result.
    public init(frameCount: Int, errorCount: Int, otherErrorCount: Int = 0) {
        (self.frameCount, self.errorCount, self.otherErrorCount) = (frameCount, errorCount, otherErrorCount)
    }
}
