import FPSCrypto
import Synchronization
import VirtualDevice

/// A memory that stores images, or fails.
final class TestDeviceMemory: DeviceMemory {
    struct Full: Error {}
    private let images = Mutex<[SecretBytes]>([])
    private let isFull = Mutex(false)
    private let isProtected = Mutex(false)

    init(_ image: SecretBytes? = nil) { if let image { images.withLock { $0 = [image] } } }

    func setFull(_ value: Bool) { isFull.withLock { $0 = value } }
    func setReadOnly(_ value: Bool) { isProtected.withLock { $0 = value } }

    var last: SecretBytes? { images.withLock { $0.last } }
    var isReadOnly: Bool { isProtected.withLock { $0 } }
    func recall() throws -> SecretBytes? { last }
    func remember(_ image: SecretBytes) throws {
        guard !isFull.withLock({ $0 }), !isReadOnly else { throw Full() }
        images.withLock { $0.append(image) }
    }
}
