import AVFoundation
import AVFoundationTesting
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

/// Rules 25 to 45: which object is delivered, identifiers, and the silent second call.
@Suite struct KeyIdentifierTests {
    @Test("Rules 25 and 27: each request is first a plain one, then the persistable one that was asked for")
    func persistable() async throws {
        try await KeyScene.run { scene in
            _ = await scene.need()
            let plain = try scene.delegate.last()
            #expect(!(plain is AVPersistableContentKeyRequest))
            let persistable = try await scene.persistable(plain)
            #expect(persistable !== plain)
            #expect(persistable.identifier as? String == "skd://a")
            #expect(scene.delegate.calls == [.provide("skd://a"), .persistable("skd://a")])
            await scene.respond(plain, Data())
            #expect(scene.system.secondAnswers == 1)
            #expect(persistable.status == .requestingResponse)
        }
    }

    @Test("Rule 26: canProvidePersistableContentKey is true on the persistable request only")
    func canProvide() async throws {
        try await KeyScene.run { scene in
            let plain = try await scene.request()
            #expect(!plain.canProvidePersistableContentKey)
            #expect(try await scene.persistable(plain).canProvidePersistableContentKey)
        }
    }

    @Test("Rule 28: respondBy… raises if the delegate has no method for persistable requests")
    func missingMethod() async throws {
        try await KeyScene.run { scene in
            let delegate = PlainDelegate()
            scene.session.setDelegate(delegate, queue: DispatchQueue(label: "plain"))
            scene.session.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.settle()
            try delegate.requests.first?.respondByRequestingPersistableContentKeyRequest()
            await scene.system.settle()
            #expect(scene.system.takeExceptions().map(\.name) == [.internalInconsistency])
        }
    }

    @Test("Rule 29: respondBy… throws for AirPlay, and the plain request is still open", arguments: [-11862, -1])
    func airPlay(code: Int) async throws {
        let refusal = NSError(domain: "refusal", code: code)
        try await KeyScene.run(switches: { $0.persistRefusal = refusal }) { scene in
            let needed = await scene.need(route: .airPlay)
            let request = try scene.delegate.last()
            let error = #expect(throws: NSError.self) { try request.respondByRequestingPersistableContentKeyRequest() }
            #expect(error == refusal)
            #expect(request.status == .requestingResponse)
            try await scene.answer(request)
            #expect(needed.isLoaded)
        }
    }

    @Test("Rule 30: respondBy… on a persistable request throws")
    func persistableTwice() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.persistable(scene.request())
            #expect(throws: NSError.self) { try request.respondByRequestingPersistableContentKeyRequest() }
            #expect(request.status == .requestingResponse)
        }
    }

    @Test("Rule 31: a session without storage directory can persist, or not: a switch", arguments: [false, true])
    func storage(isNeeded: Bool) async throws {
        try await KeyScene.run(switches: { $0.persistNeedsStorage = isNeeded }) { scene in
            let session = AVContentKeySession(keySystem: .fairPlayStreaming)
            let delegate = RecordingDelegate()
            session.setDelegate(delegate, queue: DispatchQueue(label: "delegate"))
            session.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.settle()
            try? delegate.last().respondByRequestingPersistableContentKeyRequest()
            await scene.system.settle()
            #expect(delegate.calls.contains(.persistable("skd://a")) == !isNeeded)
            // With a directory it always can.
            _ = try await scene.persistable(scene.request("skd://b"))
        }
    }

    @Test("Rule 32: several keys of one initialization data come in one call, where the delegate has it")
    func severalKeys() async throws {
        try await KeyScene.run { scene in
            let data = Data("skd://a\nskd://b".utf8)
            scene.session.processContentKeyRequest(withIdentifier: nil, initializationData: data)
            await scene.system.settle()
            #expect(scene.delegate.calls == [.provide("skd://a"), .provide("skd://b")])
            let request = try scene.delegate.last()
            #expect(request.initializationData == data)
            let delegate = ArrayDelegate()
            scene.session.setDelegate(delegate, queue: DispatchQueue(label: "array"))
            let other = Data("skd://c\nskd://d".utf8)
            scene.session.processContentKeyRequest(withIdentifier: nil, initializationData: other)
            await scene.system.settle()
            #expect(delegate.arrays == [["skd://c", "skd://d"]])
            #expect(delegate.requests.isEmpty)
        }
    }

    @Test("Rule 33: the identifier of a playlist's key is a String, or a URL: a switch", arguments: [false, true])
    func identifierType(isURL: Bool) async throws {
        try await KeyScene.run(switches: { $0.identifierType = isURL ? .url : .string }) { scene in
            _ = await scene.need()
            let identifier = try scene.delegate.last().identifier
            #expect((identifier as? URL)?.absoluteString == (isURL ? "skd://a" : nil))
            #expect(identifier as? String == (isURL ? nil : "skd://a"))
        }
    }

    @Test("Rules 34 and 36: an app's request has the identifier and the options that were passed")
    func passed() async throws {
        try await KeyScene.run { scene in
            let url = try #require(URL(string: "skd://u"))
            scene.session.processContentKeyRequest(withIdentifier: url, initializationData: nil, options: ["own": 1])
            await scene.system.settle()
            let request = try scene.delegate.last()
            #expect(request.identifier as? URL == url)
            #expect(request.options["own"] as? Int == 1)
            #expect(try await scene.request("skd://b").options.isEmpty)
        }
    }

    @Test("Rules 35 and 44: a preloaded key is used without a request if the URI is the same, in each character")
    func preload() async throws {
        try await KeyScene.run { scene in
            try await scene.answer(scene.request("skd://a"))
            let needed = await scene.need("skd://a")
            #expect(needed.isLoaded)
            #expect(scene.delegate.requests.count == 1)
            _ = await scene.need("skd://A")
            #expect(scene.delegate.requests.count == 2)
        }
    }

    @Test("Rule 37: the originating recipient is nil for the app, otherwise what needs the key")
    func recipient() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            #expect(request.originatingRecipient == nil)
            let interstitial = TestRecipient()
            _ = await scene.need("skd://b", for: interstitial)
            #expect(try scene.delegate.last().originatingRecipient === interstitial)
        }
    }

    @Test("Rule 38: one call yields one request; without identifier and data it is an error")
    func oneCall() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.request()
            #expect(scene.delegate.calls == [.provide("skd://a")])
            scene.session.processContentKeyRequest(withIdentifier: nil, initializationData: nil)
            #expect(scene.system.takeExceptions().count == 1)
        }
    }

    @Test("Rule 39: a call for a loaded key does nothing")
    func silence() async throws {
        try await KeyScene.run { scene in
            try await scene.answer(scene.request())
            _ = scene.delegate.takeCalls()
            scene.session.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.advance(by: .seconds(3600))
            #expect(scene.delegate.calls.isEmpty)
        }
    }

    @Test("Rule 40: a call while the first is open is silent, or a second request: a switch", arguments: [false, true])
    func pendingDuplicate(isSecond: Bool) async throws {
        try await KeyScene.run(switches: { $0.pendingDuplicate = isSecond ? .secondRequest : .silent }) { scene in
            _ = try await scene.request()
            _ = try await scene.request()
            #expect(scene.delegate.requests.count == (isSecond ? 2 : 1))
        }
    }

    @Test("Rule 41: a call after a failure starts again, or is silent: a switch", arguments: [false, true])
    func afterFailure(isSilent: Bool) async throws {
        try await KeyScene.run(switches: { $0.retryAfterFailure = isSilent ? .silent : .newRequest }) { scene in
            let request = try await scene.request()
            request.processContentKeyResponseError(NSError(domain: "X", code: 1))
            await scene.system.settle()
            _ = try await scene.request()
            #expect(scene.delegate.requests.count == (isSilent ? 1 : 2))
        }
    }

    @Test("Rule 42: after revoke() playback fails, and the next need or call leads to a request")
    func revoke() async throws {
        try await KeyScene.run { scene in
            let key = try await scene.play()
            try key.checkDecryption()
            try scene.delegate.last().contentKey?.revoke()
            #expect(throws: NSError.self) { try key.checkDecryption() }
            _ = await scene.need()
            #expect(scene.delegate.requests.count == 2)
            try await scene.answer(scene.delegate.last())
            try scene.delegate.last().contentKey?.revoke()
            _ = try await scene.request()
            #expect(scene.delegate.requests.count == 3)
        }
    }

    @Test("Rule 43: a new session gets a second license for the same identifier")
    func newSession() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.dual(storage: 100, playback: 10), for: "skd://a")
            let first = try await scene.keep()
            let second = try await scene.keep()
            #expect(first != second)
        }
    }

    @Test("Rules 45 and 86: another output asks for a key of its own")
    func route() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.play()
            let needed = await scene.need(route: .airPlay)
            #expect(scene.delegate.requests.count == 2)
            let spc = try await scene.spc(scene.delegate.last())
            #expect(try scene.server.open(spc).device.route == .airPlay)
            try await scene.answer(scene.delegate.last())
            #expect(needed.isLoaded)
        }
    }
}

/// A delegate with the required method only.
private final class PlainDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var provided: [AVContentKeyRequest] = []

    var requests: [AVContentKeyRequest] { lock.withLock { provided } }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        lock.withLock { provided.append(keyRequest) }
    }
}

/// A delegate with the method for several requests.
private final class ArrayDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var provided: [AVContentKeyRequest] = []
    private var several: [[String]] = []

    var requests: [AVContentKeyRequest] { lock.withLock { provided } }
    var arrays: [[String]] { lock.withLock { several } }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        lock.withLock { provided.append(keyRequest) }
    }
    func contentKeySession(
        _ session: AVContentKeySession,
        didProvide keyRequests: [AVContentKeyRequest],
        forInitializationData initializationData: Data?
    ) {
        let identifiers = keyRequests.map { $0.identifier as? String ?? "" }
        lock.withLock { several.append(identifiers) }
    }
}
