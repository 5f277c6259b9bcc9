public import ContentKeySession
import Locking

/// A store of persistent keys in memory, as an app has one on disk.
public final class TestPersistentKeys: VersionedPersistentKeyStore {
    private struct Stored: Sendable {
        var key: [UInt8]
        var protocolVersions: [UInt32]?
    }
    private let stored = Lock<[String: Stored]>([:])

    /// Creates an empty store.
    public init() {}

    /// The stored keys by identifier.
    public var keys: [String: [UInt8]] { stored.withLock { $0.mapValues(\.key) } }

    /// Returns the stored key for an identifier, or nil.
    public func key(for identifier: String) -> [UInt8]? { stored.withLock { $0[identifier]?.key } }

    /// Returns the protocol versions that the stored key was requested with; nil if they are not known.
    public func protocolVersions(for identifier: String) -> [UInt32]? {
        stored.withLock { $0[identifier]?.protocolVersions }
    }

    /// Stores a key and replaces an older one, with its protocol versions.
    public func save(_ key: [UInt8], for identifier: String) {
        stored.withLock { $0[identifier] = Stored(key: key, protocolVersions: $0[identifier]?.protocolVersions) }
    }

    /// Stores a key and replaces an older one.
    public func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) {
        stored.withLock { $0[identifier] = Stored(key: key, protocolVersions: protocolVersions) }
    }

    /// Removes a key.
    public func remove(_ identifier: String) { stored.withLock { $0[identifier] = nil } }
}
