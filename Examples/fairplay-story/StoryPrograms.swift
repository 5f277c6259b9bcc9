import Foundation
import Synchronization

/// The temporary folder of a demonstration, and the programs that run in it: keyway, keyway-server and ffmpeg. At the
/// end, running programs are stopped, and the folder is deleted.
final class StoryPrograms: Sendable {
    /// The path of the folder.
    let folder: String
    private let state = Mutex<(processes: [Process], isOver: Bool)>(([], false))

    /// Creates the folder.
    init() throws(StoryFailure) {
        let parent = NSTemporaryDirectory()
        folder = parent + (parent.hasSuffix("/") ? "" : "/") + "keyway-story-" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw StoryFailure("cannot create the folder \(folder); set TMPDIR to a writable folder")
        }
    }

    /// Runs a program, and waits for its end.
    ///
    /// - Returns: The standard output.
    /// - Throws: ``StoryFailure`` with the last error messages if the program fails.
    @discardableResult
    func run(_ name: String, _ arguments: [String]) async throws(StoryFailure) -> String {
        let output = path("output-\(UUID().uuidString)")
        let errors = output + ".errors"
        let process = try prepare(name, arguments, output: output, errors: errors)
        let hasRun = await withCheckedContinuation { (end: CheckedContinuation<Bool, Never>) in
            process.terminationHandler = { _ in end.resume(returning: true) }
            if !launch(process) {
                process.terminationHandler = nil
                end.resume(returning: false)
            }
        }
        state.withLock { $0.processes.removeAll { $0 === process } }
        defer { for file in [output, errors] { try? FileManager.default.removeItem(atPath: file) } }
        guard hasRun else { throw notStarted(name) }
        guard process.terminationStatus == 0 else {
            let messages = Self.text(errors).split(separator: "\n").suffix(3).joined(separator: "; ")
            throw StoryFailure("\(name) \(arguments.first ?? "") failed: \(messages)")
        }
        return Self.text(output)
    }

    /// Starts a program without waiting for its end; its standard output and error are written to files in the folder.
    func start(_ name: String, _ arguments: [String], output: String, errors: String) throws(StoryFailure) -> Process {
        let process = try prepare(name, arguments, output: path(output), errors: path(errors))
        guard launch(process) else { throw notStarted(name) }
        return process
    }

    /// Starts a process, unless the demonstration has ended. Both happen under one lock, so that ``end()`` finds all
    /// processes.
    private func launch(_ process: Process) -> Bool {
        state.withLock { state in
            guard !state.isOver, (try? process.run()) != nil else { return false }
            state.processes.append(process)
            return true
        }
    }

    private func notStarted(_ name: String) -> StoryFailure {
        StoryFailure(
            state.withLock { $0.isOver }
                ? "the demonstration has ended" : "\(name) cannot be started; check that the file is executable"
        )
    }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { folder + "/" + name }

    /// Returns the content of a file in the folder, as text.
    func text(of name: String) -> String { Self.text(path(name)) }

    /// Writes a file in the folder, which only its owner can read.
    func write(_ text: String, to name: String) throws(StoryFailure) {
        guard
            FileManager.default.createFile(
                atPath: path(name),
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw StoryFailure("cannot create \(path(name))") }
    }

    /// Stops all processes, deletes the folder, and prevents new processes.
    func end() {
        let processes = state.withLock { state in
            state.isOver = true
            defer { state.processes = [] }
            return state.processes
        }
        for process in processes where process.isRunning {
            process.terminate()
            let process = process
            let forcedKill = DispatchWorkItem { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: forcedKill)
            process.waitUntilExit()
            forcedKill.cancel()
        }
        // Tasks that waited for the processes delete their files concurrently, and removing a folder fails if one of
        // its files disappears, so it is retried.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: folder) {
            if (try? FileManager.default.removeItem(atPath: folder)) == nil { usleep(10_000) }
        }
    }

    private func prepare(
        _ name: String,
        _ arguments: [String],
        output: String,
        errors: String
    ) throws(StoryFailure) -> Process {
        guard let executable = Self.path(of: name) else {
            throw StoryFailure(
                "\(name) is neither next to fairplay-story nor in PATH; install it, or run `swift build`"
            )
        }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        for file in [output, errors] where !FileManager.default.createFile(atPath: file, contents: nil) {
            throw StoryFailure("cannot create \(file)")
        }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        return process
    }

    /// Returns the path of a program: next to this one, or in PATH.
    private static func path(of name: String) -> String? {
        var folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        if let own = Bundle.main.executableURL { folders.insert(own.deletingLastPathComponent().path, at: 0) }
        return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
