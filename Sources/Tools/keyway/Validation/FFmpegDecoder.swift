import Foundation
import StreamValidation
import Synchronization

/// An ffmpeg process as a decoder: it gets a stream on its standard input, and its messages are counted. Nothing is written
/// to disk. Its exit code is not used, because it is 0 for ciphertext.
struct FFmpegDecoder: ExternalDecoder {
    /// The time after which a process is ended, in seconds.
    private static let timeout = 20
    /// The maximum size of its output in bytes; more is discarded.
    private static let outputLimit = 1 << 20

    /// The path of the executable.
    let path: String

    /// The ffmpeg in PATH; nil if it is not installed.
    static var installed: FFmpegDecoder? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let paths = folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/ffmpeg" }
        return paths.first(where: FileManager.default.isExecutableFile).map { FFmpegDecoder(path: $0) }
    }

    func decode(_ stream: [UInt8], as codec: ExternalDecoderCodec) async -> ExternalDecoderResult? {
        await withCheckedContinuation { continuation in
            // A thread of its own, because reading the pipes blocks it.
            Thread.detachNewThread { continuation.resume(returning: self.run(stream, codec)) }
        }
    }

    private func run(_ stream: [UInt8], _ codec: ExternalDecoderCodec) -> ExternalDecoderResult? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [
            "-hide_banner", "-loglevel", "error", "-threads", "1", "-flags2", "+showall", "-f", codec.rawValue,
            "-protocol_whitelist", "pipe", "-i", "pipe:0", "-f", "framecrc", "pipe:1",
        ]
        // Messages are compared, so they must be in English, and the environment has no secrets to pass on.
        process.environment = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        // A process that ends early must not end this one.
        _ = signal(SIGPIPE, SIG_IGN)
        guard (try? process.run()) != nil else { return nil }
        let isTimedOut = Atomic(false)
        let watchdog = DispatchWorkItem {
            guard process.isRunning else { return }
            isTimedOut.store(true, ordering: .relaxed)
            kill(process.processIdentifier, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.timeout), execute: watchdog)
        let texts = OutputTexts()
        let group = DispatchGroup()
        for (pipe, isError) in [(output, false), (errors, true)] {
            group.enter()
            Thread.detachNewThread {
                texts.set(Self.read(pipe.fileHandleForReading), isError: isError)
                group.leave()
            }
        }
        try? input.fileHandleForWriting.write(contentsOf: Data(stream))
        try? input.fileHandleForWriting.close()
        group.wait()
        process.waitUntilExit()
        watchdog.cancel()
        guard !isTimedOut.load(ordering: .relaxed) else { return nil }
        return Self.result(output: texts.output, errors: texts.errors, codec)
    }

    /// Reads a pipe to its end, and keeps the first bytes.
    private static func read(_ handle: FileHandle) -> String {
        var bytes = Data()
        while let part = try? handle.read(upToCount: 1 << 16), !part.isEmpty {
            if bytes.count < outputLimit { bytes += part }
        }
        return String(decoding: bytes, as: UTF8.self)
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

/// The texts that a process wrote.
private final class OutputTexts: Sendable {
    private let texts = Mutex(["", ""])

    func set(_ text: String, isError: Bool) { texts.withLock { $0[isError ? 1 : 0] = text } }

    var output: String { texts.withLock { $0[0] } }
    var errors: String { texts.withLock { $0[1] } }
}
