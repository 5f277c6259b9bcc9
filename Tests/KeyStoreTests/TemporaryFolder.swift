import Foundation

/// A folder of mode 0700 that is deleted with this value.
package final class TemporaryFolder: Sendable {
    /// The absolute path.
    package let path: String

    /// Creates an empty folder.
    package init() {
        path = NSTemporaryDirectory() + "/keyway-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names in the folder, sorted.
    package var names: [String] { Self.names(in: path) }

    /// Returns the names in a folder, sorted.
    package static func names(in path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    /// Returns the content of a file, or no bytes if it does not exist.
    package func bytes(of name: String) -> [UInt8] {
        FileManager.default.contents(atPath: path + "/" + name).map { Array($0) } ?? []
    }

    /// Writes a file of mode 0600.
    package func write(_ text: String, to name: String) { write(bytes: Array(text.utf8), to: name) }

    /// Writes a file of mode 0600.
    package func write(bytes: [UInt8], to name: String) {
        _ = FileManager.default.createFile(
            atPath: path + "/" + name,
            contents: Data(bytes),
            attributes: [.posixPermissions: 0o600]
        )
    }
}

/// Returns the permission bits of a file, or nil if it does not exist.
package func permissions(of path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? Int
}
