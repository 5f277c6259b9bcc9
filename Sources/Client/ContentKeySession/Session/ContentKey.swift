import Locking

/// A key that a session has loaded. It stays the same while its lease is renewed, and ends with its lease, with its
/// session, or when it is revoked.
public final class ContentKey: Sendable {
    private struct State: Sendable {
        var key: (any ProtectedContentKey)?
        var isPlaying = false
        var protection: ExternalContentProtectionStatus
        var stopCause: KeySessionMachine.StopCause?
    }

    /// The EXT-X-KEY's URI.
    public var identifier: String { name.identifier }
    /// Identifier and route.
    public let name: KeyName
    private let session: WeakSession
    private let state: Lock<State>

    init(_ name: KeyName, _ key: any ProtectedContentKey, session: KeySession) {
        self.name = name
        self.session = WeakSession(session)
        state = Lock(State(key: key, protection: key.externalProtectionStatus))
    }

    /// The device's key, to decrypt with; nil once this one has ended.
    public var protectedKey: (any ProtectedContentKey)? { state.withLock { $0.key } }
    /// Why it ended; nil while it has not.
    public var stopCause: KeySessionMachine.StopCause? { state.withLock { $0.stopCause } }
    /// Whether what is attached protects the content as the key demands.
    public var externalContentProtectionStatus: ExternalContentProtectionStatus {
        protectedKey?.externalProtectionStatus ?? .pending
    }

    /// Begins to use the key. At the first play of a stored key with two expiry periods, the session hands over the key
    /// that takes its place in storage, before this returns.
    ///
    /// - Throws: ``ContentKeyError/Code/keyGone`` once it has ended, and what the device says.
    public func beginPlayback() async throws(ContentKeyError) {
        let updated = try state.withLock { state throws(ContentKeyError) -> [UInt8]? in
            guard let key = state.key else {
                throw ContentKeyError(state.stopCause == .leaseExpired ? .leaseExpired : .keyGone, .session)
            }
            let updated = try key.beginPlayback()
            state.isPlaying = true
            return updated
        }
        if let updated { await session.value?.announce(updatedKey: updated, for: identifier) }
    }

    /// Ends the key: it is stopped, and has to be asked for again.
    public func revoke() async { await session.value?.revoke(self) }

    /// Puts another key in this one's place, which goes on playing if this one did.
    func replace(with key: any ProtectedContentKey) {
        let old = state.withLock { state in
            let old = state.key
            state.key = key
            // A key that cannot begin says so when it is used.
            if old !== key, state.isPlaying { _ = try? key.beginPlayback() }
            return old === key ? nil : old
        }
        old?.stop()
    }

    func end(_ cause: KeySessionMachine.StopCause) {
        let key = state.withLock { state in
            defer { (state.key, state.stopCause) = (nil, cause) }
            return state.key
        }
        key?.stop()
    }

    /// Looks at what is attached; true if it changed what that means for this key.
    func noteProtection() -> Bool {
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
    /// A value without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A session that what belongs to it does not keep alive.
struct WeakSession: Sendable {
    private(set) weak var value: KeySession?
    init(_ session: KeySession) { value = session }
}

/// What plays content, and needs keys for that. Add it to a session before it begins to load.
public protocol ContentKeyRecipient: AnyObject, Sendable {
    /// Whether it has begun to load: too late to be added to a session.
    var hasBegunLoading: Bool { get }
    /// A key that it asked for is there, or another has taken its place. The session waits for this, so it must return
    /// soon.
    func contentKeySession(_ session: KeySession, didProvide contentKey: ContentKey)
}

extension ContentKeyRecipient {
    /// Does nothing.
    public func contentKeySession(_: KeySession, didProvide _: ContentKey) {}
}
