public import FPSCrypto
import Locking

/// A content key on a device. The key decrypts content only during playback and within its terms.
///
/// An instance can be used from any thread.
public final class DeviceKey: Sendable {
    /// The status of a key.
    public enum Status: Sendable, Hashable {
        /// Playback can start.
        case ready
        /// Playback has started.
        case playing
        /// The attached display does not satisfy the HDCP requirement. The key becomes usable when a sufficient display
        /// is attached.
        case outputRestricted
        /// The lease expired, or playback was not started in time.
        case expired
        /// Playback stopped and the key was not persistent, or the persistent key was invalidated.
        case discarded
    }

    /// The irregularities of the CKC that are not errors.
    public let notes: [String]
    let origin: KeyOrigin
    /// The application certificate that the request for the key was made with, DER.
    package var applicationCertificate: [UInt8] { origin.certificate }
    private let device: FPSDevice
    private let state: Lock<State>

    private struct State: Sendable {
        var contentKey: SecretBytes?
        var iv: [UInt8]
        var validity: KeyValidity
        var hdcp: ReceivedHDCPLevel
        var persistent: PersistentKey?
        var updatedPersistentKey: [UInt8]?
        var isPlaying = false
        var leaseHasExpired = false
        /// The number of corrections of the device's clock that the validity takes into account.
        var corrections: Int
    }

    init(
        device: FPSDevice,
        origin: KeyOrigin,
        contentKey: SecretBytes,
        iv: [UInt8],
        validity: KeyValidity,
        hdcp: ReceivedHDCPLevel,
        persistent: PersistentKey? = nil,
        notes: [String] = []
    ) {
        self.device = device
        self.origin = origin
        self.notes = notes
        state = Lock(
            State(
                contentKey: contentKey,
                iv: iv,
                validity: validity,
                hdcp: hdcp,
                persistent: persistent,
                corrections: device.correctionTimes.count
            )
        )
    }

    /// The asset ID of the content that the key decrypts.
    public var assetID: [UInt8] { origin.assetID }
    /// The playback session of the key.
    public var session: FPSDevice.PlaybackSession { origin.session }

    /// The device's time, in seconds since 1970.
    package var now: Int64 { device.clock.now }

    /// True if the key was loaded from a persistent key.
    package var isPersistent: Bool { state.withLock { $0.persistent != nil } }

    /// The expiry of the lease, in seconds since 1970; nil if there is no lease.
    public var leaseEnd: Int64? { state.withLock { $0.validity.leaseEnd } }

    /// The time at or after which playback must not start, in seconds since 1970, if any.
    package var startEnd: Int64? { state.withLock { $0.validity.startEnd } }

    /// The persistent key that replaces the loaded key after the first playback with an offline key has started; nil
    /// before that. The app must store it instead of the old key, which the device no longer accepts.
    public var updatedPersistentKey: [UInt8]? { state.withLock { $0.updatedPersistentKey } }

    /// The current status of the key.
    public var status: Status {
        state.withLock { state in
            do throws(FPSError) {
                try requireKey(&state)
                if !state.isPlaying, let error = state.validity.startError(at: device.clock.now) {
                    throw error
                }
                try checkOutput(state)
                return state.isPlaying ? .playing : .ready
            } catch {
                switch error {
                case .outputRestricted: return .outputRestricted
                case .keyDiscarded, .invalidPersistentKey: return .discarded
                default: return .expired
                }
            }
        }
    }

    /// Starts playback; does nothing if playback has already started.
    ///
    /// - Throws: ``FPSError/keyDiscarded``, ``FPSError/leaseExpired``, ``FPSError/rentalExpired``,
    ///   ``FPSError/persistentKeyExpired``, ``FPSError/invalidPersistentKey``, ``FPSError/outputRestricted``,
    ///   ``FPSError/memoryFailed``.
    public func startPlaying() throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            // The time is saved first, so that a refusal is not undone by a clock that is set back.
            if state.persistent == nil { device.saveTimeIfPossible() }
            try requireKey(&state)
            try checkOutput(state)
            guard !state.isPlaying else { return }
            let now = state.persistent == nil ? device.clock.now : try device.savedTime()
            if let error = state.validity.startError(at: now) { throw error }
            if let key = state.persistent, let (next, sealed) = try device.startPersistentKey(key, at: now) {
                state.persistent = next
                state.updatedPersistentKey = sealed
                state.validity = next.validity
            }
            if state.validity.terms.offlineKey != nil, state.validity.firstPlayed == nil {
                state.validity.firstPlayed = now
            }
            state.isPlaying = true
        }
    }

    /// Stops playback. A key that is not persistent is discarded; a persistent key can start again while it is valid.
    public func stopPlaying() {
        state.withLock { state in
            state.isPlaying = false
            if state.persistent == nil { state.contentKey = nil }
            // Changes that cannot be saved now are saved before the key decrypts content again.
            if state.persistent != nil { _ = try? device.savedTime() }
        }
    }

    /// Returns the content key and the content IV, 16 bytes each, for immediate decryption of content.
    ///
    /// - Throws: ``FPSError/notPlaying``, ``FPSError/keyDiscarded``; ``FPSError/leaseExpired`` if the lease has
    ///   expired, which stops playback; ``FPSError/outputRestricted``, which does not stop playback;
    ///   ``FPSError/invalidPersistentKey``; ``FPSError/memoryFailed``.
    public func contentKey() throws(FPSError) -> (key: SecretBytes, iv: [UInt8]) {
        try state.withLock { state throws(FPSError) in
            if state.persistent == nil { device.saveTimeIfPossible() }
            let key = try requireKey(&state)
            guard state.isPlaying else { throw .notPlaying }
            try checkOutput(state)
            // The replacement of the key must be saved before the key decrypts content.
            if state.persistent != nil { _ = try device.savedTime(unsavedFor: FPSDevice.unsavedTime) }
            return (key, state.iv)
        }
    }

    /// Checks that playback has started and that the lease has not expired.
    func checkPlaying() throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            try requireKey(&state)
            guard state.isPlaying else { throw .notPlaying }
        }
    }

    /// Applies the CKC of a renewal request, if the key is still in use. With `keepingKey`, only its terms are applied.
    func renew(with received: ReceivedCKC, keepingKey: Bool) throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            try requireKey(&state)
            guard state.isPlaying else { throw .notPlaying }
            if !keepingKey, let key = received.contentKey {
                state.contentKey = key
                state.iv = received.iv
            }
            state.validity.terms = received.terms
            state.validity.acquired = device.clock.now
            state.corrections = device.correctionTimes.count
            state.hdcp = received.hdcp
        }
    }

    /// Discards the key if its lease has expired; otherwise returns the key.
    @discardableResult
    private func requireKey(_ state: inout State) throws(FPSError) -> SecretBytes {
        let corrections = device.correctionTimes
        // The first correction since is the earliest.
        if let first = corrections.dropFirst(state.corrections).first { state.validity.limit(to: first) }
        state.corrections = corrections.count
        if let end = state.validity.leaseEnd, device.clock.now >= end, state.contentKey != nil {
            state.contentKey = nil
            state.isPlaying = false
            state.leaseHasExpired = true
        }
        guard let key = state.contentKey else {
            guard state.leaseHasExpired, let end = state.validity.leaseEnd else { throw .keyDiscarded }
            throw .leaseExpired.because("the lease ended at \(KeyValidity.text(end)) and was not renewed")
        }
        if let persistent = state.persistent { try device.checkNotInvalidated(persistent) }
        return key
    }

    private func checkOutput(_ state: State) throws(FPSError) {
        let display = device.display
        guard state.hdcp.isMet(by: display) else {
            throw .outputRestricted.because("\(state.hdcp) is required, but the display supports \(display)")
        }
    }
}
