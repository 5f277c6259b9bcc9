import AVFoundation
import AVFoundationTesting
import Foundation
import Testing

/// Rules 1 to 11: the session and its delegate.
@Suite struct KeySessionTests {
    @Test("Rule 1: a key system that is not supported raises")
    func unsupported() {
        let system = AppleSystem(device: nil)
        AppleSystem.$current.withValue(system) {
            _ = AVContentKeySession(keySystem: .clearKey)
            #expect(system.takeExceptions().isEmpty)
            _ = AVContentKeySession(keySystem: .fairPlayStreaming)
            #expect(system.takeExceptions().map(\.name) == [.invalidArgument])
        }
    }

    @Test("Rule 2: a FairPlay session raises in the Simulator, with the switch", arguments: [false, true])
    func simulator(isSimulator: Bool) async throws {
        try await KeyScene.run(.clearKey, switches: { $0.isSimulator = isSimulator }) { scene in
            _ = AVContentKeySession(keySystem: .fairPlayStreaming)
            #expect(scene.system.takeExceptions().map(\.name) == (isSimulator ? [.invalidArgument] : []))
        }
    }

    @Test(
        "Rule 3: a clear key session receives no requests in the Simulator, with the switch",
        arguments: [false, true]
    )
    func clearKeyInSimulator(isSimulator: Bool) async throws {
        try await KeyScene.run(.clearKey, switches: { $0.isSimulator = isSimulator }) { scene in
            _ = await scene.need("https://example.com/key")
            #expect(scene.delegate.requests.count == (isSimulator ? 0 : 1))
        }
    }

    @Test("Rule 4: a delegate needs a queue; nil and nil detach it")
    func queue() async throws {
        try await KeyScene.run { scene in
            scene.session.setDelegate(RecordingDelegate(), queue: nil)
            #expect(scene.system.takeExceptions().map(\.name) == [.invalidArgument])
            #expect(scene.session.delegate === scene.delegate)
            scene.session.setDelegate(nil, queue: nil)
            #expect(scene.session.delegate == nil)
        }
    }

    @Test("Rule 5: the session does not keep its delegate")
    func weakDelegate() async throws {
        try await KeyScene.run { scene in
            var delegate: RecordingDelegate? = RecordingDelegate()
            scene.session.setDelegate(delegate, queue: .main)
            #expect(scene.session.delegate != nil)
            delegate = nil
            #expect(scene.session.delegate == nil)
        }
    }

    @Test("Rule 6: calls arrive on the queue of the delegate, after the call that caused them")
    func queueOfCalls() async throws {
        try await KeyScene.run { scene in
            let queue = DispatchQueue(label: "checked")
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let delegate = QueueDelegate(key)
            scene.session.setDelegate(delegate, queue: queue)
            queue.sync {
                // The queue is busy, so a call inside of this one would be seen here.
                scene.session.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
                #expect(delegate.calls.isEmpty)
            }
            await scene.system.settle()
            #expect(delegate.calls == [true])
        }
    }

    @Test("Rule 7: without a delegate, no request is delivered")
    func noDelegate() async throws {
        try await KeyScene.run { scene in
            scene.session.setDelegate(nil, queue: nil)
            let needed = await scene.need()
            await scene.system.advance(by: .seconds(60))
            #expect(scene.delegate.requests.isEmpty)
            #expect(needed.error != nil)
        }
    }

    @Test("Rule 8: a released session makes no more calls")
    func released() async throws {
        try await KeyScene.run { scene in
            let queue = DispatchQueue(label: "held")
            let delegate = RecordingDelegate()
            var session: AVContentKeySession? = AVContentKeySession(keySystem: .fairPlayStreaming)
            session?.setDelegate(delegate, queue: queue)
            queue.suspend()
            session?.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            session = nil
            queue.resume()
            await scene.system.settle()
            #expect(delegate.calls.isEmpty)
        }
    }

    @Test("Rule 9: using a request after its session was released raises")
    func requestOfReleasedSession() async throws {
        try await KeyScene.run { scene in
            let delegate = RecordingDelegate()
            var session: AVContentKeySession? = AVContentKeySession(keySystem: .fairPlayStreaming)
            session?.setDelegate(delegate, queue: DispatchQueue(label: "delegate"))
            session?.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.settle()
            let request = try delegate.last()
            session = nil
            request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: Data()))
            #expect(scene.system.takeExceptions().map(\.name) == [.invalidArgument])
            request.processContentKeyResponseError(NSError(domain: "app", code: 1))
            #expect(scene.system.takeExceptions().count == 1)
            request.makeStreamingContentKeyRequestData(forApp: Data(), contentIdentifier: Data()) { _, _ in }
            #expect(scene.system.takeExceptions().count == 1)
            #expect(throws: NSError.self) { try request.respondByRequestingPersistableContentKeyRequest() }
            #expect(scene.system.takeExceptions().count == 1)
        }
    }

    @Test("Rule 10: the session identifier is set when the first SPC exists, and the change is told")
    func sessionIdentifier() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            #expect(scene.session.contentProtectionSessionIdentifier == nil)
            _ = try await scene.spc(request)
            let identifier = try #require(scene.session.contentProtectionSessionIdentifier)
            #expect(String(data: identifier, encoding: .utf8)?.isEmpty == false)
            await scene.system.settle()
            #expect(scene.delegate.calls.filter { $0 == .sessionIdentifier }.count == 1)
            _ = try await scene.spc(request)
            #expect(scene.session.contentProtectionSessionIdentifier == identifier)
        }
    }

    @Test("Rule 11: a key of one session does not silence a request of another")
    func independent() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.play()
            let (other, delegate) = scene.otherSession()
            other.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.settle()
            #expect(delegate.calls == [.provide("skd://a")])
        }
    }
}

/// Records whether its calls are on a queue.
private final class QueueDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private let key: DispatchSpecificKey<Bool>
    private let lock = NSLock()
    private var recorded: [Bool] = []

    init(_ key: DispatchSpecificKey<Bool>) { self.key = key }

    var calls: [Bool] { lock.withLock { recorded } }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        let isOnQueue = DispatchQueue.getSpecific(key: key) == true
        lock.withLock { recorded.append(isOnQueue) }
    }
}
