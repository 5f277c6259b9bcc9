import Synchronization
import Testing

@testable import ContentKeySession

@Suite("A preloaded key that is needed before it has loaded")
struct AwaitedKeyTests {
    @Test("is requested at once, even while other requests are still being batched")
    func gathering() throws {
        let bench = LoaderBench(
            session: ScriptedSession(isSilent: true),
            settings: .with { $0.gatheringTime = .seconds(5) }
        )
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2"])
            let request = bench.session.ask("skd://a1")
            try await bench.pass(.seconds(1))
            #expect(bench.server.licenses.isEmpty)
            bench.session.wait(for: request)
            try await bench.pass(.seconds(1))
            #expect(request.isLoaded)
            let moment = try #require(bench.server.licenses.first?.moment)
            #expect(moment < .milliseconds(1100))
        }
    }

    @Test("is requested at once if the player requested it first")
    func awaitedFromTheBeginning() throws {
        let bench = LoaderBench(
            session: ScriptedSession(isSilent: true),
            settings: .with { $0.gatheringTime = .seconds(5) }
        )
        try bench.run { bench in
            await bench.loader.preload(["skd://a1", "skd://a2"])
            let request = bench.session.ask("skd://a1", isAwaited: true)
            try await bench.pass(.seconds(1))
            #expect(request.isLoaded)
            // The key was announced nevertheless.
            #expect(await bench.loader.accessLog.entries.map(\.kind) == [.certificate, .preload])
        }
    }

    /// Returns when a preload that never succeeds fails, if a recipient starts to wait for it after 2 seconds.
    private func end(
        awaited: Bool,
        _ change: @escaping (inout KeyLoaderSettings) -> Void,
        _ script: @escaping @Sendable (Int, KeyTransportRequest) -> ScriptedServer.Answer
    ) throws -> (moment: Duration, failure: KeyFailure.Kind?) {
        let bench = LoaderBench(settings: .with(change), script: { $0 == 0 ? .good : script($0, $1) })
        let ended = Ended()
        try bench.run { bench in
            await bench.loader.preload(["skd://movie"])
            try await bench.pass(.seconds(2))
            if awaited { bench.session.wait(for: bench.session.all[0]) }
            try await bench.pass(.seconds(200))
            #expect(bench.session.all[0].answerCount == 1)
            let log = await bench.loader.errorLog.entries
            let last = try #require(log.last)
            #expect(log.count { $0.retryAfter == nil } == 1)
            ended.moment.withLock { $0 = last.time }
        }
        return (ended.moment.withLock(\.self), bench.session.all[0].failures.first?.kind)
    }

    private final class Ended: Sendable {
        let moment = Mutex(Duration.zero)
    }

    @Test("has the deadline of an on-demand request from then on", arguments: [true, false])
    func deadline(awaited: Bool) throws {
        let end = try end(awaited: awaited) {
            $0.retry.attempts = 1000
        } _: { _, _ in
            .error(.noConnection)
        }
        #expect(end.failure == .deadlineExceeded)
        // After 25 or 90 seconds; an attempt that would be after the deadline is not waited for.
        #expect(
            awaited ? (Duration.seconds(18)...Duration.seconds(27)).contains(end.moment) : end.moment > .seconds(80)
        )
    }

    @Test("fails at the deadline, even during an attempt")
    func attempt() throws {
        let end = try end(awaited: true) {
            $0.retry.attemptTimeout = .seconds(80)
        } _: { _, _ in
            .silence
        }
        #expect(end.moment == .seconds(27))
        #expect(end.failure == .deadlineExceeded)
    }

    @Test("fails at once if the server requires a longer delay")
    func pause() throws {
        let end = try end(awaited: true) { _ in
        } _: { _, _ in
            ScriptedServer.problem(503, "overloaded", headers: [.init("Retry-After", "60")])
        }
        #expect(end.moment == .seconds(2))
        #expect(end.failure == .deadlineExceeded)
    }
}
