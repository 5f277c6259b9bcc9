import FPSCrypto
import OfflineAssets
import VirtualDevice

/// What a virtual device remembers, in an encrypted file: two runs of the tool are the same device.
struct SealedDeviceMemory: DeviceMemory {
    private let file: SealedFile

    /// In the file of that name.
    init(_ path: String, key: StorageKey) { file = SealedFile(path, as: "virtual device", key: key) }

    func recall() throws -> SecretBytes? { try file.read() }
    func remember(_ image: SecretBytes) throws { try file.write(image) }
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value { try file.exclusively(body) }
}
