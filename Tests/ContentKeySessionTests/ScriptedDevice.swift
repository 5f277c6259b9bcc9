import ContentKeySession
import Synchronization

/// A key with scripted behavior.
final class ScriptedKey: ProtectedContentKey {
    struct State: Sendable {
        var lease: Duration?
        var isUsable = true
        var protection = ExternalContentProtectionStatus.sufficient
        var update: [UInt8]?
        var isPlaying = false
    }
    let state: Mutex<State>

    init(_ state: State = State()) { self.state = Mutex(state) }

    var leaseRemaining: Duration? { state.withLock { $0.lease } }
    var isUsable: Bool { state.withLock { $0.isUsable } }
    var isPlaying: Bool { state.withLock { $0.isPlaying } }
    var externalProtectionStatus: ExternalContentProtectionStatus { state.withLock { $0.protection } }
    func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        state.withLock { state in
            defer { (state.isPlaying, state.update) = (true, nil) }
            return state.update
        }
    }
    func stop() { state.withLock { ($0.isUsable, $0.isPlaying) = (false, false) } }
}

final class ScriptedRequest: DeviceKeyRequest {
    let requestData: [UInt8]
    init(_ requestData: [UInt8]) { self.requestData = requestData }
}

/// A device with scripted behavior: the bytes of a CKC or a persistent key specify what it does.
final class ScriptedDevice: ContentProtectionDevice {
    struct State: Sendable {
        var keys: [[UInt8]: ScriptedKey] = [:]
        var errors: [[UInt8]: ContentKeyError] = [:]
        var parameters: [DeviceKeyRequestParameters] = []
        var gate: AsyncStream<Void>?
        var made: [ScriptedKey] = []
    }
    let supportsPersistableKeys: Bool
    let state = Mutex(State())

    init(supportsPersistableKeys: Bool = true) { self.supportsPersistableKeys = supportsPersistableKeys }

    /// Returns a key for this response.
    func give(_ state: ScriptedKey.State = .init(), for answer: [UInt8]) -> ScriptedKey {
        let key = ScriptedKey(state)
        self.state.withLock { $0.keys[answer] = key }
        return key
    }

    func refuse(_ answer: [UInt8], _ error: ContentKeyError) { state.withLock { $0.errors[answer] = error } }

    var parameters: [DeviceKeyRequestParameters] { state.withLock { $0.parameters } }

    func makeSessionIdentifier() -> ContentProtectionSessionIdentifier { .init([1, 2, 3, 4, 5, 6, 7, 8]) }

    func makeKeyRequest(_ parameters: DeviceKeyRequestParameters) async throws(ContentKeyError) -> any DeviceKeyRequest
    {
        state.withLock { $0.parameters.append(parameters) }
        return ScriptedRequest(Array("SPC".utf8) + parameters.contentIdentifier)
    }

    func process(ckc: [UInt8], for: any DeviceKeyRequest) async throws(ContentKeyError) -> any ProtectedContentKey {
        if let gate = state.withLock({ $0.gate }) { for await _ in gate { break } }
        return try outcome(ckc)
    }

    func makePersistableKey(ckc: [UInt8], for: any DeviceKeyRequest) async throws(ContentKeyError) -> [UInt8] {
        if let error = state.withLock({ $0.errors[ckc] }) { throw error }
        return Array("kept ".utf8) + ckc
    }

    func loadPersistableKey(
        _ stored: [UInt8],
        session: ContentProtectionSessionIdentifier
    ) async throws(ContentKeyError) -> any ProtectedContentKey { try outcome(stored) }

    func makeSecureToken(
        forExpirationDateOf stored: [UInt8],
        _ context: ServerPlaybackContext
    ) async throws(ContentKeyError) -> [UInt8] { Array("token ".utf8) + stored }

    func invalidate(_ stored: [UInt8]?, _ context: ServerPlaybackContext) async throws(ContentKeyError) -> [UInt8] {
        state.withLock { state in
            for (answer, key) in state.keys where stored == nil || stored == answer { key.stop() }
        }
        return Array("proof".utf8)
    }

    func makeExpiredSessionReport(
        for key: any ProtectedContentKey
    ) async throws(ContentKeyError) -> ExpiredSessionReport? {
        ExpiredSessionReport(appIdentifier: [0xaa], data: key.isUsable ? [1] : [0])
    }

    private func outcome(_ answer: [UInt8]) throws(ContentKeyError) -> any ProtectedContentKey {
        let (error, key) = state.withLock { ($0.errors[answer], $0.keys[answer]) }
        if let error { throw error }
        guard let key else { throw Bench.invalid }
        return key
    }
}
