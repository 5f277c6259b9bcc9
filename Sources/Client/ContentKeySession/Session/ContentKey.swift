import Locking

/// A key that a session has loaded. The object stays the same while its lease is renewed. The key ends with its lease,
/// with its session, or when it is revoked.
public final class ContentKey: Sendable {
    private struct State: Sendable {
        var key: (any ProtectedContentKey)?
        var isPlaying = false
        var protection: ExternalContentProtectionStatus
        var stopCause: ContentKeyStopCause?
    }

    /// The URI of the EXT-X-KEY tag.
    public var identifier: String { name.identifier }
    /// The identifier and route of the key.
    public let name: KeyName
    private let session: WeakSession
    private let state: Lock<State>

    init(_ name: KeyName, _ key: any ProtectedContentKey, session: KeySession) {
        self.name = name
        self.session = WeakSession(session)
        state = Lock(State(key: key, protection: key.externalProtectionStatus))
    }

    /// The device's key, for decryption; nil after the key has ended.
    public var protectedKey: (any ProtectedContentKey)? { state.withLock { $0.key } }
    /// The reason why the key was stopped; nil while it is in use.
    public var stopCause: ContentKeyStopCause? { state.withLock { $0.stopCause } }
    /// The status of external content protection: whether the attached displays protect the content as the key
    /// requires.
    public var externalContentProtectionStatus: ExternalContentProtectionStatus {
        protectedKey?.externalProtectionStatus ?? .pending
    }

    /// Starts to use the key. At the first playback of a persistent key with two expiry periods, the session delivers
    /// the key that replaces it in storage before this call returns.
    ///
    /// - Throws: ``ContentKeyError/Code/keyNotLoaded`` after the key has ended, and errors of the device.
    public func beginPlayback() async throws(ContentKeyError) {
        let updated = try state.withLock { state throws(ContentKeyError) -> [UInt8]? in
            guard let key = state.key else {
                throw ContentKeyError(state.stopCause == .leaseExpired ? .leaseExpired : .keyNotLoaded, .session)
            }
            let updated = try key.beginPlayback()
            state.isPlaying = true
            return updated
        }
        if let updated { await session.value?.announce(updatedKey: updated, for: identifier) }
    }

    /// Stops the key; it must be requested again before further use.
    public func revoke() async { await session.value?.revoke(self) }

    /// Replaces the device's key. The new key starts to play if the old one was playing.
    func replace(with key: any ProtectedContentKey) {
        let old = state.withLock { state in
            let old = state.key
            state.key = key
            // An error of a key that cannot start is reported when the key is used.
            if old !== key, state.isPlaying { _ = try? key.beginPlayback() }
            return old === key ? nil : old
        }
        old?.stop()
    }

    func end(_ cause: ContentKeyStopCause) {
        let key = state.withLock { state in
            defer { (state.key, state.stopCause) = (nil, cause) }
            return state.key
        }
        key?.stop()
    }

    /// Checks the external content protection. Returns true if its status for this key has changed.
    func updateProtectionStatus() -> Bool {
        state.withLock { state in
            guard let status = state.key?.externalProtectionStatus, status != state.protection else { return false }
            state.protection = status
            return true
        }
    }
}

extension ContentKey: CustomStringConvertible, CustomReflectable {
    /// The identifier.
    public var description: String { "key \(identifier)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A weak reference to a session.
struct WeakSession: Sendable {
    private(set) weak var value: KeySession?
    init(_ session: KeySession) { value = session }
}

/// A player of content that needs keys. Add it to a session before it starts to load.
public protocol ContentKeyRecipient: AnyObject, Sendable {
    /// True if the recipient has started to load, so that it can no longer be added to a session.
    var hasBegunLoading: Bool { get }
    /// Delivers a key that the recipient requested, or its replacement. The session waits for this call, so it must
    /// return soon.
    func contentKeySession(_ session: KeySession, didProvide contentKey: ContentKey)
}

extension ContentKeyRecipient {
    /// Does nothing.
    public func contentKeySession(_: KeySession, didProvide _: ContentKey) {}
}
