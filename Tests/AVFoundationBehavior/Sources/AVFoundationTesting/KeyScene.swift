package import AVFoundation
package import Foundation
package import KeywayTesting
import Locking
package import VirtualDevice

/// A system with a device, a key server and a session, for tests of content keys.
package final class KeyScene: Sendable {
    package let system: AppleSystem
    package let device: VirtualFairPlayDevice
    package let server: TestKeyServer
    package let session: AVContentKeySession
    package let delegate: RecordingDelegate
    package let recipient = TestRecipient()
    package let storage: URL

    private init(
        _ system: AppleSystem,
        _ device: VirtualFairPlayDevice,
        _ server: TestKeyServer,
        _ keySystem: AVContentKeySystem,
        _ storage: URL,
        _ delegate: RecordingDelegate
    ) {
        (self.system, self.device, self.server) = (system, device, server)
        (self.storage, self.delegate) = (storage, delegate)
        session = AVContentKeySession(keySystem: keySystem, storageDirectoryAt: storage)
        session.setDelegate(delegate, queue: DispatchQueue(label: "delegate"))
        session.addContentKeyRecipient(recipient)
    }

    /// Runs a test in a new system. Throws if a call raised an exception that the test did not take.
    package static func run(
        _ keySystem: AVContentKeySystem = .fairPlayStreaming,
        profile: DeviceProfile = .iPhone,
        switches: (inout Switches) -> Void = { _ in },
        delegate: RecordingDelegate = RecordingDelegate(),
        _ test: (KeyScene) async throws -> Void
    ) async throws {
        var chosen = Switches()
        switches(&chosen)
        let clock = SystemClock()
        let server = TestKeyServer.following(clock)
        let device = VirtualFairPlayDevice(profile, server: server)
        let system = AppleSystem(device: device, switches: chosen, clock: clock)
        let storage = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: storage, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: storage) }
        try await AppleSystem.$current.withValue(system) {
            let scene = KeyScene(system, device, server, keySystem, storage, delegate)
            try await test(scene)
            await system.settle()
        }
        let exceptions = system.takeExceptions()
        guard exceptions.isEmpty else { throw Raised(exceptions: exceptions) }
    }

    /// The exceptions that a test did not expect.
    package struct Raised: Error, CustomStringConvertible {
        package var exceptions: [AppleSystem.Exception]
        package var description: String { exceptions.map(\.description).joined(separator: "; ") }
    }

    // MARK: Requests

    /// Requests a key for the app and returns the request that the delegate received last.
    package func request(_ identifier: String = "skd://a") async throws -> AVContentKeyRequest {
        session.processContentKeyRequest(withIdentifier: identifier, initializationData: nil)
        await system.settle()
        return try delegate.last()
    }

    /// Lets a player or a download need a key.
    package func need(
        _ uri: String = "skd://a",
        route: OutputRoute = .local,
        for recipient: (any AVContentKeyRecipient)? = nil
    ) async -> NeededKey {
        let needed = NeededKey()
        let need = KeyNeed(uri: uri, keySystem: session.keySystem, route: route)
        session.needKey(need, for: recipient ?? self.recipient) { needed.set($0) }
        await system.settle()
        return needed
    }

    /// Returns the SPC of a request.
    package func spc(_ request: AVContentKeyRequest, options: [String: Any]? = nil) async throws -> Data {
        let identifier = String(describing: request.identifier ?? "")
        return try await request.makeStreamingContentKeyRequestData(
            forApp: server.certificateData,
            contentIdentifier: Data(identifier.utf8),
            options: options
        )
    }

    /// Answers a request with the server's CKC.
    package func answer(_ request: AVContentKeyRequest) async throws {
        let ckc = try await server.ckc(for: spc(request))
        await respond(request, ckc)
    }

    /// Answers a request with data.
    package func respond(_ request: AVContentKeyRequest, _ data: Data) async {
        request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: data))
        await system.settle()
    }

    /// Gets a key for a player, which starts to play.
    package func play(_ uri: String = "skd://a") async throws -> any FairPlayKey {
        let needed = await need(uri)
        if needed.result == nil { try await answer(delegate.last()) }
        return try start(needed, uri)
    }

    /// Starts playback with a key.
    package func start(_ needed: NeededKey, _ uri: String = "skd://a") throws -> any FairPlayKey {
        guard case .fairPlay(let key) = try needed.value() else { throw MissingValue() }
        try session.startPlaying(.fairPlay(key), for: uri)
        return key
    }

    // MARK: Persistable keys

    /// Turns a plain request into a persistable one.
    package func persistable(_ request: AVContentKeyRequest) async throws -> AVPersistableContentKeyRequest {
        try request.respondByRequestingPersistableContentKeyRequest()
        await system.settle()
        guard let request = try delegate.last() as? AVPersistableContentKeyRequest else { throw MissingValue() }
        return request
    }

    /// Gets and keeps the persistable key of an identifier, in a session of its own.
    package func keep(_ identifier: String = "skd://a") async throws -> Data {
        let (session, delegate) = otherSession()
        session.processContentKeyRequest(withIdentifier: identifier, initializationData: nil)
        await system.settle()
        try delegate.last().respondByRequestingPersistableContentKeyRequest()
        await system.settle()
        guard let request = try delegate.last() as? AVPersistableContentKeyRequest else { throw MissingValue() }
        let kept = try request.persistableContentKey(
            fromKeyVendorResponse: server.ckc(for: await spc(request), persistable: true)
        )
        await respond(request, kept)
        return kept
    }

    /// Needs a key and answers with kept data.
    package func playKept(_ kept: Data, _ uri: String = "skd://a") async throws -> NeededKey {
        let needed = await need(uri)
        try await respond(persistable(delegate.last()), kept)
        return needed
    }

    /// Returns another session of the system.
    package func otherSession() -> (AVContentKeySession, RecordingDelegate) {
        let session = AVContentKeySession(keySystem: session.keySystem, storageDirectoryAt: storage)
        let delegate = RecordingDelegate()
        session.setDelegate(delegate, queue: DispatchQueue(label: "another delegate"))
        return (session, delegate)
    }
}

/// The result that a player received for a key that it needs.
package final class NeededKey: Sendable {
    private let state = Lock((count: 0, result: Result<LoadedKey, NSError>?.none))
    package init() {}

    package func set(_ result: Result<LoadedKey, NSError>) {
        state.withLock { $0 = ($0.count + 1, result) }
    }
    package var result: Result<LoadedKey, NSError>? { state.withLock { $0.result } }
    package var count: Int { state.withLock { $0.count } }
    package var error: NSError? { if case .failure(let error) = result { error } else { nil } }
    package var isLoaded: Bool { if case .success = result { true } else { false } }
    package func value() throws -> LoadedKey {
        guard let result else { throw MissingValue() }
        return try result.get()
    }
}

/// Something that a test needs was not there.
package struct MissingValue: Error { package init() {} }

/// A recipient that records the keys it receives.
package final class TestRecipient: AVContentKeyRecipient, Sendable {
    private let received = Lock(0)
    package init() {}
    package var mayRequireContentKeysForMediaDataProcessing: Bool { true }
    package var keyCount: Int { received.withLock { $0 } }
    package func contentKeySession(_ contentKeySession: AVContentKeySession, didProvide contentKey: AVContentKey) {
        received.withLock { $0 += 1 }
    }
}
