import ContentKeySession
import KeywayTesting
import Testing

@Suite("Persistent keys of a test key server", .timeLimit(.minutes(10)))
struct OfflineTests {
    private let server = TestKeyServer()
    private static let day = Duration.seconds(86_400)

    private func device(_ isScripted: Bool) -> any PersistentKeyDevice {
        isScripted ? server.makeScriptedDevice() : server.makeDevice()
    }

    @Test("A stored key plays without a network, expires, and is refreshed online", arguments: [false, true])
    func story(isScripted: Bool) async throws {
        server.policy = .offline(storage: Self.day * 30, playback: Self.day * 2)
        let device = device(isScripted)
        let first = server.makeClient(device: device)
        _ = try await first.key(for: "skd://movie", isPersistable: true)
        let stored = try #require(await first.persistentKeys.key(for: "skd://movie"))
        await first.end()

        // The app is launched again, on a plane.
        server.removeRecords()
        server.injectAlways(.noConnection)
        await server.clock.advance(by: Self.day * 29)
        let second = server.makeClient(device: device, persistentKeys: first.persistentKeys)
        let key = try await second.play("skd://movie", isPersistable: true)
        #expect(try second.contentKey(of: key) == server.contentKey(for: "movie"))
        #expect(server.requests.isEmpty)
        // First playback replaces the key.
        #expect(await second.persistentKeys.key(for: "skd://movie") != stored)
        await second.end()

        // The playback period ends. Without a network there is no key; online there is a new one.
        await server.clock.advance(by: Self.day * 2)
        let third = server.makeClient(device: device, persistentKeys: first.persistentKeys)
        await #expect(throws: KeyFailure.self) { try await third.play("skd://movie", isPersistable: true) }
        server.removeFaults()
        let fourth = server.makeClient(device: device, persistentKeys: first.persistentKeys)
        let renewed = try await fourth.play("skd://movie", isPersistable: true)
        #expect(try fourth.contentKey(of: renewed) == server.contentKey(for: "movie"))
        #expect(server.requests.last?.keys.map(\.isPersistable) == [true])
    }

    @Test("A key that was not played within its storage period is refused by the device", arguments: [false, true])
    func storagePeriod(isScripted: Bool) async throws {
        server.policy = .offline(storage: Self.day, playback: Self.day)
        let device = device(isScripted)
        let client = server.makeClient(device: device)
        _ = try await client.key(for: "skd://movie", isPersistable: true)
        let stored = try #require(await client.persistentKeys.key(for: "skd://movie"))
        let facts = try await device.facts(ofPersistableKey: stored)
        #expect(facts.storage == 86_400)
        #expect(facts.playback == 86_400)
        #expect(facts.hasDualExpiry)
        await client.end()
        await server.clock.advance(by: Self.day)
        let error = await #expect(throws: ContentKeyError.self) {
            try await device.loadPersistableKey(stored, session: device.makeSessionIdentifier())
        }
        #expect(error?.code == .persistentKeyExpired)
        #expect(error?.number == -42800)
    }

    @Test("A policy without persistence, and AirPlay, give an online key", arguments: [false, true])
    func onlineInstead(isScripted: Bool) async throws {
        let keys = TestPersistentKeys()
        let client = server.makeClient(device: device(isScripted), persistentKeys: keys)
        _ = try await client.key(for: "skd://movie", isPersistable: true)
        #expect(keys.keys.isEmpty)
        server.policy = .offline
        await client.setRoute(.airPlay)
        _ = try await client.key(for: "skd://other", isPersistable: true)
        #expect(keys.keys.isEmpty)
        await client.setRoute(.local)
        _ = try await client.key(for: "skd://third", isPersistable: true)
        #expect(keys.keys.keys.sorted() == ["skd://third"])
    }

    @Test("A report and a proof of deletion reach the server; a challenge is valid once", arguments: [false, true])
    func reports(isScripted: Bool) async throws {
        server.policy = .offline(storage: Self.day * 30, playback: Self.day * 2)
        let device = device(isScripted)
        let client = server.makeClient(device: device)
        _ = try await client.key(for: "skd://movie", isPersistable: true)
        let stored = try #require(await client.persistentKeys.key(for: "skd://movie"))
        await server.clock.advance(by: Self.day)

        var context = ServerPlaybackContext(certificate: server.certificate, serverChallenge: 0)
        let report = try await client.session.makeSecureTokenForExpirationDate(
            ofPersistableContentKey: stored,
            context: context
        )
        #expect(try await send(report) == 200)
        #expect(server.offlineKeyReports.map(\.remaining) == [Self.day * 29])
        #expect(server.offlineKeyReports.map(\.assetID) == ["movie"])

        context.serverChallenge = try await challenge()
        let proof = try await client.session.invalidatePersistableContentKey(stored, context: context)
        #expect(try await send(proof) == 200)
        #expect(server.offlineKeyReports.last?.provesDeletion == true)
        #expect(try await send(proof) == 403)
        await #expect(throws: ContentKeyError.self) {
            try await device.loadPersistableKey(stored, session: device.makeSessionIdentifier())
        }
    }

    private func send(_ message: [UInt8]) async throws -> Int {
        let type = [KeyTransportHeader("Content-Type", "application/octet-stream")]
        let request = KeyTransportRequest(.post, server.url + "/fps/license", headers: type, body: message)
        return try await server.send(request).status
    }

    private func challenge() async throws -> UInt64 {
        let response = try await server.send(KeyTransportRequest(.post, server.url + "/fps/challenge"))
        let parts = String(decoding: response.body, as: UTF8.self).split(separator: "\"")
        let digits = parts.first { $0.count == 16 && UInt64($0, radix: 16) != nil }
        return try #require(digits.flatMap { UInt64($0, radix: 16) })
    }
}
