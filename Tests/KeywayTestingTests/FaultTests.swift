import ContentKeySession
import KeywayTesting
import Testing

@Suite("Faults of a test key server", .timeLimit(.minutes(10)))
struct FaultTests {
    private let server = TestKeyServer()

    /// Requests a key after the certificate was fetched, and returns the failure; nil if the key was loaded.
    private func failure(_ fault: ServerFault) async throws -> KeyFailure? {
        let client = server.makeClient()
        try await client.key(for: "skd://first")
        server.removeRecords()
        server.injectAlways(fault)
        defer { server.removeFaults() }
        do {
            let key = try await client.play("skd://movie")
            #expect(try client.contentKey(of: key) == server.contentKey(for: "movie"))
            return nil
        } catch let failure as KeyFailure {
            return failure
        }
    }

    @Test("Two requests without a connection are retried; then the key loads")
    func sequence() async throws {
        server.inject(.noConnection, .none, .noConnection)
        let client = server.makeClient()
        try await client.play("skd://movie")
        // The certificate failed, the certificate, the license failed, the license.
        #expect(server.requests.map(\.route) == [.certificate, .certificate, .license, .license])
        #expect(server.requests.map(\.status) == [nil, 200, nil, 200])
    }

    @Test("A fault on a route leaves the other routes alone")
    func route() async throws {
        server.inject(.status(500), on: .license)
        try await server.makeClient().play("skd://movie")
        #expect(server.requests.map(\.status) == [200, 500, 200])
    }

    private static let cases: [(fault: ServerFault, kind: KeyFailure.Kind, status: Int?, attempts: Int)] = [
        (.noConnection, .noConnection, nil, 8),
        (.noResponse, .deadlineExceeded, nil, 3),
        (.captivePortal, .malformedResponse, 200, 3),
        (.emptyBody, .malformedResponse, 200, 3),
        (.oversizedBody, .responseTooLarge, nil, 1),
        (.response(KeyTransportResponse(status: 302)), .unexpectedStatus, 302, 1),
        (.status(500), .serverError, 500, 8),
        (.status(404), .unknownKey, 404, 1),
        (.forbidden(reason: "no-subscription"), .forbidden, 403, 1),
        (.tokenExpired, .tokenRefused, 401, 2),
        (.overloaded(retryAfter: .seconds(60)), .deadlineExceeded, 503, 1),
        (.rateLimited(retryAfter: .seconds(60)), .deadlineExceeded, 429, 1),
        (.refusedLicense(at: 0, reason: "rental-expired"), .forbidden, 403, 1),
    ]

    @Test("Each fault has the failure that the app sees", arguments: cases)
    func failures(fault: ServerFault, kind: KeyFailure.Kind, status: Int?, attempts: Int) async throws {
        let failure = try #require(try await failure(fault))
        #expect(failure.kind == kind)
        #expect(failure.status == status)
        #expect(server.licenseRoundTrips == attempts)
    }

    @Test("The reason of a refusal reaches the app")
    func reason() async throws {
        let failure = try #require(try await failure(.forbidden(reason: "no-subscription")))
        #expect(failure.problem == LogSafeWord("refused-by-policy"))
        #expect(failure.reason == LogSafeWord("no-subscription"))
    }

    @Test("A response is lost after its delay, if the request's timeout is shorter")
    func delays() async throws {
        let client = server.makeClient()
        server.inject(.none, .delay(.seconds(3)))
        try await client.play("skd://slow")
        #expect(server.clock.elapsed == .seconds(3))
        #expect(server.requestCount(on: .license) == 1)
        server.inject(.delay(.seconds(9)))
        try await client.play("skd://slower")
        // 8 seconds are the timeout of an attempt.
        #expect(server.clock.elapsed >= .seconds(11))
        #expect(server.requestCount(on: .license) == 3)
    }

    @Test(
        "Retry-After is obeyed",
        arguments: [ServerFault.rateLimited(retryAfter: .seconds(2)), .overloaded(retryAfter: .seconds(2))]
    )
    func retryAfter(fault: ServerFault) async throws {
        server.inject(fault, on: .license)
        try await server.makeClient().play("skd://movie")
        let times = server.requests.filter { $0.route == .license }.map(\.time)
        try #require(times.count == 2)
        #expect(times[1] - times[0] >= .seconds(2))
    }

    @Test("The device rejects a truncated license and the license of another request", arguments: [false, true])
    func licenses(isScripted: Bool) async throws {
        for fault in [ServerFault.truncatedLicense, .wrongLicense] {
            server.inject(fault, on: .license)
            let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
            let error = await #expect(throws: ContentKeyError.self) { try await client.play("skd://movie") }
            #expect(error?.code.rawValue == "invalid-ckc")
            #expect(error?.number == -42668)
            try await client.play("skd://movie")
        }
    }

    @Test("One refused and one missing license of a batch do not affect the others")
    func batch() async throws {
        let client = server.makeClient()
        server.inject(.refusedLicense(at: 1, reason: "too-young"), on: .batch)
        await client.preload(["skd://movie/a", "skd://movie/b", "skd://movie/c"])
        #expect(await client.session.hasKey(for: "skd://movie/a") == true)
        #expect(await client.session.hasKey(for: "skd://movie/b") == false)
        #expect(await client.session.hasKey(for: "skd://movie/c") == true)
        let failure = await client.loader.errorLog.entries.last?.failure
        #expect(failure?.reason == LogSafeWord("too-young"))

        server.inject(.missingLicense(at: 0), on: .batch)
        await client.preload(["skd://movie/d", "skd://movie/e"])
        // The missing license is requested again.
        #expect(await client.session.hasKey(for: "skd://movie/d") == true)
        #expect(await client.session.hasKey(for: "skd://movie/e") == true)
        #expect(server.requests.suffix(2).map(\.assetIDs) == [["movie/d", "movie/e"], ["movie/d"]])
    }

    @Test("A request without an accepted token is refused; an expired token is replaced")
    func tokens() async throws {
        server.acceptToken("new")
        let failure = await #expect(throws: KeyFailure.self) {
            try await server.makeClient().key(for: "skd://movie")
        }
        #expect(failure?.kind == .tokenRefused)
        #expect(failure?.problem == LogSafeWord("token-missing"))

        server.expireToken("old")
        server.removeRecords()
        let client = server.makeClient { purpose in
            PlaybackToken(purpose == .refusedToken ? "new" : "old")
        }
        try await client.play("skd://movie")
        #expect(server.requests.map(\.token?.value) == [nil, "old", "new"])
        #expect(server.requests.map(\.status) == [200, 401, 200])

        let unknown = server.makeClient { _ in PlaybackToken("another") }
        let other = await #expect(throws: KeyFailure.self) { try await unknown.key(for: "skd://movie") }
        #expect(other?.problem == LogSafeWord("token-signature"))
    }

    @Test("The same SPC gets the same license again, and another SPC another one")
    func retry() async throws {
        let device = server.makeDevice()
        let session = KeySession(device: device, clock: server.clock)
        var bodies: [[UInt8]] = []
        await session.processContentKeyRequest(identifier: "skd://movie")
        var requests = session.requests.makeAsyncIterator()
        let request = try #require(await requests.next())
        for _ in 1...2 {
            let spc = try await request.makeStreamingContentKeyRequestData(
                certificate: server.certificate,
                contentIdentifier: Array("movie".utf8),
                protocolVersions: [1]
            )
            for _ in 1...2 {
                let type = [KeyTransportHeader("Content-Type", "application/octet-stream")]
                let request = KeyTransportRequest(.post, server.url + "/fps/license", headers: type, body: spc)
                bodies.append(try await server.send(request).body)
            }
        }
        #expect(bodies[0] == bodies[1])
        #expect(bodies[2] == bodies[3])
        #expect(bodies[0] != bodies[2])
    }

    @Test("Lasting faults end when they are removed, and records can be removed")
    func removal() async throws {
        server.injectAlways(.status(404), on: .license)
        let client = server.makeClient()
        await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie") }
        server.inject(.status(403))
        server.removeFaults()
        server.removeRecords()
        #expect(server.requests.isEmpty)
        try await client.key(for: "skd://movie")
        #expect(server.requests.map(\.status) == [200])
    }

    @Test("An address of another server gets status 404, and is recorded")
    func misuse() async throws {
        let service = KeyService.keyway("https://keys.example")
        let session = KeySession(device: server.makeDevice(), clock: server.clock)
        let loader = KeyLoader(source: session, service: service, transport: server, clock: server.clock)
        let viewer = PlaybackTests.Viewer()
        try await session.addContentKeyRecipient(viewer)
        let error = await #expect(throws: ContentKeyError.self) {
            try await server.clock.run {
                async let running: Void = loader.run()
                do {
                    _ = try await session.contentKey(identifier: "skd://movie", for: viewer)
                } catch {
                    await session.expire()
                    await running
                    throw error
                }
            }
        }
        #expect(error?.code == .noResponse)
        #expect(server.requests.map(\.route) == [.other])
        let response = try await server.send(KeyTransportRequest(.get, "https://keys.example/fps/certificate"))
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self).contains("This test server has only the routes of"))
    }
}
