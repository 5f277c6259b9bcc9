#if canImport(AVFoundation)
public import ContentKeySession
public import Foundation

/// Keeps persistable keys in one file of the app. Such a key opens on the device that made it alone.
///
/// Each change replaces the file as a whole, so that the app may end at any moment: either the old key is there or the
/// new one. The file belongs into a folder that is not backed up, since another device could not use it.
///
/// For keys in the clear (``KeptClearKeys``) write a store of your own over the keychain: those open everywhere.
public actor KeyFile: KeptKeys {
    private let file: URL
    private var keys: [String: Data]?

    /// Names the file. It need not exist; its folder has to.
    public init(_ file: URL) { self.file = file }

    /// The key that is kept for an identifier.
    public func key(for identifier: String) -> [UInt8]? { all()[identifier].map { Array($0) } }

    /// Keeps a key in the place of an older one. If the file cannot be written, the key lasts as long as the app runs.
    public func keep(_ key: [UInt8], for identifier: String) {
        change { $0[identifier] = Data(key) }
    }

    /// Forgets a key. To prove that to the server, let the session invalidate it first.
    public func forget(_ identifier: String) {
        change { $0[identifier] = nil }
    }

    /// The identifiers of all keys, in order.
    public var identifiers: [String] { all().keys.sorted() }

    private func change(_ body: (inout [String: Data]) -> Void) {
        var changed = all()
        body(&changed)
        keys = changed
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // There is nobody to tell: the next play asks the server again.
        try? encoder.encode(changed).write(to: file, options: .atomic)
    }

    private func all() -> [String: Data] {
        if let keys { return keys }
        let read = (try? Data(contentsOf: file)).flatMap {
            try? PropertyListDecoder().decode([String: Data].self, from: $0)
        }
        // A file that cannot be read, as before the first unlock after a start, is read again the next time.
        if read != nil || !FileManager.default.fileExists(atPath: file.path) { keys = read ?? [:] }
        return read ?? [:]
    }
}
#endif
