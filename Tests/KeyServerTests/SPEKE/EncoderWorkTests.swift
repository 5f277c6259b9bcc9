import DRMSignaling
import Dispatch
import Foundation
import Synchronization
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("The threads for documents of encoders", .timeLimit(.minutes(10)))
struct EncoderWorkTests {
    /// Blocks a thread until it is opened.
    private final class Gate: Sendable {
        private let entered = DispatchSemaphore(value: 0)
        private let opened = DispatchSemaphore(value: 0)

        func pass() {
            entered.signal()
            opened.wait()
        }

        /// Returns when the thread waits.
        func waitUntilEntered() async {
            await withCheckedContinuation { answer in
                DispatchQueue.global().async {
                    _ = self.entered.wait(timeout: .now() + 120)
                    answer.resume()
                }
            }
        }

        func open() { opened.signal() }
    }

    @Test("Work runs on a thread of that name, at a lower priority than the decryption of SPCs")
    func thread() async throws {
        let work = EncoderWork(threads: 1, capacity: 1)
        let (name, lowered) = try await work.run { (Thread.current.name, niceness()) }
        #expect(name == "keyway-encoder")
        #expect(lowered > niceness())
    }

    @Test("Beyond the limit the response is 503 with Retry-After, and licenses are still issued")
    func overload() async throws {
        let (work, gate) = (EncoderWork(threads: 1, capacity: 1), Gate())
        try await LicenseServer.run(encoderWork: work) { server in
            async let busy: Void = work.admit { try await work.run { gate.pass() } }
            // Also if the test fails before it opens the gate; `busy` is awaited after this.
            defer { gate.open() }
            await gate.waitUntilEntered()
            let refused = try await server.speke(spekeDocument())
            #expect(refused.status == 503)
            #expect(refused.json["type"] == .string("urn:keyway:problem:overloaded"))
            #expect(refused.headers["retry-after"] == "1")
            let device = server.device()
            #expect(try await server.license(server.request(device).spc).status == 200)
            gate.open()
            try await busy
            #expect(work.admittedCount == 0)
            #expect(try await server.speke(spekeDocument()).status == 200)
        }
    }

    /// Counts concurrent writes, and finished ones.
    private final class Writes: Sendable {
        private let state = Mutex((running: 0, most: 0, ended: 0))

        var most: Int { state.withLock { $0.most } }
        var ended: Int { state.withLock { $0.ended } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { state in
                state.running -= 1
                state.ended += 1
            }
        }
    }

    @Test("Writes are serialized, and the next one starts after a failed one")
    func turns() async {
        struct Failure: Error {}
        let (work, writes) = (EncoderWork(threads: 1, capacity: 1), Writes())
        @Sendable func write(_ number: Int) async throws {
            writes.begin()
            for _ in 0..<5 { await Task.yield() }
            writes.end()
            if number.isMultiple(of: 2) { throw Failure() }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { try? await work.serialized { try await write(number) } } }
        }
        #expect(writes.most == 1)
        #expect(writes.ended == 20)
    }

    @Test("A refused document frees its capacity, and its reason is unchanged")
    func refusal() async throws {
        let work = EncoderWork(threads: 1, capacity: 1)
        try await LicenseServer.run(encoderWork: work) { server in
            for _ in 0..<3 {
                let answer = try await server.speke(spekeDocument(""))
                #expect(answer.status == 422 && answer.json["reason"] == .string("content-id"))
            }
            #expect(work.admittedCount == 0)
        }
    }
}

/// The niceness of the current thread.
private func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
