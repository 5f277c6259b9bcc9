import StreamValidation

/// An ffmpeg process as a decoder: it gets a stream on its standard input, and its messages are counted. Nothing is written
/// to disk. Its exit code is not used, because it is 0 for ciphertext.
struct FFmpegDecoder: ExternalDecoder {
    /// The time after which a process is ended, in seconds.
    private static let timeout = 20
    /// The path of the executable.
    let path: String

    /// The ffmpeg in PATH; nil if it is not installed.
    static var installed: FFmpegDecoder? { FFmpegProcess.installedPath.map { FFmpegDecoder(path: $0) } }

    func decode(_ stream: [UInt8], as codec: ExternalDecoderCodec) async -> ExternalDecoderResult? {
        let arguments = [
            "-hide_banner", "-loglevel", "error", "-threads", "1", "-flags2", "+showall", "-f", codec.rawValue,
            "-protocol_whitelist", "pipe", "-i", "pipe:0", "-f", "framecrc", "pipe:1",
        ]
        guard let process = FFmpegProcess(path: path, arguments: arguments, timeout: Self.timeout) else { return nil }
        _ = await process.write(stream)
        guard let texts = await process.finish() else { return nil }
        return Self.result(output: texts.output, errors: texts.errors, codec)
    }

    /// Counts the frames and the errors in the output of a process.
    static func result(output: String, errors: String, _ codec: ExternalDecoderCodec) -> ExternalDecoderResult {
        let frames = output.split(whereSeparator: \.isNewline).count { !$0.hasPrefix("#") }
        let lines = errors.split(whereSeparator: \.isNewline)
        let entropy = lines.count { line in
            // Any message about AAC comes from a frame whose syntax is wrong.
            codec == .aac ? line.hasPrefix("[aac") : entropyMessages.contains { line.contains($0) }
        }
        return ExternalDecoderResult(frameCount: frames, errorCount: entropy, otherErrorCount: lines.count - entropy)
    }

    /// Parts of the messages about entropy-coded data of H.264 and HEVC. Others are about features or missing references,
    /// which depend on no key.
    private static let entropyMessages = [
        "error while decoding MB", "corrupted macroblock", "cabac decode of qscale", "negative number of zero coeffs",
        "left block unavailable", "top block unavailable", "mb_type", "out of range intra chroma", "total_coeff",
        "Invalid level prefix", "ref overflow", "reference overflow", "dquant out of range", "delta was",
        "cbp too large", "P sub_mb_type", "B sub_mb_type", "overread", "bytestream", "concealing",
        "cu_qp_delta", "CABAC_MAX_BIN", "coded value", "overflow in", "illegal", "corrupted",
    ]
}
