import FPSCrypto
import Foundation
import HTTPTypes
import KeyStore
import Logging
import Testing
import TextCoding

@testable import KeyServer

@Suite("Authorization: the webhook", .timeLimit(.minutes(10)))
struct AuthorizationWebhookTests {
    static let secret = SecretBytes(copying: Array("a webhook secret of 32 bytes, no".utf8))
    static let yes = #"{"allow":true,"account":"viewer-1","expires":1700000100}"#

    @Test("The service gets token, asset, address and request, and all fields of the response are used")
    func everything() async throws {
        let answer = """
            {"allow": true, "account": "viewer-1", "expires": 1700000100, "notAfter": 1700000200, "assets": ["movie"],
             "title": "t", "policy": "p", "device": "000102030405060708090a0b0c0d0e0f", "once": true, "tokenId": "id",
             "persist": true, "rentalStart": 1600000000, "reason": null}
            """
        try await MockService.run(MockService.text(answer)) { service in
            var configuration = WebhookConfiguration.test(try service.url("/authorize"))
            configuration.secret = Self.secret
            configuration.allowPolicyOverride = true
            let authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            var request = PlaybackRequest.test("opaque \" token", asset: "movie")
            let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            request.facts.trace = trace
            let authorization = try await authorizer.authorize(request)
            var expected = PlaybackAuthorization(account: "viewer-1", expires: 1_700_000_100)
            expected.notAfter = 1_700_000_200
            expected.assets = ["movie"]
            expected.title = "t"
            expected.policyName = "p"
            expected.allowPolicyOverride = true
            expected.device = Array(0..<16)
            expected.persist = true
            expected.rentalStart = 1_600_000_000
            expected.binding = TokenBindingClaim(
                issuer: "urn:keyway:webhook",
                tokenID: "id",
                expires: 1_700_000_100
            )
            #expect(authorization == expected)

            let (body, headers) = try #require(service.last)
            let question = try JSONValue(parsing: body)
            #expect(
                question
                    == .fields([
                        ("token", .string("opaque \" token")), ("assetId", .string("movie")),
                        ("remoteAddress", .string("192.0.2.1")), ("requestId", .string("request-1")),
                    ])
            )
            #expect(headers[.contentType] == "application/json")
            #expect(headers[HTTPField.Name("traceparent")!] == trace.traceparent)
            let signature = WebhookSignature.value(body: body, time: 1_700_000_000, secret: Self.secret)
            #expect(headers[HTTPField.Name("Keyway-Signature")!] == signature)
        }
    }

    @Test("The signature is HMAC-SHA256 over time and body, as in another implementation")
    func signature() {
        let value = WebhookSignature.value(body: Array(#"{"a":1}"#.utf8), time: 1_700_000_000, secret: Self.secret)
        #expect(value == "t=1700000000,v1=6f12ed2eebfefec5c0fe3a9ca4c63f976f0b95fce399809c83cd442b1d2ce4cd")
    }

    @Test(
        "Everything but a clear permission is a refusal or no decision",
        arguments: [
            (200, #"{"allow":false}"#, ProblemType.forbidden, 1),
            (200, #"{"allow":false,"reason":"late"}"#, .forbidden, 1),
            (401, yes, .unauthorized, 1), (403, yes, .forbidden, 1),
            (200, #"{"allow":true,"account":"a","expires":1700000000}"#, .tokenExpired, 1),
            (200, #"{"allow":true,"account":"a","expires":1700000100,"notAfter":1}"#, .tokenExpired, 1),
            (200, #"{"allow":true,"account":"a","expires":1700000100,"assets":["b"]}"#, .tokenAsset, 1),
            (200, #"{"allow":true}"#, .unavailable, 1), (200, #"{"allow":"true"}"#, .unavailable, 1),
            (200, #"{"allow":true,"account":"a"}"#, .unavailable, 1),
            (200, #"{"allow":true,"expires":1700000100}"#, .unavailable, 1),
            (200, #"{"allow":true,"account":"","expires":1700000100}"#, .unavailable, 1),
            (200, #"{"allow":true,"account":"a","expires":1700000100,"notafter":1}"#, .unavailable, 1),
            (200, #"{"allow":true,"account":"a","expires":1700000100,"once":true}"#, .unavailable, 1),
            (200, #"{"account":"a","expires":1700000100}"#, .unavailable, 1),
            (200, "", .unavailable, 1), (200, "yes", .unavailable, 1), (200, "[]", .unavailable, 1),
            (200, "<html>", .unavailable, 1), (200, yes + yes, .unavailable, 1),
            (200, yes + String(repeating: " ", count: 65_536), .unavailable, 1),
            (200, String(repeating: "[", count: 1_000), .unavailable, 1),
            (201, yes, .unavailable, 1), (204, "", .unavailable, 1), (302, yes, .unavailable, 1),
            (307, yes, .unavailable, 1), (400, yes, .unavailable, 1), (404, yes, .unavailable, 1),
            (429, yes, .unavailable, 1), (500, yes, .unavailable, 1),
            (502, yes, .unavailable, 3), (503, yes, .unavailable, 3), (504, yes, .unavailable, 3),
        ]
    )
    func answers(status: Int, body: String, type: ProblemType, questions: Int) async throws {
        let headers: HTTPFields = [.location: "/other"]
        let handler = MockService.text(body, status: .init(code: status), headers: headers)
        try await MockService.run(handler) { service in
            let refusal = try await WebhookAuthorizer(service).refusal(.test("token", asset: "movie"))
            #expect(refusal?.type == type)
            #expect(service.count == questions)
            if status == 401 || status == 403 { #expect(refusal?.auditDetail == "webhook: status \(status)") }
        }
    }

    @Test("The reason of a refusal may be long or have line breaks, and is converted to one line")
    func reasonInLines() async throws {
        let lines = #"first\r\nX-Injected: 1\u0000\u2028second"# + String(repeating: "ä", count: 600)
        try await MockService.run(MockService.text(#"{"allow":false,"reason":"\#(lines)"}"#)) { service in
            let refusal = try #require(try await WebhookAuthorizer(service).refusal(.test("token")))
            #expect(refusal.type == .forbidden)
            #expect(refusal.reason?.hasPrefix("first  X-Injected: 1  second") == true)
            let audited = try #require(refusal.auditDetail)
            #expect(audited.utf8.count <= 1_010)
            #expect(audited.hasSuffix("ä"))
            for text in [refusal.reason, audited] {
                #expect(text?.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 } == false)
            }
        }
    }

    @Test("The reason of a refusal is complete in the audit log and truncated for the client")
    func reason() async throws {
        let reason = String(repeating: "ä", count: 300)
        try await MockService.run(MockService.text(#"{"allow":false,"reason":"\#(reason)"}"#)) { service in
            let refusal = try #require(try await WebhookAuthorizer(service).refusal(.test("token")))
            #expect(refusal.reason == String(repeating: "ä", count: 50))
            #expect(refusal.auditDetail == "webhook: \(reason)")
        }
    }

    @Test("Without a token no request is sent unless configured; a token that is too large is not sent")
    func tokens() async throws {
        try await MockService.run(MockService.text(Self.yes)) { service in
            var configuration = WebhookConfiguration.test(try service.url())
            var authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            var refusal = try await authorizer.refusal(.test(nil))
            #expect(refusal?.type == .tokenMissing)
            refusal = try await authorizer.refusal(.test(String(repeating: "a", count: 8_193)))
            #expect(refusal?.type == .tokenMalformed)
            #expect(service.count == 0)
            configuration.allowMissingToken = true
            authorizer = try WebhookAuthorizer(configuration, http: .patient, logger: authorizationTestLogger)
            refusal = try await authorizer.refusal(.test(""))
            #expect(refusal == nil)
            let question = try JSONValue(parsing: try #require(service.last).body)
            #expect(
                question == .fields([("remoteAddress", .string("192.0.2.1")), ("requestId", .string("request-1"))])
            )
        }
    }

    @Test(
        "The configuration determines whether requests without a token are sent, and whether responses may loosen policies"
    )
    func configured() async throws {
        try await MockService.run(MockService.text(Self.yes)) { service in
            let text = """
                data: d
                authorization:
                  webhook:
                    {url: '\(try service.url().text)', secretFile: /s, timeout: PT30S, allowMissingToken: true, allowPolicyOverride: true}
                """
            let loaded = try LoadedConfiguration.load(text: text)
            #expect(loaded.warnings.map(\.path).contains("authorization.webhook.allowPolicyOverride"))
            var configuration = loaded.configuration.authorization
            configuration.webhook?.secretFile = nil
            let pool = BoundedWorkPool(threads: 1, capacity: 0)
            defer { pool.stop() }
            let authorizer = try AuthorizerFactory.make(
                configuration,
                isDevelopment: false,
                pool: pool,
                logger: authorizationTestLogger
            )
            let authorization = try await authorizer.authorize(.test(nil))
            #expect(authorization.allowPolicyOverride)
            #expect(service.count == 1)
            let headers = try #require(service.last).headers
            // Without a trace of the caller, a new one starts.
            #expect(TraceContext(traceparent: headers[HTTPField.Name("traceparent")!]).parentID != nil)
        }
    }

    @Test("A configuration that is out of bounds is refused")
    func bounds() throws {
        let url = try OutgoingURL("https://a/")
        let changes: [(inout WebhookConfiguration) -> Void] = [
            { $0.secret = SecretBytes(copying: [1, 2, 3]) }, { $0.timeout = .zero }, { $0.budget = .seconds(1) },
            { $0.retries = 3 }, { $0.retries = -1 }, { $0.maximumInFlight = 0 }, { $0.failuresToOpen = 0 },
        ]
        for change in changes {
            var configuration = WebhookConfiguration(url: url)
            change(&configuration)
            #expect(throws: AuthorizationConfigurationError.self) { try configuration.validate() }
        }
    }
}

extension WebhookConfiguration {
    /// A configuration with long timeouts, so that a busy machine does not affect the result.
    static func test(_ url: OutgoingURL) -> Self {
        var configuration = Self(url: url)
        configuration.timeout = .seconds(30)
        configuration.budget = .seconds(60)
        configuration.retryDelay = .milliseconds(1)
        return configuration
    }
}

extension WebhookAuthorizer {
    /// Sends a request to a service with long timeouts.
    convenience init(
        _ service: MockService,
        metrics: ServerMetrics? = nil,
        clock: AuthorizationClock = AuthorizationClock()
    ) throws {
        try self.init(
            .test(try service.url()),
            http: .patient,
            logger: authorizationTestLogger,
            metrics: metrics,
            clock: clock.now
        )
    }
}
