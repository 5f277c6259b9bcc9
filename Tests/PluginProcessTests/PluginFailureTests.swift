import Foundation
import Glibc
import KeyServerModule
import OwnThreads
import Synchronization
import Testing

@testable import KeyServer

/// Tests with a plug-in that misbehaves in a real process, while another goes on.
@Suite("A plug-in's process that fails", .timeLimit(.minutes(10)), .ownThreads)
struct PluginFailureTests {
    /// A named pipe that the plug-in waits for.
    private final class Gate {
        let path = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID())").path
        init() { mkfifo(path, 0o600) }
        deinit { unlink(path) }
        /// Opens and closes the pipe, which waits until the plug-in reads.
        func open() async { await onThread { [path] in _ = close(Glibc.open(path, O_WRONLY)) } }
    }

    @Test(
        "A call that ends the process fails, the process is restarted, and other plug-ins go on",
        arguments: [
            (TestPlugin.Behavior.killsItself, "signal 9"), (.crashes, "signal 11"), (.exits, "status 3"),
            (.writesHalfReply, "signal 9"), (.writesRubbish, "signal 9"),
        ]
    )
    func crashes(behavior: TestPlugin.Behavior, ending: String) async throws {
        let (counters, log) = (PluginCounters(), EventLog())
        let plugin = try TestPlugin.load(counters: counters, log: log)
        let other = try TestPlugin.load()
        for round in 1...3 {
            let error = #expect(throws: KSMError.self) { try plugin.derive(behavior) }
            #expect(error?.isServerFailure == true)
            #expect(try other.works())
            try await eventually("the process is restarted") { try plugin.works() }
            #expect(counters.restarts.load(ordering: .relaxed) == round)
        }
        #expect(log.text.contains(ending))
        #expect(counters.failures.load(ordering: .relaxed) >= 3)
        #expect(counters.deadlines.load(ordering: .relaxed) == 0)
    }

    @Test("A call that exceeds its deadline ends the process")
    func hangs() async throws {
        var settings = TestPlugin.settings
        settings.callLimit = .milliseconds(500)
        let counters = PluginCounters()
        let plugin = try TestPlugin.load(settings: settings, counters: counters)
        let other = try TestPlugin.load()
        let error = #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try plugin.derive(.hangs) }
        #expect(error?.reason.contains("did not answer within 0.5 seconds") == true)
        #expect(counters.deadlines.load(ordering: .relaxed) == 1)
        #expect(try other.works())
        try await eventually("the process is restarted") { try plugin.works() }
    }

    @Test("A reply to another request is an error")
    func otherReply() async throws {
        let plugin = try TestPlugin.load()
        let error = #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) {
            try plugin.derive(.writesOtherReply)
        }
        #expect(error?.reason.contains("reply") == true)
        // The true reply comes after it. It must never be the answer to the next call.
        try await eventually("the plug-in works") {
            guard let dask = try? plugin.derive(.good, 9) else { return false }
            #expect(dask == [0] + [UInt8](repeating: 9, count: 15))
            return true
        }
    }

    @Test("Errors that the plug-in reports do not end the process")
    func reported() throws {
        let counters = PluginCounters()
        let plugin = try TestPlugin.load(counters: counters)
        for behavior in [TestPlugin.Behavior.returnsFewBytes, .returnsHugeLength, .fails] {
            #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try plugin.derive(behavior) }
        }
        #expect(throws: KSMError(.sessionKey, .keyPayloadInvalid, "")) { try plugin.derive(.reportsInvalid) }
        #expect(try plugin.works())
        #expect(counters.restarts.load(ordering: .relaxed) == 0)
        #expect(counters.failures.load(ordering: .relaxed) == 3)
        #expect(counters.calls.load(ordering: .relaxed) == 5)
    }

    @Test("A process that exceeds its memory bound is replaced without failed calls")
    func leaks() async throws {
        var settings = TestPlugin.settings
        settings.memory = 64 << 20
        let (counters, log) = (PluginCounters(), EventLog())
        let plugin = try TestPlugin.load(settings: settings, counters: counters, log: log)
        let first = try plugin.derive(.describesProcess)
        for _ in 0..<8 { try plugin.derive(.leaks) }
        try await eventually("the process is replaced") {
            #expect(try plugin.works())
            return try plugin.derive(.describesProcess)[..<4] != first[..<4]
        }
        #expect(counters.failures.load(ordering: .relaxed) == 0)
        #expect(log.text.contains("memory bound"))
    }

    @Test("A process cannot allocate more than twice its memory bound")
    func exhausts() async throws {
        var settings = TestPlugin.settings
        settings.memory = 64 << 20
        let counters = PluginCounters()
        let plugin = try TestPlugin.load(settings: settings, counters: counters)
        // The allocation fails, so the plug-in does; without a limit, this call would not return.
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try plugin.derive(.exhaustsMemory) }
        try await eventually("the process is replaced") {
            try plugin.works() && counters.restarts.load(ordering: .relaxed) > 0
        }
    }

    @Test("A plug-in that starts slowly delays no other, and one that does not start in time is refused")
    func slowStart() async throws {
        let gate = Gate()
        let other = try TestPlugin.load()
        let path = gate.path
        async let slow = onThread { Result { try TestPlugin.load("wait:\(path)") } }
        for _ in 0..<20 { #expect(try other.works()) }
        await gate.open()
        #expect(try await slow.get().works())

        var settings = TestPlugin.settings
        settings.loadLimit = .milliseconds(200)
        let error = #expect(throws: BundleError.self) { try TestPlugin.load("hangs", settings: settings) }
        #expect(error?.reason.contains("was not ready within 0.2 seconds") == true)
    }

    @Test("A plug-in that dies at each start is started again after longer and longer pauses")
    func backoff() async throws {
        let marker = FileManager.default.temporaryDirectory.appending(path: "dies-\(UUID())").path
        defer { unlink(marker) }
        let pauses = Mutex<[Int]>([])
        var settings = TestPlugin.settings
        settings.pause = { failures in
            pauses.withLock { $0.append(failures) }
            return .zero
        }
        let counters = PluginCounters()
        let plugin = try TestPlugin.load("dies-if:\(marker)", settings: settings, counters: counters)
        close(creat(marker, 0o600))
        #expect(throws: KSMError.self) { try plugin.derive(.killsItself) }
        try await eventually("six starts") { counters.restarts.load(ordering: .relaxed) >= 6 }
        #expect(throws: KSMError(.sessionKey, .daskUnavailable, "")) { try plugin.derive() }
        unlink(marker)
        try await eventually("the plug-in works again") { try plugin.works() }
        let seen = pauses.withLock { $0 }
        #expect(seen == Array(1...seen.count))
        #expect(seen.count == counters.restarts.load(ordering: .relaxed))
    }

    @Test("The pauses double up to 30 seconds")
    func pauses() {
        let milliseconds = (1...11).map { PluginProcessSettings.pause(failures: $0) / .milliseconds(1) }
        #expect(milliseconds == [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
        #expect(PluginProcessSettings.pause(failures: .max) == .seconds(30))
    }

    @Test("Calls that wait too long for a socket fail, and the next ones at once")
    func busy() async throws {
        let gate = Gate()
        var settings = TestPlugin.settings
        settings.patience = .milliseconds(20)
        let plugin = try TestPlugin.load("at:\(gate.path)", settings: settings)
        // The call is repeated while one of the good calls below has the socket.
        async let waiting = onThread {
            while true { if let dask = try? plugin.derive(.waits) { return dask } }
        }
        try await eventually("a call fails") {
            do {
                return try plugin.derive().isEmpty
            } catch let error as KSMError {
                return error.reason.contains("in progress")
            }
        }
        await gate.open()
        #expect(await waiting.first == TestPlugin.Behavior.waits.rawValue)
        #expect(try plugin.works())
    }
}
