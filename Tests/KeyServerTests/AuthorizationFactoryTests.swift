import Foundation
import KeyServerModule
import Testing

@testable import KeyServer

@Suite("Authorization: creating the authorizer from the configuration")
struct AuthorizationFactoryTests {
    private typealias Settings = ServerConfiguration.Authorization

    private func authorizer(
        _ settings: ServerConfiguration.Authorization,
        isDevelopment: Bool = false
    ) throws(AuthorizationConfigurationError) -> any PlaybackAuthorizer {
        let pool = BoundedWorkPool(threads: 1, capacity: 1)
        defer { pool.stop() }
        return try AuthorizerFactory.make(
            settings,
            isDevelopment: isDevelopment,
            pool: pool,
            logger: authorizationTestLogger
        )
    }

    private func refusal(_ settings: ServerConfiguration.Authorization) -> String? {
        do { _ = try authorizer(settings) } catch { return error.description }
        return nil
    }

    private func issuer(
        _ change: (inout ServerConfiguration.TokenIssuer) -> Void = { _ in }
    ) -> ServerConfiguration.TokenIssuer {
        var issuer = ServerConfiguration.TokenIssuer()
        (issuer.issuer, issuer.audience, issuer.jwks) = ("https://a", "keyway", "/jwks.json")
        change(&issuer)
        return issuer
    }

    private func webhook(
        _ change: (inout ServerConfiguration.Webhook) -> Void = { _ in }
    ) -> ServerConfiguration.Webhook {
        var webhook = ServerConfiguration.Webhook()
        webhook.url = "https://a"
        change(&webhook)
        return webhook
    }

    @Test("Each setting has its authorizer, and development allows every request unless another is configured")
    func ways() throws {
        var (none, tokens, asked) = (Settings(), Settings(), Settings())
        none.none = true
        tokens.tokens = [issuer(), issuer { $0.issuer = "https://b" }]
        asked.webhook = webhook()
        #expect(try authorizer(none) is OpenAuthorizer)
        #expect(try authorizer(tokens) is JWTAuthorizer)
        #expect(try authorizer(asked) is WebhookAuthorizer)
        #expect(try authorizer(tokens, isDevelopment: true) is JWTAuthorizer)
        #expect(try authorizer(Settings(), isDevelopment: true) is DevelopmentAuthorizer)
        #expect(refusal(Settings())?.contains("authorization is missing") == true)
    }

    @Test("Issuers that cannot be trusted are refused")
    func issuers() {
        func refusal(_ issuers: ServerConfiguration.TokenIssuer...) -> String {
            var settings = Settings()
            settings.tokens = issuers
            return self.refusal(settings) ?? ""
        }
        #expect(refusal(issuer { $0.audience = nil }).contains("has no audience"))
        #expect(refusal(issuer { $0.clockSkew = Seconds(rawValue: 1_200) }).contains("clock skew"))
        #expect(refusal(issuer { $0.algorithms = [] }).contains("no algorithm"))
        #expect(refusal(issuer { $0.jwks = "http://127.0.0.2/" }).contains("https"))
        #expect(refusal(issuer { $0.jwks = "ftp://a/jwks.json" }).contains("https"))
        #expect(refusal(issuer { $0.jwks = "jwks.json" }) == "")
        let published = issuer { ($0.jwks, $0.algorithms) = ("https://a/", [.hs256]) }
        #expect(refusal(published).contains("HS256"))
        #expect(refusal(issuer(), issuer { $0.audience = "other" }).contains("more than once"))
        #expect(refusal(issuer { $0.jwks = "/a://b" }) == "")
    }

    @Test("A webhook has the configured limits, and its secret must be long enough")
    func webhooks() throws {
        func refusal(_ webhook: ServerConfiguration.Webhook) -> String {
            var settings = Settings()
            settings.webhook = webhook
            return self.refusal(settings) ?? ""
        }
        let taken = try WebhookConfiguration(
            webhook { ($0.timeout, $0.retries) = (Seconds(rawValue: 7), 1) },
            secret: nil
        )
        #expect(taken.timeout == .seconds(7) && taken.budget == .seconds(7) && taken.retries == 1)
        #expect(refusal(webhook { $0.url = "http://127.0.0.2:9/x" }).contains("https"))
        #expect(refusal(webhook { $0.retries = 3 }).contains("retries"))
        #expect(refusal(webhook { $0.timeout = Seconds(rawValue: 31) }).contains("timeout"))
        #expect(refusal(webhook { $0.secretFile = "/nowhere/at/all" }).contains("does not exist"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("keyway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("short\n".utf8).write(to: file)
        #expect(chmod(file.path, 0o644) == 0)
        #expect(refusal(webhook { $0.secretFile = file.path }).contains("chmod 600 \(file.path)"))
        #expect(chmod(file.path, 0o600) == 0)
        #expect(refusal(webhook { $0.secretFile = file.path }).contains("fewer than 32 bytes"))
        try Data((String(repeating: "s", count: 32) + "\n").utf8).write(to: file)
        #expect(refusal(webhook { $0.secretFile = file.path }) == "")
    }
}
