import ContentKeySession
import KeywayTesting
import Testing

@Suite("The scripted device", .timeLimit(.minutes(10)))
struct ScriptedDeviceTests {
    private let server = TestKeyServer()

    @Test("Errors of the device are scripted, for the next request or the next response")
    func errors() async throws {
        let device = server.makeScriptedDevice()
        let client = server.makeClient(device: device)
        device.failNextRequest(with: ContentKeyError(.init(rawValue: "invalid-certificate"), .device, number: -42679))
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie") }
        #expect(failure?.kind == .spcCreationFailed)
        #expect(failure?.code == "invalid-certificate")

        device.rejectNextResponse(with: ContentKeyError(.init(rawValue: "security-level-too-low"), .device))
        let error = await #expect(throws: ContentKeyError.self) { try await client.key(for: "skd://movie") }
        #expect(error?.code.rawValue == "security-level-too-low")
        try await client.play("skd://movie")
        #expect(
            device.keyRequests.map { String(decoding: $0.contentIdentifier, as: UTF8.self) } == [
                "movie", "movie", "movie",
            ]
        )
    }

    @Test("Responses of another server are scripted by their bytes")
    func otherServer() async throws {
        let device = ScriptedDevice()
        let session = KeySession(device: device)
        let viewer = PlaybackTests.Viewer()
        try await session.addContentKeyRecipient(viewer)
        let scripted = ScriptedKey(leaseRemaining: .seconds(90))
        device.accept([1, 2, 3], as: scripted)
        device.reject([4], with: ContentKeyError(.init(rawValue: "invalid-ckc"), .device))
        for answer in [[4], [5], [1, 2, 3]] as [[UInt8]] {
            await session.processContentKeyRequest(identifier: "skd://movie")
            var requests = session.requests.makeAsyncIterator()
            let request = try #require(await requests.next())
            _ = try await request.makeStreamingContentKeyRequestData(
                certificate: [0x30],
                contentIdentifier: Array("movie".utf8),
                protocolVersions: [1]
            )
            let status = await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: answer))
            #expect((status == .receivedResponse) == (answer == [1, 2, 3]))
        }
        let key = try await session.contentKey(identifier: "skd://movie", for: viewer)
        #expect(key.protectedKey === scripted)
        try await key.beginPlayback()
        #expect(scripted.isPlaying)
        await key.revoke()
        #expect(!scripted.isUsable)
    }

    @Test("A display without HDCP is reported, and playback continues with another one")
    func display() async throws {
        server.policy = .streaming.requiringHDCP()
        let device = server.makeScriptedDevice()
        let client = server.makeClient(device: device)
        let key = try await client.play("skd://movie")
        var events = client.session.events.makeAsyncIterator()
        device.hasProtectedDisplay = false
        await client.session.checkExternalProtection()
        #expect(key.externalContentProtectionStatus == .insufficient)
        guard case .externalProtectionStatusDidChange(let changed)? = await events.next() else {
            Issue.record("expected a change of the protection status")
            return
        }
        #expect(changed === key)
        device.hasProtectedDisplay = true
        #expect(key.externalContentProtectionStatus == .sufficient)
    }
}
