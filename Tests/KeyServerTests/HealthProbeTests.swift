import HTTPTypes
import Hummingbird
import Testing

@testable import KeyServer

@Suite("The health check of a running server", .timeLimit(.minutes(10)))
struct HealthProbeTests {
    /// Enough for a machine that is busy with other tests.
    private static let timeout = Duration.seconds(120)

    private func router(ready: HTTPResponse.Status, body: String) -> Router<ServerRequestContext> {
        let router = Listener.makeRouter(proxies: .none)
        router.get("/readyz") { _, _ in Response(status: ready, body: .init(byteBuffer: .init(string: body))) }
        return router
    }

    private func result(_ route: HealthProbe.Route, _ port: Int) async -> HealthProbe.Failure? {
        do throws(HealthProbe.Failure) {
            try await HealthProbe().check(route, server: "http://127.0.0.1:\(port)", timeout: Self.timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test("It distinguishes a server that responds from one that can issue licenses")
    func routes() async throws {
        try await withOperationsServer(router(ready: .serviceUnavailable, body: "store\ncertificates\n")) { port, _ in
            let live = await result(.liveness, port)
            #expect(live == nil)
            let ready = await result(.readiness, port)
            #expect(ready == .unhealthy(status: 503, checks: "store certificates"))
            #expect(ready?.description == "status 503: store certificates")
        }
        try await withOperationsServer(router(ready: .ok, body: "ready\n")) { port, _ in
            let ready = await result(.readiness, port)
            #expect(ready == nil)
        }
    }

    @Test("It does not repeat control characters or long responses of another program")
    func otherPrograms() async throws {
        try await withOperationsServer(router(ready: .notFound, body: "\u{1B}[2Jcleared")) { port, _ in
            let failure = await result(.readiness, port)
            #expect(failure == .unhealthy(status: 404, checks: ""))
        }
        try await withOperationsServer(router(ready: .ok, body: String(repeating: "a", count: 2_000))) { port, _ in
            let failure = await result(.readiness, port)
            #expect(failure == .unreachable("the response is longer than 1024 bytes"))
        }
    }

    @Test("A server that does not listen is unreachable")
    func unreachable() async throws {
        // Port 0 cannot be connected to.
        let failure = await result(.liveness, 0)
        guard case .unreachable(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(!reason.contains("127.0.0.1"))
    }
}
