import AVFoundation
import AVFoundationTesting
import Foundation
import KeyServerModule
import KeywayTesting
import Locking
import Testing

@testable import ContentKeySessionAVFoundation
@testable import FilmKeys

/// The device checks, which must tell the behaviors apart that they are to decide between.
@Suite(.timeLimit(.minutes(10))) struct DeviceCheckTests {
    /// Runs the checks and returns the lines of the report.
    private static func run(_ switches: (inout Switches) -> Void = { _ in }) async throws -> [String] {
        var lines: [String] = []
        try await AdapterScene.run(switches: switches) { scene in
            scene.server.set(.dual(storage: 86_400, playback: 86_400), for: "check-store")
            scene.server.set(.dual(storage: 60, playback: 60), for: "check-expiring")
            scene.server.set(.leased(60), for: "check-lease")
            let clock = CheckClock(scene.system.clock)
            var service = scene.filmService()
            service.clock = clock
            let checks = await DeviceChecks(service, film: scene.film())
            let report = Lock<String?>(nil)
            Task {
                let text = await checks.run("a test")
                report.withLock { $0 = text }
            }
            while report.withLock({ $0 == nil }) {
                try Task.checkCancellation()
                await scene.system.settle()
                if clock.isSleeping {
                    await scene.system.advance(by: .milliseconds(250))
                } else {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            let text = report.withLock { $0 ?? "" }
            #expect(!text.contains("keys.test") && !text.contains("skd://"))
            lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return lines
    }

    @Test("The report has the behavior by default, and no line more")
    func defaults() async throws {
        let failed = "AVFoundationErrorDomain -11800"
        let lines = try await Self.run()
        let expected = [
            "Keyway device checks, a test",
            "1 persistable requests (26, 31)",
            "with storage: canProvidePersistableContentKey is false",
            "with storage: a persistable request, canProvide true",
            "with storage: status of the plain request requestingResponse",
            "without storage: canProvidePersistableContentKey is false",
            "without storage: a persistable request, canProvide true",
            "without storage: status of the plain request requestingResponse",
            "3 an expired key (61)",
            "calls: didProvide, didProvidePersistable, shouldRetry (?ReceivedResponseWithExpiredLease), "
                + "didFail (\(failed) over NSOSStatusErrorDomain -42800)",
            "4 a second request (33, 34, 39-42, 67)",
            "identifier of a request of the app: String",
            "while it is open: no call",
            "after it failed: didProvide",
            "after it was loaded: no call",
            "as a URL, after it was loaded as a String: no call",
            "after it was revoked: didProvide",
            "after it was invalidated: no call",
            "an invalidated key: didProvide, didProvidePersistable, didFail (\(failed) over NSOSStatusErrorDomain -42803)",
            "5 renewal (47-50, 53)",
            "a new request",
            "renewsExpiringResponseData is true",
            "status of the earlier request renewed, of the renewing one receivedResponse",
            "respondBy on a renewing request: AVFoundationErrorDomain -11862",
            "a lease that the app does not renew: no call",
            "6 update at first playback (58)",
            "identifier of a request of the player: String",
            "calls: didProvide, didProvidePersistable, didSucceed, didUpdate (String)",
            "8 clear keys (3)",
            "a request of the app: didProvide",
            "9 cancellation (9, 74, 83)",
            "expire with an open request: status cancelled, calls: didProvide",
            "10 a failed SPC (14, 22, 71)",
            "a wrong certificate: \(failed) over NSOSStatusErrorDomain -42679",
            "the app has not passed the error on: didProvide",
            "the app has passed it on: didProvide, didFail (\(failed) over NSOSStatusErrorDomain -42679)",
            "no answer for 90 seconds: didProvide, shouldRetry (?TimedOut), didProvide, shouldRetry (?TimedOut), "
                + "didProvide, shouldRetry (?TimedOut), didFail (\(failed))",
        ]
        #expect(lines == expected)
    }

    @Test("The report shows each behavior that differs from the default")
    func others() async throws {
        let lines = try await Self.run { switches in
            switches.persistNeedsStorage = true
            switches.expiredKeySign = .failureOnly
            switches.pendingDuplicate = .secondRequest
            switches.retryAfterFailure = .silent
            switches.renewObject = .earlier
            switches.renewPersist = .works
            switches.autoRenewal = .beforeEnd
            switches.updateOrder = .beforeSuccess
            switches.identifierType = .url
            switches.spcFailure = .failsByItself
        }
        let failed = "AVFoundationErrorDomain -11800 over NSOSStatusErrorDomain"
        let expected = [
            "without storage: respondBy threw AVFoundationErrorDomain -11862",
            "calls: didProvide, didProvidePersistable, didFail (\(failed) -42800)",
            "while it is open: didProvide",
            "after it failed: no call",
            "the earlier request again",
            "respondBy on a renewing request: another request, canProvide true",
            "a lease that the app does not renew: didProvideRenewing",
            "identifier of a request of the player: URL",
            "calls: didProvide, didProvidePersistable, didUpdate (URL), didSucceed",
            "the app has not passed the error on: didProvide, didFail (\(failed) -42679)",
        ]
        for line in expected { #expect(lines.contains(line)) }
        if !expected.allSatisfy(lines.contains) { Issue.record("\(lines.joined(separator: "\n"))") }
    }

    @Test("In the Simulator, only the clear key session is checked, and it receives no request")
    func simulator() async throws {
        let lines = try await PlatformEnvironment.forNewSessions.withValue(.simulator) {
            try await Self.run { $0.isSimulator = true }
        }
        #expect(lines == ["Keyway device checks, a test", "8 clear keys (3)", "a request of the app: no call"])
    }
}

/// The clock of a system, for a task that is the only one to sleep: the time advances only while it does.
private final class CheckClock: Clock {
    private let clock: SystemClock
    private let sleepers = Lock(0)

    init(_ clock: SystemClock) { self.clock = clock }

    var now: SystemClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }
    var isSleeping: Bool { sleepers.withLock { $0 > 0 } }

    func sleep(until deadline: SystemClock.Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            sleepers.withLock { $0 += 1 }
            clock.schedule(after: now.duration(to: deadline)) {
                self.sleepers.withLock { $0 -= 1 }
                continuation.resume()
            }
        }
    }
}
