import FPSCrypto
import Foundation
import OfflineAssets
import VirtualDevice

/// The storage of a virtual device in an encrypted file, so that all runs of the tool are the same device.
struct EncryptedDeviceMemory: DeviceMemory {
    private let file: EncryptedFile
    let isReadOnly: Bool

    /// Creates storage in the file at this path.
    init(_ path: String, key: StorageKey, isReadOnly: Bool) {
        file = EncryptedFile(path, as: "virtual device", key: key)
        self.isReadOnly = isReadOnly || file.isReadOnly
    }

    /// True if a device is stored.
    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    func recall() throws -> SecretBytes? { try file.read() }
    func remember(_ image: SecretBytes) throws { try file.write(image) }
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value { try file.exclusively(body) }
}
