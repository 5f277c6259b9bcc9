public import ContentKeySession
import Locking

/// A store of persistent keys in memory, as an app has one on disk.
public final class TestPersistentKeys: PersistentKeyStore {
    private let stored = Lock<[String: [UInt8]]>([:])

    /// Creates an empty store.
    public init() {}

    /// The stored keys by identifier.
    public var keys: [String: [UInt8]] { stored.withLock { $0 } }

    /// Returns the stored key for an identifier, or nil.
    public func key(for identifier: String) -> [UInt8]? { stored.withLock { $0[identifier] } }

    /// Stores a key and replaces an older one.
    public func save(_ key: [UInt8], for identifier: String) { stored.withLock { $0[identifier] = key } }

    /// Removes a key.
    public func remove(_ identifier: String) { stored.withLock { $0[identifier] = nil } }
}
