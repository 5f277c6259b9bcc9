import ContentKeySession
import KeywayTesting
import Testing

/// Tests of clear keys, tokens, and the descriptions of secrets.
@Suite("Keys that need no device, and descriptions of secrets", .timeLimit(.minutes(10)))
struct KeySystemTests {
    private func answer(
        _ system: ContentKeySystem,
        _ response: ContentKeyResponse
    ) async throws -> (KeySession, ContentKeyRequest) {
        let session = KeySession(keySystem: system, device: NoContentProtection(), clock: TestClock())
        await session.processContentKeyRequest(identifier: "k")
        var requests = session.requests.makeAsyncIterator()
        let request = try #require(await requests.next() as? ContentKeyRequest)
        await request.processContentKeyResponse(response)
        return (session, request)
    }

    @Test(
        "A clear key and its IV have 16 bytes each",
        arguments: [(16, 16), (16, nil), (15, 16), (16, 17), (0, nil)]
    )
    func clearKey(keySize: Int, ivSize: Int?) async throws {
        let key = [UInt8](repeating: 7, count: keySize)
        let iv = ivSize.map { [UInt8](repeating: 9, count: $0) }
        let (session, request) = try await answer(
            .clearKey,
            ContentKeyResponse(clearKeyData: key, initializationVector: iv)
        )
        let isGood = keySize == 16 && (ivSize ?? 16) == 16
        #expect(request.status == (isGood ? .receivedResponse : .failed))
        guard isGood else { return #expect(request.error?.code == .wrongResponse) }
        let player = Player()
        try await session.addContentKeyRecipient(player)
        let protected = try await session.contentKey(identifier: "k", for: player).protectedKey
        let clear = try #require(protected as? ClearContentKey)
        #expect(clear.key?.bytes == key)
        #expect(clear.initializationVector?.bytes == iv)
        await session.expire()
        #expect(clear.key == nil)
    }

    @Test("A token is stored until the session ends")
    func token() async throws {
        let (session, request) = try await answer(.authorizationToken, .init(authorizationTokenData: [1, 2]))
        #expect(request.status == .receivedResponse)
        let player = Player()
        try await session.addContentKeyRecipient(player)
        let protected = try await session.contentKey(identifier: "k", for: player).protectedKey
        let token = try #require(protected as? AuthorizationToken)
        #expect(token.token?.bytes == [1, 2])
        await session.expire()
        #expect(token.token == nil)
    }

    @Test("FairPlay Streaming needs a device that supports it")
    func noDevice() async throws {
        let session = KeySession(device: NoContentProtection())
        await session.processContentKeyRequest(identifier: "k")
        var requests = session.requests.makeAsyncIterator()
        let request = try #require(await requests.next())
        let error = await #expect(throws: ContentKeyError.self) {
            try await request.makeStreamingContentKeyRequestData(
                certificate: [1],
                contentIdentifier: [1, 2],
                protocolVersions: [1]
            )
        }
        #expect(error?.code == .unsupportedOperation)
    }

    @Test("The descriptions of a response and a loaded key do not contain its bytes")
    func redaction() async throws {
        let secret = [UInt8](repeating: 0xa7, count: 16)
        let response = ContentKeyResponse(clearKeyData: secret, initializationVector: secret)
        let (session, request) = try await answer(.clearKey, response)
        let player = Player()
        try await session.addContentKeyRecipient(player)
        let key = try await session.contentKey(identifier: "k", for: player)
        let update = ContentKeyEvent.didUpdatePersistableKey(RedactedBytes(secret), identifier: "k")
        for value in [response, request, key, update, RedactedBytes(secret), key.protectedKey as Any] as [Any] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            // A single byte could be part of a memory address.
            let words = text.split { !$0.isLetter && !$0.isNumber }
            #expect(!words.contains("167") && !text.lowercased().contains("a7a7a7a7"), "\(type(of: value))")
        }
    }

    @Test("Errors are equal by code, and describe the component, the reason and Apple's number")
    func errors() {
        let error = ContentKeyError(.persistentKeyOutdated, .device, reason: "format 1", number: -42799)
        #expect(error == ContentKeyError(.persistentKeyOutdated, .response))
        #expect(error != ContentKeyError(.leaseExpired, .device, reason: "format 1", number: -42799))
        #expect("\(error)" == "device: persistent-key-outdated (-42799): format 1")
        #expect(error.retryReason == .receivedObsoleteContentKey)
        #expect(ContentKeyError(.noResponse, .response).retryReason == nil)
    }
}
