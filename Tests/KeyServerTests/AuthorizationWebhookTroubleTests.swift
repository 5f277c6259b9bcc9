import FPSCrypto
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import KeyServer

@Suite("Authorization: a webhook in trouble", .timeLimit(.minutes(10)))
struct AuthorizationWebhookTroubleTests {
    static let yes = AuthorizationWebhookTests.yes

    @Test("Two failures of its gateway are ridden out")
    func retries() async throws {
        try await AskedService.run({ service in
            let isReady = service.count == 3
            return try await AskedService.text(Self.yes, status: isReady ? .ok : .badGateway)(service)
        }) { service in
            let refusal = try await WebhookAuthorizer(service).refusal(.test("token"))
            #expect(refusal == nil)
            #expect(service.count == 3)
        }
    }

    @Test(
        "A service that is silent, or that trickles, is not waited for",
        arguments: [AskedService.silent, AskedService.trickle]
    )
    func slow(handler: @escaping AskedService.Handler) async throws {
        try await AskedService.run(handler) { service in
            var configuration = WebhookConfiguration.test(try service.url())
            configuration.timeout = .milliseconds(200)
            let authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal?.type == .unavailable)
            // A slow answer is not asked for again: it would double the load of a service that has too much of it. On a
            // busy machine the time may be over before the first question has arrived.
            #expect(service.count <= 1)
        }
    }

    @Test(
        "Connections that close, break off or speak something else decide nothing",
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

    @Test("A service that fails is left alone, then asked once, then asked again")
    func breaker() async throws {
        let (clock, metrics) = (AuthorizationClock(), ServerMetrics())
        try await AskedService.run(AskedService.text("", status: .internalServerError)) { service in
            let authorizer = try WebhookAuthorizer(service, metrics: metrics, clock: clock)
            #expect(authorizer.condition.breaker == .closed)
            for _ in 0..<8 {
                let refusal = try await authorizer.refusal(.test("token"))
                #expect(refusal?.type == .unavailable)
            }
            #expect(service.count == 5)
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal?.retryAfter == 10)
            #expect(authorizer.condition.breaker == .open)
            clock.advance(seconds: 10)
            #expect(authorizer.condition.breaker == .halfOpen)
            for _ in 0..<3 { _ = try await authorizer.refusal(.test("token")) }
            #expect(service.count == 6)
            service.answer(AskedService.text(Self.yes))
            clock.advance(seconds: 10)
            for _ in 0..<3 {
                let refusal = try await authorizer.refusal(.test("token"))
                #expect(refusal == nil)
            }
            #expect(service.count == 9)
            #expect(authorizer.condition.breaker == .closed)
            // Each question is measured, and nothing where none was asked.
            let text = await metrics.registry.exposition()
            #expect(text.contains(#"keyway_webhook_seconds_count{end="failed"} 6"#))
            #expect(text.contains(#"keyway_webhook_seconds_count{end="decided"} 3"#))
        }
    }

    @Test("The log tells of failures, and neither token, secret nor path")
    func log() async throws {
        let log = LogRecorder()
        try await AskedService.run(AskedService.text("token-7", status: .internalServerError)) { service in
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

    @Test("A no is an answer like any other: it opens nothing")
    func manyNoes() async throws {
        try await AskedService.run(AskedService.text(#"{"allow":false}"#)) { service in
            let authorizer = try WebhookAuthorizer(service)
            for _ in 0..<10 { _ = try await authorizer.refusal(.test("token")) }
            #expect(service.count == 10)
        }
    }

    @Test(
        "What the service cannot decide about one request holds up no other",
        arguments: [
            (200, "<html>"), (200, #"{"allow":true}"#), (200, yes + String(repeating: " ", count: 65_536)), (204, ""),
            (302, yes), (400, ""), (404, ""), (429, ""),
        ]
    )
    func undecided(status: Int, body: String) async throws {
        try await AskedService.run(AskedService.text(body, status: .init(code: status))) { service in
            let authorizer = try WebhookAuthorizer(service)
            for _ in 0..<8 {
                let refusal = try await authorizer.refusal(.test("a stranger's"))
                #expect(refusal?.type == .unavailable)
            }
            #expect(service.count == 8)
            service.answer(AskedService.text(Self.yes))
            let refusal = try await authorizer.refusal(.test("token"))
            #expect(refusal == nil)
        }
    }

    @Test("Only so many questions are asked at once, and one that nobody waits for is given up")
    func inFlight() async throws {
        try await AskedService.run(AskedService.silent) { service in
            var configuration = WebhookConfiguration.test(try service.url())
            configuration.maximumInFlight = 1
            configuration.timeout = .seconds(30)
            configuration.budget = .seconds(30)
            let authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            let first = Task { try await authorizer.refusal(.test("token")) }
            try await AskedService.eventually { service.count == 1 }
            let second = try await authorizer.refusal(.test("token"))
            #expect(second?.type == .overloaded)
            first.cancel()
            let given = try await first.value
            #expect(given?.type == .unavailable)
            service.answer(AskedService.text(Self.yes))
            let third = try await authorizer.refusal(.test("token"))
            #expect(third == nil)
        }
    }
}
