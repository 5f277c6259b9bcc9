import ContentKeySession
import KeywayTesting
import Testing

@Suite("Failures of keys", .timeLimit(.minutes(10)))
struct FailureTests {
    private let server = TestKeyServer()

    @Test("The last failure of a key is that of its URI with the query, until the key loads")
    func lastFailure() async throws {
        let client = server.makeClient()
        server.inject(.forbidden(reason: "too-many-streams"), on: .license)
        await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie?track=video") }
        let failure = await client.loader.lastFailure(for: "skd://movie?track=video")
        #expect(failure?.kind == .forbidden && failure?.reason?.description == "too-many-streams")
        #expect(await client.loader.lastFailure(for: "skd://movie?track=audio") == nil)
        try await client.key(for: "skd://movie?track=video")
        #expect(await client.loader.lastFailure(for: "skd://movie?track=video") == nil)
    }

    @Test("The failure of a license for another request has the device's error", arguments: [false, true])
    func wrongLicense(isScripted: Bool) async throws {
        let device: any PersistentKeyDevice = isScripted ? server.makeScriptedDevice() : server.makeDevice()
        let client = server.makeClient(device: device)
        server.injectAlways(.wrongLicense)
        await #expect(throws: ContentKeyError.self) { try await client.key(for: "skd://movie") }
        let failure = await client.loader.lastFailure(for: "skd://movie")
        #expect(failure?.kind == .ckcRejected && failure?.code == ContentKeyError.Code.invalidCKC.rawValue)
        #expect(failure?.platformCode?.number == -42668 && failure?.explanation != nil)
    }

    @Test("The failure of an expired persistent key has the device's error", arguments: [false, true])
    func expiredKey(isScripted: Bool) async throws {
        server.policy = .offline(validity: .seconds(3600))
        let device: any PersistentKeyDevice = isScripted ? server.makeScriptedDevice() : server.makeDevice()
        let keys = TestPersistentKeys()
        let client = server.makeClient(device: device, persistentKeys: keys)
        try await client.key(for: "skd://movie", isPersistable: true)
        await client.end()
        await server.clock.advance(by: .seconds(3601))

        // Without a delegate, the session does not request the key again.
        let session = KeySession(device: device, clock: server.clock, responseTimeout: nil, renewalLead: nil)
        var settings = KeyLoaderSettings()
        settings.persistentKeys = keys
        let loader = KeyLoader(
            source: session,
            service: server.service(),
            transport: server,
            settings: settings,
            clock: server.clock
        )
        let clock = server.clock
        try await clock.run {
            async let running: Void = loader.run()
            await session.processContentKeyRequest(
                identifier: "skd://movie",
                options: ContentKeyRequestOptions(isPersistable: true)
            )
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
            await session.expire()
            await running
        }
        let failure = await loader.lastFailure(for: "skd://movie")
        #expect(failure?.kind == .ckcRejected && failure?.code == ContentKeyError.Code.persistentKeyExpired.rawValue)
        #expect(failure?.platformCode?.number == -42800 && failure?.explanation != nil)
    }
}
