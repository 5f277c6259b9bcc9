public import ContentKeySession
import Locking

/// A key of a ``ScriptedDevice``. A test can create one and change its state at any time.
public final class ScriptedKey: ProtectedContentKey {
    private struct State: Sendable {
        var leaseEnd: Duration?
        var isUsable = true
        var protection: ExternalContentProtectionStatus?
        var updatedPersistableKey: [UInt8]?
        var isPlaying = false
    }

    /// The content key; nil for a key that a test created without one.
    public let contentKey: TestContentKey?
    private let device: ScriptedDevice?
    private let clock: TestClock?
    private let requiresHDCP: Bool
    private let persistent: ScriptedPersistentKey?
    private let state: Lock<State>

    /// Creates a key for ``ScriptedDevice/accept(_:as:)``.
    ///
    /// - Parameters:
    ///   - leaseRemaining: The remaining time of the lease, which does not change; nil if the key has no lease.
    ///   - contentKey: The content key.
    ///   - updatedPersistableKey: The key that replaces this one in the app's storage at first playback.
    public init(
        leaseRemaining: Duration? = nil,
        contentKey: TestContentKey? = nil,
        updatedPersistableKey: [UInt8]? = nil
    ) {
        self.contentKey = contentKey
        (device, clock, requiresHDCP, persistent) = (nil, nil, false, nil)
        state = Lock(State(leaseEnd: leaseRemaining, updatedPersistableKey: updatedPersistableKey))
    }

    /// Creates the key of a license.
    init(_ ckc: ScriptedCKC, on device: ScriptedDevice) {
        (contentKey, self.device, clock) = (ckc.key, device, device.clock)
        (requiresHDCP, persistent) = (ckc.requiresHDCP, nil)
        state = Lock(State(leaseEnd: ckc.lease.map { device.clock.elapsed + .seconds($0) }))
    }

    /// Creates the key of a persistent key.
    init(_ persistent: ScriptedPersistentKey, on device: ScriptedDevice) {
        (contentKey, self.device, clock) = (persistent.key, device, device.clock)
        (requiresHDCP, self.persistent) = (false, persistent)
        state = Lock(State())
    }

    /// The remaining time of the lease; nil if the key has no lease.
    public var leaseRemaining: Duration? {
        get {
            let end = state.withLock { $0.leaseEnd }
            return clock.map { clock in end.map { $0 - clock.elapsed } } ?? end
        }
        set {
            let now = clock?.elapsed ?? .zero
            state.withLock { $0.leaseEnd = newValue.map { now + $0 } }
        }
    }

    /// True if the key can be used: false after ``stop()``, and after its lease has ended.
    public var isUsable: Bool {
        get {
            guard state.withLock({ $0.isUsable }) else { return false }
            return clock == nil || leaseRemaining ?? .seconds(1) > .zero
        }
        set { state.withLock { $0.isUsable = newValue } }
    }

    /// The status of external content protection: by default insufficient if the license requires HDCP and the device's
    /// display has none.
    public var externalProtectionStatus: ExternalContentProtectionStatus {
        get {
            state.withLock { $0.protection }
                ?? (requiresHDCP && device?.hasProtectedDisplay == false ? .insufficient : .sufficient)
        }
        set { state.withLock { $0.protection = newValue } }
    }

    /// True after playback has started, and until it stops.
    public var isPlaying: Bool { state.withLock { $0.isPlaying } }

    /// Starts playback.
    ///
    /// - Throws: ``ContentKeyError`` if the key cannot be used.
    public func beginPlayback() throws(ContentKeyError) -> [UInt8]? {
        guard isUsable else { throw ContentKeyError(leaseRemaining == nil ? .keyNotLoaded : .leaseExpired, .device) }
        guard externalProtectionStatus != .insufficient else {
            throw ContentKeyError(.outputRestricted, .device, reason: "HDCP is required")
        }
        var updated = state.withLock { state in
            defer { (state.isPlaying, state.updatedPersistableKey) = (true, nil) }
            return state.updatedPersistableKey
        }
        if let persistent, let device { updated = try device.beginPlayback(persistent) }
        return updated
    }

    /// Stops playback, and removes the key from the device.
    public func stop() { state.withLock { ($0.isUsable, $0.isPlaying) = (false, false) } }
}
