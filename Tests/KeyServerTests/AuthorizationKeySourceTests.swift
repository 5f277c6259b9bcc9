import Foundation
import Glibc
import HTTPTypes
import Logging
import Testing

@testable import KeyServer

@Suite("Authorization: keys from files and URLs", .timeLimit(.minutes(10)))
struct AuthorizationKeySourceTests {
    private func authorizer(_ source: JWKSSource, _ clock: AuthorizationClock, logger: Logger = authorizationTestLogger)
        throws
        -> JWTAuthorizer
    {
        let issuer = TokenIssuer(
            issuer: "https://issuer.example",
            audience: "keyway",
            keys: source,
            algorithms: [.es256],
            clockSkew: 30
        )
        return try JWTAuthorizer(
            issuers: [issuer],
            pool: nil,
            timeout: .seconds(120),
            http: .patient,
            logger: logger,
            clock: clock.now
        )
    }

    private func set(_ keys: FreshKey...) -> String { #"{"keys":[\#(keys.map(\.jwk).joined(separator: ","))]}"# }

    @Test("A new key is found by its ID, and a withdrawn one is removed")
    func rotation() async throws {
        let (old, new, clock) = (FreshKey(id: "old"), FreshKey(id: "new"), AuthorizationClock())
        let (oldToken, newToken) = (try await old.token(), try await new.token())
        try await MockService.run(MockService.text(set(old))) { service in
            let authorizer = try authorizer(.url(try service.url("/jwks")), clock)
            var refusal = try await authorizer.refusal(.test(oldToken))
            #expect(refusal == nil)
            service.answer(MockService.text(set(new)))
            clock.advance(seconds: 29)
            refusal = try await authorizer.refusal(.test(newToken))
            #expect(refusal?.type == .tokenUnknownKey)
            #expect(service.count == 1)
            clock.advance(seconds: 1)
            refusal = try await authorizer.refusal(.test(newToken))
            #expect(refusal == nil)
            refusal = try await authorizer.refusal(.test(oldToken))
            #expect(refusal?.type == .tokenUnknownKey)
            #expect(service.count == 2)
        }
    }

    @Test("Keys are fetched again in the background after the source's cache lifetime")
    func background() async throws {
        let (old, new, clock) = (FreshKey(id: "old"), FreshKey(id: "new"), AuthorizationClock())
        let token = try await old.token()
        let fresh = MockService.text(set(old), headers: [.cacheControl: "public, max-age=600"])
        try await MockService.run(fresh) { service in
            let authorizer = try authorizer(.url(try service.url()), clock)
            #expect(authorizer.condition.keyAges.isEmpty)
            let unready = await authorizer.warmUp()
            #expect(unready.isEmpty)
            #expect(Array(authorizer.condition.keyAges.values) == [.zero])
            clock.advance(seconds: 599)
            #expect(Array(authorizer.condition.keyAges.values) == [.seconds(599)])
            var refusal = try await authorizer.refusal(.test(token))
            #expect(refusal == nil && service.count == 1)
            service.answer(MockService.text(set(new)))
            clock.advance(seconds: 1)
            refusal = try await authorizer.refusal(.test(token))
            #expect(refusal == nil)
            try await eventually("the key is no longer known") {
                try await authorizer.refusal(.test(token))?.type == .tokenUnknownKey
            }
            #expect(service.count == 2)
            #expect(Array(authorizer.condition.keyAges.values) == [.zero])
        }
    }

    @Test("A burst of requests causes one fetch")
    func herd() async throws {
        let (key, clock) = (FreshKey(id: "a"), AuthorizationClock())
        let (token, text) = (try await key.token(), set(key))
        try await MockService.run({ service in
            await service.gate.wait()
            return try await MockService.text(text)(service)
        }) { service in
            let authorizer = try authorizer(.url(try service.url()), clock)
            try await withThrowingTaskGroup(of: ProblemDocument?.self) { tasks in
                for _ in 0..<50 { tasks.addTask { try await authorizer.refusal(.test(token)) } }
                try await eventually("the keys are requested") { service.count > 0 }
                service.gate.open()
                for try await refusal in tasks { #expect(refusal == nil) }
            }
            #expect(service.count == 1)
        }
    }

    @Test(
        "A source that fails leaves the previous keys in use, for a day",
        arguments: [
            "500", "404", "redirect", "garbage", "empty set", "weak key", "huge", "204",
        ]
    )
    func failing(kind: String) async throws {
        let (key, clock, log) = (FreshKey(id: "a"), AuthorizationClock(), LogRecorder())
        let (token, good) = (try await key.token(), set(key))
        let handler: MockService.Handler =
            switch kind {
            case "500": MockService.text(good, status: .internalServerError)
            case "404": MockService.text(good, status: .notFound)
            case "redirect": MockService.text(good, status: .found, headers: [.location: "/other"])
            case "garbage": MockService.text("<html>")
            case "empty set": MockService.text(#"{"keys":[]}"#)
            case "weak key": MockService.text(#"{"keys":[\#(TestTokens.weakRSAKey)]}"#)
            case "huge": MockService.text(good + String(repeating: " ", count: 262_144))
            default: MockService.text("", status: .noContent)
            }
        try await MockService.run(handler) { service in
            let logger = Logger(label: "test") { _ in log }
            let authorizer = try authorizer(.url(try service.url("/a?secret=x")), clock, logger: logger)
            var refusal = try await authorizer.refusal(.test(token))
            #expect(refusal?.type == .unavailable)
            #expect(refusal?.auditDetail == "no keys of issuer https://issuer.example")
            let unready = await authorizer.warmUp()
            #expect(unready == ["https://issuer.example"])
            // While the source is known to fail, it is not queried for each request.
            #expect(service.count == 1)

            service.answer(MockService.text(good))
            clock.advance(seconds: 5)
            refusal = try await authorizer.refusal(.test(token))
            #expect(refusal == nil)

            service.answer(handler)
            clock.advance(seconds: 86_399)
            refusal = try await authorizer.refusal(.test(token))
            #expect(refusal == nil)
            clock.advance(seconds: 1)
            refusal = try await authorizer.refusal(.test(token))
            #expect(refusal?.type == .unavailable)

            service.answer(MockService.text(good))
            clock.advance(seconds: 30)
            refusal = try await authorizer.refusal(.test(token))
            #expect(refusal == nil)
            #expect(log.text.contains("could not be fetched") && !log.text.contains("secret"))
        }
    }

    @Test("A closed port is a source that does not respond")
    func noServer() async throws {
        let authorizer = try authorizer(.url(try OutgoingURL("http://127.0.0.1:1/")), AuthorizationClock())
        let refusal = try await authorizer.refusal(.test(try await FreshKey(id: "a").token()))
        #expect(refusal?.type == .unavailable)
    }

    @Test("A file is read again after a change, and an invalid one leaves the previous keys in use")
    func file() async throws {
        let (old, new, clock) = (FreshKey(id: "old"), FreshKey(id: "new"), AuthorizationClock())
        let (oldToken, newToken) = (try await old.token(), try await new.token())
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path
        defer { unlink(path) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
        let authorizer = try authorizer(.file(path: path, isSecret: false), clock)

        var refusal = try await authorizer.refusal(.test(oldToken))
        #expect(refusal?.type == .unavailable)
        try write(set(old))
        refusal = try await authorizer.refusal(.test(oldToken))
        #expect(refusal?.type == .unavailable)
        clock.advance(seconds: 5)
        refusal = try await authorizer.refusal(.test(oldToken))
        #expect(refusal == nil)

        try write(set(new))
        clock.advance(seconds: 4)
        refusal = try await authorizer.refusal(.test(newToken))
        #expect(refusal?.type == .tokenUnknownKey)
        clock.advance(seconds: 1)
        refusal = try await authorizer.refusal(.test(newToken))
        #expect(refusal == nil)

        for broken in ["{", "", String(repeating: " ", count: 300_000)] {
            try write(broken)
            clock.advance(seconds: 100)
            refusal = try await authorizer.refusal(.test(newToken))
            #expect(refusal == nil)
        }
        unlink(path)
        clock.advance(seconds: 86_000)
        refusal = try await authorizer.refusal(.test(newToken))
        #expect(refusal == nil)
        clock.advance(seconds: 1_000)
        refusal = try await authorizer.refusal(.test(newToken))
        #expect(refusal?.type == .unavailable)
        try write(set(old))
        clock.advance(seconds: 5)
        refusal = try await authorizer.refusal(.test(oldToken))
        #expect(refusal == nil)
    }

    @Test("A file with secrets that other users can read is not used until its mode is changed")
    func secretFile() async throws {
        let (key, clock, log) = (FreshKey(id: "a"), AuthorizationClock(), LogRecorder())
        let token = try await key.token()
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path
        defer { unlink(path) }
        try Data(set(key).utf8).write(to: URL(filePath: path))
        #expect(chmod(path, 0o644) == 0)
        let logger = Logger(label: "test") { _ in log }
        let authorizer = try authorizer(.file(path: path, isSecret: true), clock, logger: logger)
        var refusal = try await authorizer.refusal(.test(token))
        #expect(refusal?.type == .unavailable)
        #expect(log.text.contains("chmod 600 \(path)"))
        #expect(chmod(path, 0o600) == 0)
        clock.advance(seconds: 5)
        refusal = try await authorizer.refusal(.test(token))
        #expect(refusal == nil)
        // A changed mode is detected although time and size are unchanged.
        #expect(chmod(path, 0o644) == 0)
        clock.advance(seconds: 86_401)
        refusal = try await authorizer.refusal(.test(token))
        #expect(refusal?.type == .unavailable)
    }

    @Test("A path that is not a regular file does not block the server")
    func noFile() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID())").path
        mkfifo(path, 0o600)
        defer { unlink(path) }
        let token = try await FreshKey(id: "a").token()
        for path in [path, "/dev/zero", "/", "/nonexistent", ""] {
            let refusal = try await authorizer(.file(path: path, isSecret: false), AuthorizationClock()).refusal(
                .test(token)
            )
            #expect(refusal?.type == .unavailable)
        }
    }
}
