public import FPSCrypto
import Locking

/// A pretend Apple device: it makes SPCs, opens CKCs, holds content keys to their terms and keeps persistent keys.
///
/// It implements the messages a second time, from the guide alone, so that a mistake in the server's implementation
/// does not meet its mirror image here. It is for tests and demonstrations: with its development DASk it is a device to
/// servers that accept development credentials, and to no other.
///
/// May be used from any thread.
public final class FPSDevice: Sendable {
    /// What kind of device this is.
    public let profile: DeviceProfile
    /// Its clock.
    public let clock: any DeviceClock

    let dask: DASkRule
    let secret: SecretBytes
    private let state: Lock<State>

    struct State: ~Copyable {
        var random: DeviceRandom
        var vault = KeyVault()
        var display: DeviceProfile.Display
        var revokedCertificates: Set<[UInt8]> = []
        var persistentKeyFormat: UInt32 = 1
        /// What keeps the vault beyond this run; nil: nothing does.
        var memory: (any DeviceMemory)?
        /// Generations of keys that are to be written down before content comes out, by the record's ID.
        var unsaved: [[UInt8]: UInt32] = [:]
        /// The time that was written down last.
        var savedTime: Int64 = 0
    }

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - profile: what kind of device.
    ///   - dask: how it gets DASk, which the server must get in the same way.
    ///   - secret: what makes it this one device: its HU and the sealing of its persistent keys follow from it. Nil
    ///     draws 32 bytes from `random`.
    ///   - clock: what time it is.
    ///   - random: where random numbers come from.
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
        self.clock = clock
        self.secret = secret ?? SecretBytes(count: 32, randomFrom: &generator)
        state = Lock(State(random: generator, display: profile.display))
    }

    /// HU, 20 bytes: the ID that the server sees. With the digital AV adapter it is the adapter's ID.
    public func hu(for output: DeviceProfile.Output) -> [UInt8] {
        let name = output == .digitalAVAdapter ? "HU of the adapter" : "HU"
        return Array(HMACSHA256.authenticate(Array(name.utf8), key: secret)[..<20])
    }

    /// The key that seals persistent keys, 32 bytes.
    var sealingKey: SecretBytes { HMACSHA256.derive(Array("persistent keys".utf8), key: secret) }

    /// Begins the playback of a title: a new session ID.
    public func beginSession() -> PlaybackSession { withState { PlaybackSession(id: $0.random.next()) } }

    /// The display that is attached now. Keys that it protects too little for stop giving out their content.
    public var display: DeviceProfile.Display {
        get { withState { $0.display } }
        set { withState { $0.display = newValue } }
    }

    /// Makes the certificate with this SHA-1 (20 bytes) unusable, as a revocation list does.
    public func revoke(certificateHash: [UInt8]) { withState { _ = $0.revokedCertificates.insert(certificateHash) } }

    /// Installs a security update that changes the format of persistent keys: those made before are no longer usable.
    public func installSecurityUpdate() { withState { $0.persistentKeyFormat &+= 1 } }

    /// The one way to the mutable state. Nothing called inside may call it again.
    func withState<Value: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(&state) }
    }
}
