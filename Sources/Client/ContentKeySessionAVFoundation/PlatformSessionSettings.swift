#if canImport(AVFoundation)
public import ContentKeySession
public import Foundation

/// The settings of a ``PlatformContentKeySession``.
public struct PlatformSessionSettings: Sendable {
    /// The directory in which AVFoundation records sessions, so that a session that ends without
    /// ``PlatformContentKeySession/expire()`` is reported after the next launch; nil disables these reports. A session
    /// that stores keys needs one. The session creates the directory.
    public var storageDirectory: URL?
    /// The store in which an updated persistent key replaces the old one. Pass the same store to the loader's settings.
    public var persistentKeys: (any PersistentKeyStore)?
    /// A function that returns whether a key is persistent, by its identifier. By default none is.
    public var storesKey: @Sendable (String) -> Bool
    /// The maximum number of consecutive retries of AVFoundation for a key.
    public var retries: Int
    /// The timeout for AVFoundation to report the result of a response.
    public var resultTimeout: Duration
    /// The timeout of ``PlatformContentKeySession/load(_:by:)`` for each key.
    public var loadTimeout: Duration
    /// The device identifier in SPCs.
    public var deviceIdentifier: DeviceIdentifier
    /// True if AVFoundation may use keys that it obtained in advance (advisory keys, iOS 27 and tvOS 27). Other systems
    /// and sessions with persistent keys ignore it.
    public var allowsAdvisoryKeys: Bool
    /// The clock of the timeouts.
    public var clock: any Clock<Duration>

    /// The device identifier in SPCs, which a key server may use to count devices.
    public enum DeviceIdentifier: Sendable, Hashable {
        /// The identifier of the device.
        case device
        /// A random identifier (iOS 26, macOS 26, tvOS 26, visionOS 26; earlier systems use that of the device).
        /// `seed` contains 16 bytes, so that the identifier is the same each time; nil for a new one each time.
        case random(seed: [UInt8]? = nil)
    }

    /// Creates settings.
    public init(
        storageDirectory: URL? = nil,
        persistentKeys: (any PersistentKeyStore)? = nil,
        retries: Int = 2,
        resultTimeout: Duration = .seconds(15),
        loadTimeout: Duration = .seconds(120),
        deviceIdentifier: DeviceIdentifier = .device,
        allowsAdvisoryKeys: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        storesKey: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.storageDirectory = storageDirectory
        self.persistentKeys = persistentKeys
        self.retries = retries
        self.resultTimeout = resultTimeout
        self.loadTimeout = loadTimeout
        self.deviceIdentifier = deviceIdentifier
        self.allowsAdvisoryKeys = allowsAdvisoryKeys
        self.clock = clock
        self.storesKey = storesKey
    }
}
#endif
