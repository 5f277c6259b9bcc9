import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("The SPCs of a batch are opened together")
struct BatchOpeningTests {
    @Test("More items than are opened together get each its own answer, in their order")
    func order() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            let requests = try (0..<2 * LicenseService.openedTogether + 1).map { _ in try server.request(device) }
            var spcs = requests.map(\.spc)
            // Refused when it is opened, and one that is no SPC.
            spcs[1] = try server.request(device, .wrongIntegrity).spc
            spcs[5] = [1, 2, 3]
            let items = try await server.batch(spcs).items
            #expect(items.map { $0["id"] } == spcs.indices.map { .integer($0) })
            #expect(items.map { $0["status"] == .integer(0) } == spcs.indices.map { $0 != 1 && $0 != 5 })
            for (request, item) in zip(requests, items) where item["status"] == .integer(0) {
                guard case .string(let ckc)? = item["ckc"] else { throw LicenseServerFault() }
                // Only the device's own request opens it: no two answers were mixed up.
                _ = try device.process(ckc: try #require(Base64.decode(ckc.utf8)), for: request)
            }
            #expect(try await server.auditOutcomes().count == spcs.count)
        }
    }

    @Test("Where the pool has no room, each item says so")
    func overload() async throws {
        try await LicenseServer.run(pool: BoundedWorkPool(threads: 1, capacity: 0)) { server in
            let spcs = try (0..<3).map { _ in try server.request(server.device()).spc }
            let gate = Gate()
            let held = await gate.occupy(server.pool, jobs: 1)
            #expect(try await server.batch(spcs).items.map { $0["status"] } == [503, 503, 503].map { .integer($0) })
            gate.open()
            for task in held { _ = try await task.value }
            #expect(try await server.batch(spcs).items.map { $0["status"] } == [0, 0, 0].map { .integer($0) })
        }
    }

    @Test("Work counts as what it weighs, until it has ended")
    func weight() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 9)
        let gate = Gate()
        let first = await gate.occupy(pool, jobs: 1)
        let heavy = Task { try await pool.run(weight: 4) { 4 } }
        while pool.unfinished < 5 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(pool.waiting == 4)
        gate.open()
        for task in first { #expect(try await task.value) }
        #expect(try await heavy.value == 4)
        #expect(pool.unfinished == 0)
    }

    @Test("What is heavier than the queue is taken where there is room for one, and fills it")
    func heavierThanTheQueue() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 1)
        let gate = Gate()
        let first = await gate.occupy(pool, jobs: 1)
        let heavy = Task { try await pool.run(weight: 4) { 4 } }
        while pool.unfinished < 5 { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in first { #expect(try await task.value) }
        #expect(try await heavy.value == 4)
        #expect(try await pool.run { 7 } == 7)
    }
}
