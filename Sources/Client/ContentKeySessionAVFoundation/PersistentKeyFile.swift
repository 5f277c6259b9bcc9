#if canImport(AVFoundation)
public import ContentKeySession
public import Foundation

/// A store of persistent keys in one file of the app. Only the device that created a persistent key can open it.
///
/// Each change replaces the file atomically, so that a crash leaves either the old key or the new one. Put the file
/// into a folder that is not backed up, because another device cannot use it.
///
/// For clear keys (``OfflineClearKeys``), write a store that uses the keychain: they are usable on any device.
public actor PersistentKeyFile: PersistentKeyStore {
    private let file: URL
    private var keys: [String: Data]?

    /// Creates a store for a file. The file does not have to exist, but its folder must.
    public init(_ file: URL) { self.file = file }

    /// Returns the stored key for an identifier.
    public func key(for identifier: String) -> [UInt8]? { all()[identifier].map { Array($0) } }

    /// Stores a key and replaces an older one. If the file cannot be written, the key is kept in memory until the app
    /// ends.
    public func save(_ key: [UInt8], for identifier: String) {
        change { $0[identifier] = Data(key) }
    }

    /// Deletes a key. To prove the deletion to the server, let the session invalidate the key first.
    public func deleteKey(for identifier: String) {
        change { $0[identifier] = nil }
    }

    /// The identifiers of all keys, sorted.
    public var identifiers: [String] { all().keys.sorted() }

    private func change(_ body: (inout [String: Data]) -> Void) {
        var changed = all()
        body(&changed)
        keys = changed
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // A write error is ignored: the next playback requests the key from the server again.
        try? encoder.encode(changed).write(to: file, options: .atomic)
    }

    private func all() -> [String: Data] {
        if let keys { return keys }
        let read = (try? Data(contentsOf: file)).flatMap {
            try? PropertyListDecoder().decode([String: Data].self, from: $0)
        }
        // A file that cannot be read, as before the first unlock after a restart, is read again at the next access.
        if read != nil || !FileManager.default.fileExists(atPath: file.path) { keys = read ?? [:] }
        return read ?? [:]
    }
}
#endif
