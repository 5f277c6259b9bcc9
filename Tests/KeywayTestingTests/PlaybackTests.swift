import ContentKeySession
import KeywayTesting
import Testing
import VirtualDevice

@Suite("Keys of a test key server", .timeLimit(.minutes(10)))
struct PlaybackTests {
    private let server = TestKeyServer()

    @Test("Three lines load a key")
    func threeLines() async throws {
        let server = TestKeyServer()
        let client = server.makeClient()
        let key = try await client.key(for: "skd://movie")
        #expect(key.identifier == "skd://movie")
    }

    @Test(
        "A title plays on a virtual and on a scripted device, with the server's content key",
        arguments: [false, true]
    )
    func plays(isScripted: Bool) async throws {
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        let key = try await client.play("skd://movie/hd")
        #expect(try client.contentKey(of: key) == server.contentKey(for: "movie/hd"))
        #expect(server.requests.map(\.route) == [.certificate, .license])
        #expect(server.requests.map(\.status) == [200, 200])
        #expect(server.requests[1].assetIDs == ["movie/hd"])
        #expect(server.clock.elapsed == .zero)
    }

    @Test("A content key can be set, for media that is already encrypted")
    func contentKey() async throws {
        let key = try #require(
            TestContentKey(key: Array(1...16), initializationVector: [UInt8](repeating: 7, count: 16))
        )
        server.setContentKey(key, for: "movie")
        let client = server.makeClient()
        #expect(try client.contentKey(of: try await client.play("skd://movie")) == key)
        #expect(TestContentKey(key: [1], initializationVector: []) == nil)
    }

    @Test("Keys that are preloaded together share one round trip, and playback needs none", arguments: [false, true])
    func preload(isScripted: Bool) async throws {
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        await client.preload(["skd://movie/video", "skd://movie/audio"])
        #expect(server.requestCount(on: .batch) == 1)
        #expect(server.licenseRoundTrips == 1)
        let batch = try #require(server.requests.last)
        #expect(batch.assetIDs == ["movie/video", "movie/audio"])
        #expect(batch.keys.allSatisfy { $0.isPreload })
        try await client.play("skd://movie/video")
        try await client.play("skd://movie/audio")
        #expect(server.licenseRoundTrips == 1)
    }

    @Test("Each format of a license request gets an answer", arguments: ["raw", "base64", "form", "json"])
    func formats(_ name: String) async throws {
        let formats = [
            "raw": LicenseRequestFormat.raw(), "base64": .base64(), "form": .form(), "json": .json(),
        ]
        var service = server.service()
        service.requestFormat = try #require(formats[name])
        let session = KeySession(device: server.makeDevice(), clock: server.clock)
        let loader = KeyLoader(source: session, service: service, transport: server, clock: server.clock)
        let viewer = Viewer()
        try await session.addContentKeyRecipient(viewer)
        try await server.clock.run {
            async let running: Void = loader.run()
            _ = try await session.contentKey(identifier: "skd://movie", for: viewer)
            await session.expire()
            await running
        }
        #expect(server.requests.last?.status == 200)
    }

    @Test("A lease is renewed while time passes, and ends when the server is down", arguments: [false, true])
    func lease(isScripted: Bool) async throws {
        server.policy = .lease(.seconds(600))
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        let key = try await client.play("skd://movie")
        await server.clock.advance(by: .seconds(3600))
        #expect(server.clock.elapsed == .seconds(3600))
        #expect(server.requests.count { $0.isRenewal } >= 6)
        #expect(try client.contentKey(of: key) == server.contentKey(for: "movie"))
        server.injectAlways(.noConnection)
        await server.clock.advance(by: .seconds(1200))
        #expect(key.stopCause == .leaseExpired)
        let error = #expect(throws: ContentKeyError.self) { try client.contentKey(of: key) }
        #expect(error?.code == .leaseExpired)
    }

    @Test("A policy refuses a key with a reason, and the other keys of a batch load", arguments: [false, true])
    func denial(isScripted: Bool) async throws {
        server.setPolicy(.denied(reason: "subscription-ended"), for: "premium")
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        await client.preload(["skd://free", "skd://premium"])
        #expect(await client.session.hasKey(for: "skd://free") == true)
        #expect(await client.session.hasKey(for: "skd://premium") == false)
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://premium") }
        #expect(failure?.kind == .forbidden)
        #expect(failure?.status == 403)
        #expect(failure?.reason == LogSafeWord("subscription-ended"))
        server.setPolicy(nil, for: "premium")
        try await client.play("skd://premium")
    }

    @Test("An asset that was removed is unknown")
    func removed() async throws {
        server.removeContent("movie")
        let client = server.makeClient()
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie") }
        #expect(failure?.kind == .unknownKey)
    }

    @Test("Over AirPlay the title needs another key, and a policy can deny it", arguments: [false, true])
    func airPlay(isScripted: Bool) async throws {
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        try await client.play("skd://movie")
        await client.setRoute(.airPlay)
        try await client.play("skd://movie")
        #expect(server.requestCount(on: .license) == 2)
        server.policy = .streaming.denyingAirPlay()
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://other") }
        #expect(failure?.reason == LogSafeWord("airplay-denied"))
        await client.setRoute(.local)
        try await client.play("skd://other")
    }

    @Test("Devices that do not meet the security level or HDCP are refused or show nothing")
    func requirements() async throws {
        server.policy = .streaming.requiringMainSecurityLevel()
        let low = server.makeClient(device: server.makeDevice(.appleWatch))
        let failure = await #expect(throws: KeyFailure.self) { try await low.key(for: "skd://movie") }
        #expect(failure?.kind == .forbidden)

        server.policy = .streaming.requiringHDCP(.type1)
        let device = server.makeDevice()
        device.display = .unprotected
        let error = await #expect(throws: ContentKeyError.self) {
            try await server.makeClient(device: device).play("skd://movie")
        }
        #expect(error?.code.rawValue == "output-restricted")
        let scripted = server.makeScriptedDevice()
        scripted.hasProtectedDisplay = false
        let other = await #expect(throws: ContentKeyError.self) {
            try await server.makeClient(device: scripted).play("skd://movie")
        }
        #expect(other?.code.rawValue == "output-restricted")
    }

    @Test("A policy document of the server works")
    func document() async throws {
        server.policy = try TestKeyPolicy(json: #"{"lease": "PT10M"}"#)
        let key = try await server.makeClient().key(for: "skd://movie")
        #expect(key.protectedKey?.leaseRemaining == .seconds(600))
    }

    final class Viewer: ContentKeyRecipient {
        let hasBegunLoading = false
    }
}
