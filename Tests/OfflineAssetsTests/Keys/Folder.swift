import FPSCrypto
import Foundation

@testable import OfflineAssets

/// A folder that is removed when the test ends.
final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "/offline-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names(_ folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []).sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
    }

    func write(_ bytes: some Collection<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }

    func store(_ key: StorageKey? = nil) throws -> OfflineKeyStore {
        try OfflineKeyStore(folder: path + "/keys", key: try key ?? StorageKey.open(path + "/storage.key"))
    }
}

extension StorageKey {
    /// Returns a key of one repeated byte.
    static func of(_ byte: UInt8) throws -> StorageKey {
        try StorageKey(SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }
}
