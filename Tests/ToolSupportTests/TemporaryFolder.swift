import Foundation

/// A folder that is deleted when the test ends.
final class TemporaryFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file that only its owner can read, and returns its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = url.appending(path: name).path
        guard
            FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return path
    }
}
