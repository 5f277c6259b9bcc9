import Foundation
import Testing

/// A folder that is removed when the test ends.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// The names of the files in the folder, including hidden files.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }

    /// Creates a file and returns its path.
    @discardableResult
    func make(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        try #require(chmod(path(name), mode) == 0)
        return path(name)
    }

    /// Creates a symbolic link and returns its path.
    @discardableResult
    func link(_ name: String, to target: String) throws -> String {
        try #require(symlink(target, path(name)) == 0)
        return path(name)
    }

    /// Returns the content of a file, or nil if there is no file.
    func text(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the status of a path, without following links.
    func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Returns the type of a file, without following links.
    func kind(_ path: String) -> mode_t? { status(path).map { $0.st_mode & S_IFMT } }
}
