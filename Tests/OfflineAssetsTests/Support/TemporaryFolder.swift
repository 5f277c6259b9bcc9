import Foundation

/// A folder that is removed when the value is deallocated.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("keyway-offline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Functions for files in tests.
enum Files {
    static func read(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { Array($0) } }
    static func text(_ path: String) -> String { String(decoding: read(path) ?? [], as: UTF8.self) }
    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
    static func copy(_ path: String, to place: String) throws {
        try FileManager.default.copyItem(atPath: path, toPath: place)
    }
    static func names(_ path: String) -> [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
