import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("SPCs of a batch are decrypted together", .timeLimit(.minutes(10)))
struct BatchOpeningTests {
    @Test("Each item gets its own answer, in order, with more items than are decrypted together")
    func order() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            let requests = try (0..<2 * LicenseService.openedTogether + 1).map { _ in try server.request(device) }
            var spcs = requests.map(\.spc)
            // An SPC that is refused when it is decrypted, and data that is not an SPC.
            spcs[1] = try server.request(device, .wrongIntegrity).spc
            spcs[5] = [1, 2, 3]
            let items = try await server.batch(spcs).items
            #expect(items.map { $0["id"] } == spcs.indices.map { .integer($0) })
            #expect(items.map { $0["status"] == .integer(0) } == spcs.indices.map { $0 != 1 && $0 != 5 })
            for (request, item) in zip(requests, items) where item["status"] == .integer(0) {
                guard case .string(let ckc)? = item["ckc"] else { throw LicenseServerError() }
                // Each response decrypts only with its own request: no two responses were swapped.
                _ = try device.process(ckc: try #require(Base64.decode(ckc.utf8)), for: request)
            }
            #expect(try await server.auditOutcomes().count == spcs.count)
        }
    }

    @Test("Each item reports that the pool is full")
    func overload() async throws {
        try await LicenseServer.run(pool: BoundedWorkPool(threads: 1, capacity: 0)) { server in
            let spcs = try (0..<3).map { _ in try server.request(server.device()).spc }
            let gate = Gate()
            let held = try await gate.occupy(server.pool, jobs: 1)
            #expect(try await server.batch(spcs).items.map { $0["status"] } == [503, 503, 503].map { .integer($0) })
            gate.open()
            for task in held { _ = try await task.value }
            #expect(try await server.batch(spcs).items.map { $0["status"] } == [0, 0, 0].map { .integer($0) })
        }
    }

    @Test("Work counts by its weight until it has finished")
    func weight() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 9)
        let gate = Gate()
        let first = try await gate.occupy(pool, jobs: 1)
        let heavy = Task { try await pool.run(weight: 4) { 4 } }
        try await eventually("the heavy work is accepted") { pool.unfinished == 5 }
        #expect(pool.waiting == 4)
        gate.open()
        for task in first { #expect(try await task.value) }
        #expect(try await heavy.value == 4)
        #expect(pool.unfinished == 0)
    }

    @Test("Work heavier than the queue is accepted if there is capacity for one, and fills the queue")
    func heavierThanTheQueue() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 1)
        let gate = Gate()
        let first = try await gate.occupy(pool, jobs: 1)
        let heavy = Task { try await pool.run(weight: 4) { 4 } }
        try await eventually("the heavy work is accepted") { pool.unfinished == 5 }
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in first { #expect(try await task.value) }
        #expect(try await heavy.value == 4)
        #expect(try await pool.run { 7 } == 7)
    }
}
