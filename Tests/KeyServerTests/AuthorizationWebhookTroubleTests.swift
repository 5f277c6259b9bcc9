import FPSCrypto
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import KeyServer

@Suite("Authorization: webhook failures", .timeLimit(.minutes(10)))
struct AuthorizationWebhookTroubleTests {
    static let yes = AuthorizationWebhookTests.yes

    @Test("Two gateway failures are retried")
    func retries() async throws {
        try await MockService.run({ service in
            let isReady = service.count == 3
            return try await MockService.text(Self.yes, status: isReady ? .ok : .badGateway)(service)
        }) { service in
            let refusal = try await WebhookAuthorizer(service).refusal(.test("token"))
            #expect(refusal == nil)
            #expect(service.count == 3)
        }
    }

    @Test(
        "A service that does not respond, or responds very slowly, times out",
        arguments: [MockService.silent, MockService.trickle]
    )
    func slow(handler: @escaping MockService.Handler) async throws {
        try await MockService.run(handler) { service in
            var configuration = WebhookConfiguration.test(try service.url())
            configuration.timeout = .milliseconds(200)
            let authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal?.type == .unavailable)
            // A slow response is not retried, because that would double the load of an overloaded service. On a busy
            // machine the time may be over before the first request has arrived.
            #expect(service.count <= 1)
        }
    }

    @Test(
        "Connections that are closed, broken off or use another protocol contain no decision",
        arguments: [
            ("", 3), ("hello\r\n\r\n", 3), ("HTTP/1.1 200 OK\r\nContent-Len", 3),
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\(yes)", 1),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"all", 1),
        ]
    )
    func raw(answer: String, connections: Int) async throws {
        let service = try RawService(answering: answer)
        let url = try OutgoingURL("http://127.0.0.1:\(service.port)/")
        let authorizer = try WebhookAuthorizer(.test(url), http: .patient, logger: authorizationTestLogger)
        let refusal = try await authorizer.refusal(.test("token"))
        #expect(refusal?.type == .unavailable)
        #expect(service.count == connections)
    }

    @Test("The circuit breaker opens for a failing service, then sends one request, then closes")
    func breaker() async throws {
        let (clock, metrics) = (AuthorizationClock(), ServerMetrics())
        try await MockService.run(MockService.text("", status: .internalServerError)) { service in
            let authorizer = try WebhookAuthorizer(service, metrics: metrics, clock: clock)
            #expect(authorizer.condition.breaker == .closed)
            for _ in 0..<8 {
                let refusal = try await authorizer.refusal(.test("token"))
                #expect(refusal?.type == .unavailable)
            }
            #expect(service.count == 5)
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal?.retryAfter == 10)
            #expect(refusal?.auditDetail == "webhook: the circuit breaker is open after failures")
            #expect(authorizer.condition.breaker == .open)
            clock.advance(seconds: 10)
            #expect(authorizer.condition.breaker == .halfOpen)
            for _ in 0..<3 { _ = try await authorizer.refusal(.test("token")) }
            #expect(service.count == 6)
            service.answer(MockService.text(Self.yes))
            clock.advance(seconds: 10)
            for _ in 0..<3 {
                let refusal = try await authorizer.refusal(.test("token"))
                #expect(refusal == nil)
            }
            #expect(service.count == 9)
            #expect(authorizer.condition.breaker == .closed)
            // Each request is measured, and nothing is measured without one.
            let text = await metrics.registry.exposition()
            #expect(text.contains(#"keyway_webhook_seconds_count{end="failed"} 6"#))
            #expect(text.contains(#"keyway_webhook_seconds_count{end="decided"} 3"#))
        }
    }

    @Test("The log contains failures, and neither token, secret nor path")
    func log() async throws {
        let log = LogRecorder()
        try await MockService.run(MockService.text("token-7", status: .internalServerError)) { service in
            var configuration = WebhookConfiguration.test(try service.url("/path-7"))
            configuration.secret = AuthorizationWebhookTests.secret
            let authorizer = try WebhookAuthorizer(
                configuration,
                http: .patient,
                logger: Logger(label: "test") { _ in log }
            )
            let refusal = try await authorizer.refusal(.test("token-7"))
            #expect(log.text.contains("made no decision: status 500"))
            for text in [log.text, "\(String(describing: refusal))"] {
                #expect(!text.contains("-7") && !text.contains("a webhook secret"))
            }
        }
    }

    @Test("A refusal is a normal response: it does not open the circuit breaker")
    func manyNoes() async throws {
        try await MockService.run(MockService.text(#"{"allow":false}"#)) { service in
            let authorizer = try WebhookAuthorizer(service)
            for _ in 0..<10 { _ = try await authorizer.refusal(.test("token")) }
            #expect(service.count == 10)
        }
    }

    @Test(
        "Failures for one request do not affect others",
        arguments: [
            (200, "<html>"), (200, #"{"allow":true}"#), (200, yes + String(repeating: " ", count: 65_536)), (204, ""),
            (302, yes), (400, ""), (404, ""), (429, ""),
        ]
    )
    func undecided(status: Int, body: String) async throws {
        try await MockService.run(MockService.text(body, status: .init(code: status))) { service in
            let authorizer = try WebhookAuthorizer(service)
            for _ in 0..<8 {
                let refusal = try await authorizer.refusal(.test("a stranger's"))
                #expect(refusal?.type == .unavailable)
            }
            #expect(service.count == 8)
            service.answer(MockService.text(Self.yes))
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal == nil)
        }
    }

    @Test("The number of concurrent requests is limited, and cancelled ones are ended")
    func inFlight() async throws {
        try await MockService.run(MockService.silent) { service in
            var configuration = WebhookConfiguration.test(try service.url())
            configuration.maximumInFlight = 1
            configuration.timeout = .seconds(30)
            configuration.budget = .seconds(30)
            let authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            let first = Task { try await authorizer.refusal(.test("token")) }
            try await eventually("the webhook is called") { service.count == 1 }
            let second = try await authorizer.refusal(.test("token"))
            #expect(second?.type == .overloaded)
            #expect(second?.auditDetail == "webhook: too many concurrent requests")
            first.cancel()
            let given = try await first.value
            #expect(given?.type == .unavailable)
            #expect(given?.auditDetail == "webhook: the request was cancelled")
            service.answer(MockService.text(Self.yes))
            let third = try await authorizer.refusal(.test("token"))
            #expect(third == nil)
        }
    }
}
