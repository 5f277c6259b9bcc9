import FPSCrypto
import FPSMessages
import Foundation
import KeyServerModule
import Synchronization
import Testing
import VectorFiles

@testable import KeyServer

/// Plug-ins for tests, compiled with the system's C compiler, and processes for them.
enum TestPlugin {
    /// The behavior of a call of the misbehaving plug-in: byte 0 of R2. See misbehaving_dask.c.
    enum Behavior: UInt8 {
        case good = 0
        case killsItself, crashes, hangs, writesRubbish, leaks, exhaustsMemory, returnsFewBytes, returnsHugeLength
        case reportsInvalid, fails, exits, writesHalfReply, describesProcess, waits, writesOtherReply
    }

    private static let root = VectorFile.root.deletingLastPathComponent()
    /// The server's executable, next to the test bundle.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "keyway-server").path

    static let misbehaving = Result { try compile("Tests/PluginProcessTests/Plugins/misbehaving_dask.c") }
    static let example = Result { try compile("Examples/dask-plugin/example_dask.c") }

    private static func compile(_ source: String) throws -> String {
        let name = URL(filePath: source).deletingPathExtension().lastPathComponent
        let output = FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(ProcessInfo.processInfo.processIdentifier).so").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
            "-I", root.appending(path: "Sources/System/CKeywayDASk/include").path,
            "-o", output, root.appending(path: source).path, "-lcrypto",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "the plug-in does not compile")
        return output
    }

    /// Settings with limits that no call reaches on a slow machine, and without pauses.
    static var settings: PluginProcessSettings {
        var settings = PluginProcessSettings()
        settings.executable = executable
        settings.callLimit = .seconds(120)
        settings.loadLimit = .seconds(120)
        settings.patience = .seconds(120)
        settings.pause = { _ in .zero }
        return settings
    }

    /// Loads the misbehaving plug-in.
    static func load(
        _ configuration: String = "",
        settings: PluginProcessSettings = settings,
        counters: PluginCounters = PluginCounters(),
        log: EventLog = EventLog()
    ) throws -> SeparatePlugin {
        try SeparatePlugin(
            PluginLoading(memory: 0, path: try misbehaving.get(), configuration: configuration),
            settings: settings,
            counters: counters,
            report: { log.add($0) }
        )
    }
}

extension SeparatePlugin {
    /// Calls the misbehaving plug-in. A good call returns the first 16 bytes of R2.
    @discardableResult
    func derive(_ behavior: TestPlugin.Behavior = .good, _ byte: UInt8 = 7) throws -> [UInt8] {
        guard case .dask(let provider) = derivation else { throw Unexpected() }
        return try provider.dask(r2: R2([behavior.rawValue] + [UInt8](repeating: byte, count: 20))).reveal()
    }

    /// Returns whether a good call succeeds.
    func works() throws -> Bool {
        do {
            return try derive() == [0] + [UInt8](repeating: 7, count: 15)
        } catch let error as KSMError {
            guard error.code == .daskUnavailable else { throw error }
            return false
        }
    }
}

/// A plug-in without the function that a test calls.
struct Unexpected: Error {}

/// The events that a supervisor reports.
final class EventLog: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// Runs a function that waits for another process on a thread of its own. Swift's threads are few: if they all waited, no
/// test could do what the processes wait for.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
        Thread.detachNewThread { answer.resume(returning: body()) }
    }
}

/// Waits until a condition is true.
///
/// - Throws: ``NeverHappened`` after two minutes.
func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    for _ in 0..<12_000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw NeverHappened(description: "this never happened: \(what)")
}

/// A condition that has not become true.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}
