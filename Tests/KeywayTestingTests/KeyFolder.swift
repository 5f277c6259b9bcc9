// The store of docs/testing.md. DocumentedStoreTests compares the two.

// begin
import ContentKeySession
import Foundation

/// An app's persistent keys, in one file of a folder that is not backed up.
actor KeyFolder: VersionedPersistentKeyStore {
    private struct StoredKey: Codable {
        var key: Data
        var versions: [UInt32]
    }

    private let file: URL
    private var keys: [String: StoredKey] = [:]

    /// Creates the folder if it does not exist. A file that cannot be read is an error, so that it is not replaced.
    init(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appendingPathComponent("keys.plist")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        keys = try PropertyListDecoder().decode([String: StoredKey].self, from: Data(contentsOf: file))
    }

    func key(for identifier: String) -> [UInt8]? { keys[identifier].map { Array($0.key) } }

    func protocolVersions(for identifier: String) -> [UInt32]? { keys[identifier]?.versions }

    /// Stores a key that the device created in place of another one, whose protocol versions it has.
    func save(_ key: [UInt8], for identifier: String) throws {
        try save(key, protocolVersions: keys[identifier]?.versions ?? [1], for: identifier)
    }

    func save(_ key: [UInt8], protocolVersions: [UInt32], for identifier: String) throws {
        var changed = keys
        changed[identifier] = StoredKey(key: Data(key), versions: protocolVersions)
        try PropertyListEncoder().encode(changed).write(to: file, options: .atomic)
        keys = changed
    }
}
// end
