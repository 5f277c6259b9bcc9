import Foundation
import Synchronization

/// A folder for one telling of the story, and the programs that run in it: keyway itself, keyway-server and ffmpeg. What
/// still runs when the story ends is ended, and the folder goes.
final class StoryPrograms: Sendable {
    /// Where everything happens.
    let folder: String
    private let state = Mutex<(processes: [Process], isOver: Bool)>(([], false))

    /// Makes the folder.
    init() throws(CommandFailure) {
        let parent = NSTemporaryDirectory()
        folder = parent + (parent.hasSuffix("/") ? "" : "/") + "keyway-story-" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .file("cannot make the folder \(folder)", next: "set TMPDIR to a folder that may be written")
        }
    }

    /// Runs a program to its end.
    ///
    /// - Parameter environment: What it finds in its environment beside what is there; a place for secrets, since command
    ///   lines can be seen by everybody.
    /// - Returns: its standard output.
    /// - Throws: ``CommandFailure`` with the last of what it said where it did not succeed.
    @discardableResult
    func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws(CommandFailure) -> String {
        let output = path("output-\(UUID().uuidString)")
        let errors = output + ".errors"
        let process = try prepare(name, arguments, output: output, errors: errors)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let hasRun = await withCheckedContinuation { (end: CheckedContinuation<Bool, Never>) in
            process.terminationHandler = { _ in end.resume(returning: true) }
            if !begin(process) {
                process.terminationHandler = nil
                end.resume(returning: false)
            }
        }
        state.withLock { $0.processes.removeAll { $0 === process } }
        defer { for file in [output, errors] { try? FileManager.default.removeItem(atPath: file) } }
        guard hasRun else { throw notStarted(name) }
        guard process.terminationStatus == 0 else {
            let said = Self.text(errors).split(separator: "\n").suffix(3).joined(separator: "; ")
            throw .input("\(name) \(arguments.first ?? "") has failed: \(said)")
        }
        return Self.text(output)
    }

    /// Starts a program that goes on; its standard output and error go to files of the folder.
    func start(_ name: String, _ arguments: [String], output: String, errors: String) throws(CommandFailure) -> Process
    {
        let process = try prepare(name, arguments, output: path(output), errors: path(errors))
        guard begin(process) else { throw notStarted(name) }
        return process
    }

    /// Starts it, unless the story is over; both in one, so that ``end()`` finds all that runs.
    private func begin(_ process: Process) -> Bool {
        state.withLock { state in
            guard !state.isOver, (try? process.run()) != nil else { return false }
            state.processes.append(process)
            return true
        }
    }

    private func notStarted(_ name: String) -> CommandFailure {
        state.withLock { $0.isOver }
            ? .input("the story has ended")
            : .file("\(name) cannot be started", next: "check that it may be executed")
    }

    /// A file's path.
    func path(_ name: String) -> String { folder + "/" + name }

    /// What is in a file of the folder, as text.
    func text(of name: String) -> String { Self.text(path(name)) }

    /// Ends what runs, and takes the folder away. Nothing starts any more.
    func end() {
        let processes = state.withLock { state in
            state.isOver = true
            defer { state.processes = [] }
            return state.processes
        }
        for process in processes where process.isRunning {
            process.terminate()
            let process = process
            let impatience = DispatchWorkItem { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: impatience)
            process.waitUntilExit()
            impatience.cancel()
        }
        // Whoever waited for these programs takes their files away at the same time, and a file that is suddenly gone ends the
        // removal of a folder.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: folder) {
            if (try? FileManager.default.removeItem(atPath: folder)) == nil { usleep(10_000) }
        }
    }

    private func prepare(
        _ name: String,
        _ arguments: [String],
        output: String,
        errors: String
    ) throws(CommandFailure) -> Process {
        guard let executable = Self.path(of: name) else {
            throw .file("\(name) is neither beside keyway nor in PATH", next: "install it, or add its folder to PATH")
        }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        for file in [output, errors] where !FileManager.default.createFile(atPath: file, contents: nil) {
            throw .file("\(file) cannot be made: \(lastSystemError())")
        }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        return process
    }

    /// Where a program is: beside this one, or in PATH.
    private static func path(of name: String) -> String? {
        var folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        if let own = Bundle.main.executableURL { folders.insert(own.deletingLastPathComponent().path, at: 0) }
        return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
