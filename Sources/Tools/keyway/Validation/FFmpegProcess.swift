import Foundation
import Synchronization

/// An ffmpeg process that reads a stream on its standard input. There is no shell, nothing is written to disk, and a process
/// that stands still is ended.
final class FFmpegProcess {
    /// Which part of an output is stored, if it is longer than the limit.
    enum Excerpt {
        case start
        case end
    }

    /// The output of a process.
    struct Output {
        var output: String
        var errors: String
    }

    /// The maximum size of each output in bytes; more is discarded.
    private static let outputLimit = 1 << 20

    private let process = Process()
    private let input = Pipe()
    private let texts = OutputTexts()
    private let readers = DispatchGroup()
    private let timeout: Int
    private let isTimedOut = TimeoutFlag()
    private var watchdog: DispatchWorkItem?

    /// The path of the ffmpeg in PATH; nil if it is not installed.
    static var installedPath: String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let paths = folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/ffmpeg" }
        return paths.first(where: FileManager.default.isExecutableFile)
    }

    /// Starts a process; nil if it cannot be started.
    ///
    /// - Parameter timeout: The time in seconds that it may take to process what it was given.
    init?(path: String, arguments: [String], timeout: Int, errors kept: Excerpt = .start) {
        self.timeout = timeout
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        // Messages are compared, so they must be in English, and the environment has no secrets to pass on.
        process.environment = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        // A process that ends early must not end this one.
        _ = signal(SIGPIPE, SIG_IGN)
        guard (try? process.run()) != nil else { return nil }
        for (pipe, isError) in [(output, false), (errors, true)] {
            readers.enter()
            Thread.detachNewThread { [texts, readers] in
                texts.set(Self.read(pipe.fileHandleForReading, isError ? kept : .start), isError: isError)
                readers.leave()
            }
        }
    }

    /// Writes bytes to the standard input.
    ///
    /// - Returns: False if the process has ended, or took too long and was ended.
    func write(_ bytes: [UInt8]) async -> Bool {
        watch()
        defer { watchdog?.cancel() }
        let handle = input.fileHandleForWriting
        return await withCheckedContinuation { continuation in
            // A thread of its own, because writing blocks it.
            Thread.detachNewThread {
                continuation.resume(returning: (try? handle.write(contentsOf: Data(bytes))) != nil)
            }
        }
    }

    /// Ends the standard input, and waits for the end of the process.
    ///
    /// - Returns: The output; nil if the process took too long.
    func finish() async -> Output? {
        try? input.fileHandleForWriting.close()
        watch()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process, readers] in
                readers.wait()
                process.waitUntilExit()
                continuation.resume()
            }
        }
        watchdog?.cancel()
        return isTimedOut.value ? nil : Output(output: texts.output, errors: texts.errors)
    }

    /// Ends the process if the next step takes too long.
    private func watch() {
        let item = DispatchWorkItem { [process, isTimedOut] in
            guard process.isRunning else { return }
            isTimedOut.set()
            kill(process.processIdentifier, SIGKILL)
        }
        watchdog = item
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(timeout), execute: item)
    }

    /// Reads a pipe to its end, and stores the first or the last bytes.
    private static func read(_ handle: FileHandle, _ kept: Excerpt) -> String {
        var bytes = Data()
        while let part = try? handle.read(upToCount: 1 << 16), !part.isEmpty {
            if kept == .end, bytes.count >= outputLimit { bytes = Data(bytes.suffix(outputLimit / 2)) }
            if bytes.count < outputLimit { bytes += part }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Whether a process was ended because it took too long.
private final class TimeoutFlag: Sendable {
    private let state = Atomic(false)

    var value: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}

/// The texts that a process wrote.
private final class OutputTexts: Sendable {
    private let texts = Mutex(["", ""])

    func set(_ text: String, isError: Bool) { texts.withLock { $0[isError ? 1 : 0] = text } }

    var output: String { texts.withLock { $0[0] } }
    var errors: String { texts.withLock { $0[1] } }
}
