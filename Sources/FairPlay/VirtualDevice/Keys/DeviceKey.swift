public import FPSCrypto
import Locking

/// A content key on a device. It gives out its content only while it plays, and only as its terms allow.
///
/// May be used from any thread.
public final class DeviceKey: Sendable {
    /// What can be done with a key at this moment.
    public enum Status: Sendable, Hashable {
        /// Playback may start.
        case ready
        /// It plays.
        case playing
        /// The attached display protects too little. A better one makes the key usable again.
        case outputRestricted
        /// The lease ran out, or playback was not started in time.
        case expired
        /// Playback stopped, and the key was an ordinary one; or the persistent key was invalidated.
        case discarded
    }

    /// What is odd about the CKC and was no reason to refuse it.
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
        var hdcp: HDCPRequirement
        var persistent: PersistentKey?
        var updatedPersistentKey: [UInt8]?
        var isPlaying = false
        var leaseHasExpired = false
    }

    init(
        device: FPSDevice,
        origin: KeyOrigin,
        contentKey: SecretBytes,
        iv: [UInt8],
        validity: KeyValidity,
        hdcp: HDCPRequirement,
        persistent: PersistentKey? = nil,
        notes: [String] = []
    ) {
        self.device = device
        self.origin = origin
        self.notes = notes
        state = Lock(State(contentKey: contentKey, iv: iv, validity: validity, hdcp: hdcp, persistent: persistent))
    }

    /// The asset that the key opens.
    public var assetID: [UInt8] { origin.assetID }
    /// The playback that it belongs to.
    public var session: FPSDevice.PlaybackSession { origin.session }

    /// The device's time, in seconds since 1970.
    package var now: Int64 { device.clock.now }

    /// Whether it was loaded from a persistent key.
    package var isPersistent: Bool { state.withLock { $0.persistent != nil } }

    /// When the lease runs out, in seconds since 1970; nil if there is no lease.
    public var leaseEnd: Int64? { state.withLock { $0.validity.leaseEnd } }

    /// The persistent key that replaces the one that was loaded, once the first play of an offline key has started. The
    /// app must keep it in place of the old one, which the device no longer takes.
    public var updatedPersistentKey: [UInt8]? { state.withLock { $0.updatedPersistentKey } }

    /// What can be done with the key at this moment.
    public var status: Status {
        state.withLock { state in
            do throws(FPSError) {
                try settle(&state)
                if !state.isPlaying, let obstacle = state.validity.obstacleToStarting(at: device.clock.now) {
                    throw obstacle
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

    /// Starts playback; does nothing if it runs already.
    ///
    /// - Throws: ``FPSError/keyDiscarded``, ``FPSError/leaseExpired``, ``FPSError/rentalExpired``,
    ///   ``FPSError/persistentKeyExpired``, ``FPSError/invalidPersistentKey``, ``FPSError/outputRestricted``.
    public func startPlaying() throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            try settle(&state)
            try checkOutput(state)
            guard !state.isPlaying else { return }
            let now = device.clock.now
            if let obstacle = state.validity.obstacleToStarting(at: now) { throw obstacle }
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

    /// Stops playback. An ordinary key is gone then; a persistent one may start again while it is valid.
    public func stopPlaying() {
        state.withLock { state in
            state.isPlaying = false
            if state.persistent == nil { state.contentKey = nil }
            // What cannot be written down now is written before content comes out again.
            if state.persistent != nil { try? device.settleMemory() }
        }
    }

    /// The content key and the content IV, 16 bytes each, for decrypting a part of the content now.
    ///
    /// - Throws: ``FPSError/notPlaying``, ``FPSError/keyDiscarded``; ``FPSError/leaseExpired`` when the lease has run
    ///   out, which stops playback; ``FPSError/outputRestricted``, which does not; ``FPSError/invalidPersistentKey``;
    ///   ``FPSError/memoryFailed``.
    public func contentKey() throws(FPSError) -> (key: SecretBytes, iv: [UInt8]) {
        try state.withLock { state throws(FPSError) in
            let key = try settle(&state)
            guard state.isPlaying else { throw .notPlaying }
            try checkOutput(state)
            // That the key was replaced has to outlive this run before anybody sees a picture.
            if state.persistent != nil { try device.settleMemory() }
            return (key, state.iv)
        }
    }

    /// Holds that the key plays and its lease has not run out.
    func checkPlaying() throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            try settle(&state)
            guard state.isPlaying else { throw .notPlaying }
        }
    }

    /// Takes the answer to a request for renewal, if the key still plays. `keepingKey` takes only its terms.
    func renew(with received: ReceivedCKC, keepingKey: Bool) throws(FPSError) {
        try state.withLock { state throws(FPSError) in
            try settle(&state)
            guard state.isPlaying else { throw .notPlaying }
            if !keepingKey, let key = received.contentKey {
                state.contentKey = key
                state.iv = received.iv
            }
            state.validity.terms = received.terms
            state.validity.acquired = device.clock.now
            state.hdcp = received.hdcp
        }
    }

    /// Lets go of the key if its lease has run out, and returns it if it is still there.
    @discardableResult
    private func settle(_ state: inout State) throws(FPSError) -> SecretBytes {
        if let end = state.validity.leaseEnd, device.clock.now >= end, state.contentKey != nil {
            state.contentKey = nil
            state.isPlaying = false
            state.leaseHasExpired = true
        }
        guard let key = state.contentKey else { throw state.leaseHasExpired ? .leaseExpired : .keyDiscarded }
        if let persistent = state.persistent { try device.checkNotInvalidated(persistent) }
        return key
    }

    private func checkOutput(_ state: State) throws(FPSError) {
        let display = device.display
        guard state.hdcp.isMet(by: display) else {
            throw .outputRestricted.because("\(state.hdcp) is required, the display has \(display)")
        }
    }
}
