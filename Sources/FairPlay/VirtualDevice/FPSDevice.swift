public import FPSCrypto
import Locking

/// A simulated Apple device, which creates SPCs, decrypts CKCs, enforces the terms of content keys and creates
/// persistent keys.
///
/// The device has a separate implementation of the messages, written only from the guide, so that the tests find errors
/// that a shared implementation would hide. The device is intended for tests and demonstrations: with its development
/// DASk, only servers with development credentials accept it.
///
/// An instance can be used from any thread.
public final class FPSDevice: Sendable {
    /// The profile: the kind of device.
    public let profile: DeviceProfile
    /// The clock of the device, which never goes back: an expired key stays expired if the system clock is set back.
    public var clock: any DeviceClock { monotonicClock }

    let monotonicClock: MonotonicDeviceClock

    let dask: DASkRule
    let secret: SecretBytes
    private let state: Lock<State>

    struct State: ~Copyable {
        var random: DeviceRandom
        var vault = KeyVault()
        var display: DeviceProfile.Display
        var revokedCertificates: Set<[UInt8]> = []
        var persistentKeyFormat: UInt32 = 1
        /// The memory that stores the vault between runs; nil if the vault is not stored.
        var memory: (any DeviceMemory)?
        /// The generations of keys that must be saved before the keys can decrypt content, by record ID.
        var unsaved: [[UInt8]: UInt32] = [:]
        /// The record IDs of the unsaved keys whose first playback was in this run.
        var started: Set<[UInt8]> = []
        /// The time that was saved last.
        var savedTime: Int64 = 0
        /// The corrections of the clock.
        var corrections = ClockCorrections()
        /// The times of the corrections during this run, in seconds since 1970.
        var correctionTimes: [Int64] = []
    }

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - profile: the kind of device.
    ///   - dask: the derivation of DASk, which must be the same on the server.
    ///   - secret: the secret that identifies the device: its HU and the encryption key of its persistent keys are
    ///     derived from it. Nil means 32 bytes from `random`.
    ///   - clock: the clock of the device.
    ///   - random: the source of random numbers.
    public init(
        profile: DeviceProfile,
        dask: DASkRule,
        secret: SecretBytes? = nil,
        clock: any DeviceClock = SystemDeviceClock(),
        random: RandomSource = .secure
    ) {
        var generator = DeviceRandom(random)
        self.profile = profile
        self.dask = dask
        monotonicClock = MonotonicDeviceClock(clock, latest: clock.now)
        self.secret = secret ?? SecretBytes(count: 32, randomFrom: &generator)
        state = Lock(State(random: generator, display: profile.display))
    }

    /// Returns HU, the device ID that the server receives, 20 bytes. For the digital AV adapter, HU is the ID of the
    /// adapter.
    public func hu(for output: DeviceProfile.Output) -> [UInt8] {
        let name = output == .digitalAVAdapter ? "HU of the adapter" : "HU"
        return Array(HMACSHA256.authenticate(Array(name.utf8), key: secret)[..<20])
    }

    /// The key that encrypts persistent keys, 32 bytes.
    var persistentKeyEncryptionKey: SecretBytes { HMACSHA256.derive(Array("persistent keys".utf8), key: secret) }

    /// Starts a playback session, with a new session ID.
    public func beginSession() -> PlaybackSession { withState { PlaybackSession(id: $0.random.next()) } }

    /// The attached display. If its HDCP type is not sufficient for a key, the key cannot decrypt content.
    public var display: DeviceProfile.Display {
        get { withState { $0.display } }
        set { withState { $0.display = newValue } }
    }

    /// Revokes the certificate with this SHA-1 (20 bytes), as a revocation list does.
    public func revoke(certificateHash: [UInt8]) { withState { _ = $0.revokedCertificates.insert(certificateHash) } }

    /// Installs a security update that changes the format of persistent keys, so that existing persistent keys are no
    /// longer usable.
    public func installSecurityUpdate() { withState { $0.persistentKeyFormat &+= 1 } }

    /// Calls a closure with the mutable state. The closure must not call this function again.
    func withState<Value: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(&state) }
    }
}
