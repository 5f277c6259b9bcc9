import ContentKeySession
import Synchronization

/// An in-memory store of persistent keys.
final class InMemoryPersistentKeys: PersistentKeyStore {
    private let keys = Mutex<[String: [UInt8]]>([:])
    var all: [String: [UInt8]] { keys.withLock { $0 } }
    func key(for identifier: String) async -> [UInt8]? { all[identifier] }
    func save(_ key: [UInt8], for identifier: String) async { keys.withLock { $0[identifier] = key } }
}

extension KeyLoaderSettings {
    /// Returns settings that differ from the defaults.
    static func with(_ change: (inout KeyLoaderSettings) -> Void) -> KeyLoaderSettings {
        var settings = KeyLoaderSettings()
        change(&settings)
        return settings
    }
}
