import Foundation
import Synchronization
import Testing

@testable import ContentKeySession

@Suite("A key loader's recovery from failures")
struct KeyFailureTests {
    typealias Answer = ScriptedServer.Answer

    /// A permanent failure, and how the request ends: the last failure and the number of license requests.
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: KeyFailure.Kind
        let answer: @Sendable () -> Answer
        let requests: ClosedRange<Int>
        /// The expected failure; `deadline-exceeded` if the deadline ends the request, or attempts run out.
        let ends: [KeyFailure.Kind]
        var testDescription: String { kind.rawValue }
    }

    static func status(_ status: Int, _ type: String = "x") -> @Sendable () -> Answer {
        { ScriptedServer.problem(status, type) }
    }

    static let rows: [Row] = [
        Row(
            kind: .noConnection,
            answer: { .error(.noConnection) },
            requests: 4...8,
            ends: [.noConnection, .deadlineExceeded]
        ),
        Row(kind: .timeout, answer: { .silence }, requests: 3...4, ends: [.deadlineExceeded]),
        Row(kind: .responseTooLarge, answer: { .error(.tooLarge) }, requests: 1...1, ends: [.responseTooLarge]),
        Row(kind: .badAddress, answer: { .error(.badAddress) }, requests: 1...1, ends: [.badAddress]),
        Row(
            kind: .malformedResponse,
            answer: { .answer(KeyTransportResponse(status: 200, body: Array("<html>".utf8))) },
            requests: 3...3,
            ends: [.malformedResponse]
        ),
        Row(
            kind: .unknownCertificate,
            answer: status(400, "unknown-certificate"),
            requests: 2...2,
            ends: [.unknownCertificate]
        ),
        Row(kind: .badRequest, answer: status(400), requests: 1...1, ends: [.badRequest]),
        Row(kind: .tokenRefused, answer: status(401), requests: 2...2, ends: [.tokenRefused]),
        Row(kind: .forbidden, answer: status(403, "refused-by-policy"), requests: 1...1, ends: [.forbidden]),
        Row(kind: .unknownKey, answer: status(404), requests: 1...1, ends: [.unknownKey]),
        Row(kind: .replayed, answer: status(409, "replayed"), requests: 2...2, ends: [.replayed]),
        Row(kind: .tooManyRequests, answer: status(429), requests: 4...8, ends: [.tooManyRequests, .deadlineExceeded]),
        Row(kind: .serverError, answer: status(500), requests: 4...8, ends: [.serverError, .deadlineExceeded]),
        Row(kind: .overloaded, answer: status(503), requests: 4...8, ends: [.overloaded, .deadlineExceeded]),
        Row(kind: .unexpectedStatus, answer: status(302), requests: 1...1, ends: [.unexpectedStatus]),
    ]

    @Test("each permanent failure ends as its row specifies, within the deadline", arguments: rows)
    func persistent(row: Row) throws {
        let bench = LoaderBench { number, _ in number == 0 ? .good : row.answer() }
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in try await bench.pass(.seconds(60)) }
        #expect(request.answerCount == 1)
        let failure = try #require(request.failures.first)
        #expect(row.ends.contains(failure.kind))
        #expect(row.requests.contains(bench.server.licenses.count), "\(bench.server.licenses.count)")
        let last = try #require(bench.server.licenses.last)
        #expect(last.moment < RetryPolicy().onDemandDeadline)
    }

    @Test(
        "each temporary failure has no effect if the next attempt succeeds",
        arguments: rows.filter { $0.kind.rule.isTemporary }
    )
    func passing(row: Row) throws {
        let bench = LoaderBench { number, _ in number == 1 ? row.answer() : .good }
        let request = bench.session.ask("skd://movie")
        let spcs = row.kind == .unknownCertificate || row.kind == .replayed ? 2 : 1
        try bench.run { bench in
            try await bench.pass(.seconds(60))
            #expect(request.isLoaded)
            #expect(request.spcs.count == spcs)
            #expect(bench.server.certificateFetches == (row.kind == .unknownCertificate ? 2 : 1))
            #expect(bench.tokens.purposes == [.license] + (row.kind == .tokenRefused ? [.refusedToken] : []))
            let errors = await bench.loader.errorLog.entries
            #expect(errors.map(\.failure.kind) == [row.kind])
            #expect(errors.first?.retryAfter != nil)
        }
    }

    @Test("a key URI that does not follow the policy is rejected without a request")
    func badKeyURI() throws {
        let bench = LoaderBench()
        let request = bench.session.ask("https://elsewhere.example/key")
        try bench.run { bench in try await bench.pass(.seconds(1)) }
        #expect(request.failures.map(\.kind) == [.badKeyURI])
        #expect(bench.server.all.isEmpty)
    }

    @Test("a key system that the loader does not support is rejected")
    func unsupported() throws {
        let bench = LoaderBench(session: ScriptedSession(keySystem: .authorizationToken))
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in try await bench.pass(.seconds(1)) }
        #expect(request.failures.map(\.kind) == [.unsupportedKeySystem])
    }

    @Test("a device that creates no SPC ends the request, with the device's error code")
    func spcCreationFailed() throws {
        let bench = LoaderBench()
        let request = bench.session.ask("skd://movie", behavior: .makesNoSPC)
        try bench.run { bench in try await bench.pass(.seconds(1)) }
        #expect(request.failures.map(\.kind) == [.spcCreationFailed])
        #expect(request.failures.first?.code == "no-certificate")
        #expect(request.failures.first?.explanation?.name == "missing-certificate")
        #expect(bench.server.licenses.isEmpty)
    }

    @Test("a rejection of the CKC by the device is final, and logged with the device's error")
    func deviceRefuses() throws {
        let bench = LoaderBench()
        let request = bench.session.ask("skd://movie", behavior: .refusesAnswers)
        try bench.run { bench in
            try await bench.pass(.seconds(1))
            #expect(request.answerCount == 1)
            let entries = await bench.loader.errorLog.entries
            #expect(entries.map(\.failure.kind) == [.ckcRejected] && entries.first?.isFinal == true)
            let failure = await bench.loader.lastFailure(for: "skd://movie")
            #expect(failure?.code == "invalid-ckc" && failure?.platformCode?.number == -42668)
            #expect(failure?.explanation?.name == "invalid-ckc")
            #expect(await bench.loader.accessLog.entries.map(\.kind) == [.certificate])
        }
    }

    @Test("an app without a token is called four times, and then the request ends")
    func noToken() throws {
        let bench = LoaderBench()
        bench.tokens.failures.withLock { $0 = 100 }
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in try await bench.pass(.seconds(60)) }
        #expect(request.failures.map(\.kind) == [.noToken])
        #expect(bench.tokens.purposes.count == 4)
        #expect(bench.server.licenses.isEmpty)
    }

    @Test("Retry-After is respected, and jitter is added to it")
    func retryAfter() throws {
        let bench = LoaderBench { number, _ in
            number == 1 ? ScriptedServer.problem(503, "overloaded", headers: [.init("retry-after", "7")]) : .good
        }
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in try await bench.pass(.seconds(60)) }
        #expect(request.isLoaded)
        let moments = bench.server.licenses.map(\.moment)
        try #require(moments.count == 2)
        let pause = moments[1] - moments[0]
        #expect(pause > .seconds(7) && pause <= .seconds(7.6))
    }

    @Test("a Retry-After beyond the deadline ends the request at once")
    func retryAfterTooLong() throws {
        let bench = LoaderBench { number, _ in
            number == 0 ? .good : ScriptedServer.problem(503, "overloaded", headers: [.init("Retry-After", "600")])
        }
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in
            try await bench.pass(.seconds(1))
            #expect(request.failures.map(\.kind) == [.deadlineExceeded])
            #expect(request.failures.first?.code == "overloaded")
        }
    }

    @Test("a batch that is refused as a whole is retried as a whole")
    func wholeBatch() throws {
        let bench = LoaderBench { number, _ in number == 1 ? ScriptedServer.problem(503, "overloaded") : .good }
        try bench.run { bench in
            await bench.loader.preload((0..<20).map { "skd://key-\($0)" })
            try await bench.pass(.seconds(20))
            #expect(bench.session.all.allSatisfy { $0.isLoaded })
            #expect(bench.server.licenses.map(\.path) == ["/fps/licenses", "/fps/licenses"])
        }
    }

    @Test("twenty keys with an unknown certificate fetch the new one once")
    func oneRefetch() throws {
        let bench = LoaderBench(isBatching: false) { number, _ in
            (1...20).contains(number) ? ScriptedServer.problem(400, "unknown-certificate") : .good
        }
        try bench.run { bench in
            for number in 0..<20 { bench.session.ask("skd://key-\(number)") }
            try await bench.pass(.seconds(5))
            #expect(bench.session.all.allSatisfy { $0.isLoaded })
            #expect(bench.server.certificateFetches == 2)
        }
    }

    @Test("a login page is not accepted as a certificate")
    func noCertificate() throws {
        let bench = LoaderBench { number, _ in
            number == 0 ? .answer(KeyTransportResponse(status: 200, body: Array("<html></html>".utf8))) : .good
        }
        let request = bench.session.ask("skd://movie")
        try bench.run { bench in try await bench.pass(.seconds(60)) }
        #expect(request.failures.map(\.kind) == [.malformedResponse])
        #expect(bench.server.certificateFetches == 3)
    }

    @Test(
        "every status has its row",
        arguments: [
            (400, "x", false, KeyFailure.Kind.badRequest), (400, "unknown-certificate", false, .unknownCertificate),
            (401, "x", false, .tokenRefused), (402, "x", false, .forbidden), (403, "x", false, .forbidden),
            (451, "x", false, .forbidden), (404, "x", false, .unknownKey), (410, "x", false, .unknownKey),
            (404, "", true, .noBatchRoute), (404, "unknown-asset", true, .unknownKey), (405, "", true, .noBatchRoute),
            (405, "", false, .badRequest), (501, "", true, .noBatchRoute), (501, "", false, .serverError),
            (408, "x", false, .timeout), (409, "replayed", false, .replayed), (409, "x", false, .badRequest),
            (413, "x", false, .badRequest), (425, "x", false, .tooManyRequests), (429, "x", false, .tooManyRequests),
            (500, "x", false, .serverError), (502, "x", false, .serverError), (503, "x", false, .overloaded),
            (504, "x", false, .serverError), (599, "x", false, .serverError), (204, "x", false, .unexpectedStatus),
            (301, "x", false, .unexpectedStatus), (700, "x", false, .unexpectedStatus),
        ]
    )
    func statuses(status: Int, type: String, ofBatch: Bool, kind: KeyFailure.Kind) {
        let problem = ServerProblem(type: LogSafeWord(type))
        #expect(KeyFailure.status(status, problem: problem, ofBatch: ofBatch).kind == kind)
    }

    @Test("the documentation contains the table of the code", arguments: KeyFailure.Kind.allCases)
    func documented(kind: KeyFailure.Kind) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let rule = kind.rule
        let cells = [
            "`\(kind.rawValue)`", "`\(rule.remedy.rawValue)`", "`\(rule.pause.rawValue)`",
            rule.limit.map { "\($0)" } ?? "-",
        ]
        let code = try String(
            contentsOf: root.appending(path: "Sources/Client/ContentKeySession/KeyLoader/FailureRule.swift"),
            encoding: .utf8
        )
        #expect(code.contains("/// | " + cells.joined(separator: " | ") + " |"))
        let guide = try String(contentsOf: root.appending(path: "docs/key-loader.md"), encoding: .utf8)
        #expect(guide.contains("\n| " + (cells + [rule.advice]).joined(separator: " | ") + " |"))
    }
}
