import ContentKeySession
import KeywayTesting
import Synchronization
import Testing

@Suite("Batched requests and the events of waiting recipients", .timeLimit(.minutes(10)))
struct BatchedRequestTests {
    private let session = KeySession(keySystem: .clearKey, device: NoContentProtection(), clock: TestClock())
    private static let key = ContentKeyResponse(clearKeyData: [UInt8](repeating: 1, count: 16))

    @Test("A delegate with the batch method gets the requests in one call, without keys that are loaded or requested")
    func together() async throws {
        let delegate = GatheringDelegate()
        await session.setDelegate(delegate)
        await session.processContentKeyRequest(identifier: "a")
        await session.processContentKeyRequests(identifiers: ["a", "b", "c", "b"], initializationData: [9])
        await session.processContentKeyRequests(identifiers: ["c"], initializationData: [8])
        #expect(delegate.notes.withLock(\.self) == ["a", #"["b", "c"] [9]"#])
    }

    @Test("A delegate without the batch method gets the requests one by one, and so do the sequences")
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

    @Test("The loader is notified when a player starts to wait for a preloaded key")
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
        // A sequence that starts late receives it with the request.
        var late = try #require(session.sourceEvents).makeAsyncIterator()
        guard case .request(let same) = await late.next() else {
            Issue.record("no request")
            return
        }
        #expect(same.id == ahead.id && same.isAwaited)
        await ahead.processContentKeyResponse(Self.key)
        #expect(try await wanted.identifier == "a")
    }

    @Test("A request that a player makes is awaited from the start")
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
