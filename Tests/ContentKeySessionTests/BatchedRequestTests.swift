import ContentKeySession
import Synchronization
import Testing

@Suite("Requests that are asked for together, and who waits for them", .timeLimit(.minutes(10)))
struct BatchedRequestTests {
    private let session = KeySession(keySystem: .clearKey, device: NoContentProtection())
    private static let key = ContentKeyResponse(clearKeyData: [UInt8](repeating: 1, count: 16))

    @Test("A delegate that takes them together gets them in one call, without those that are there or asked for")
    func together() async throws {
        let delegate = GatheringDelegate()
        await session.setDelegate(delegate)
        await session.processContentKeyRequest(identifier: "a")
        await session.processContentKeyRequests(identifiers: ["a", "b", "c", "b"], initializationData: [9])
        await session.processContentKeyRequests(identifiers: ["c"], initializationData: [8])
        #expect(delegate.notes.withLock(\.self) == ["a", #"["b", "c"] [9]"#])
    }

    @Test("A delegate that does not gets them one by one, and so do the sequences")
    func oneByOne() async throws {
        let delegate = RecordingDelegate()
        await session.setDelegate(delegate)
        await session.processContentKeyRequests(identifiers: ["a", "b"], initializationData: [9])
        #expect(delegate.notes.withLock(\.self) == ["request 1", "request 2"])
        var requests = session.requests.makeAsyncIterator()
        for identifier in ["a", "b"] {
            let request = try #require(await requests.next() as? ContentKeyRequest)
            #expect(request.identifier == identifier)
            #expect(request.initializationData == [9])
        }
    }

    @Test("Who answers is told when a player begins to wait for a key that was asked for ahead")
    func awaited() async throws {
        let player = Player()
        try await session.addContentKeyRecipient(player)
        var events = try #require(session.sourceEvents).makeAsyncIterator()
        await session.processContentKeyRequest(identifier: "a", options: .init(isPreload: true))
        guard case .request(let ahead) = await events.next() else {
            Issue.record("no request")
            return
        }
        #expect(!ahead.isAwaited)
        async let wanted = session.contentKey(identifier: "a", for: player)
        guard case .awaited(ahead.id) = await events.next() else {
            Issue.record("not told")
            return
        }
        #expect(ahead.isAwaited)
        // What begins late sees it in the request.
        var late = try #require(session.sourceEvents).makeAsyncIterator()
        guard case .request(let same) = await late.next() else {
            Issue.record("no request")
            return
        }
        #expect(same.id == ahead.id && same.isAwaited)
        await ahead.processContentKeyResponse(Self.key)
        #expect(try await wanted.identifier == "a")
    }

    @Test("A request that a player makes is awaited from the beginning")
    func fromTheBeginning() async throws {
        let player = Player()
        try await session.addContentKeyRecipient(player)
        var events = try #require(session.sourceEvents).makeAsyncIterator()
        async let wanted = session.contentKey(identifier: "a", for: player)
        guard case .request(let request) = await events.next() else {
            Issue.record("no request")
            return
        }
        #expect(request.isAwaited)
        await request.processContentKeyResponse(Self.key)
        _ = try await wanted
        await session.expire()
        #expect(await events.next() == nil)
    }
}
