/// The random number generator of the cryptographic library, which is seeded by the operating system, for keys,
/// initialization vectors, nonces and padding.
///
/// The generator fetches 256 bytes at a time and wipes each byte when it returns it. Copies share the remaining bytes,
/// so that two copies never return the same bytes. So the type is not `Sendable`, and every task must create a
/// generator. A process that forks without calling exec must create a new generator in the child.
///
/// If the operating system cannot provide random bytes, the process traps, because it cannot continue safely.
public struct SecureRandom: RandomNumberGenerator {
    private let pool = Pool()

    /// Creates a generator.
    public init() {}

    /// Returns the next 8 random bytes as a number.
    public mutating func next() -> UInt64 { pool.next() }

    private final class Pool {
        private static let size = 256
        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Pool.size, alignment: 8)
        private var used = Pool.size

        deinit {
            SecretBytes.wipe(memory)
            memory.deallocate()
        }

        func next() -> UInt64 {
            if used == Pool.size {
                SecureRandom.fill(memory)
                used = 0
            }
            defer {
                memory.storeBytes(of: 0, toByteOffset: used, as: UInt64.self)
                used += 8
            }
            return memory.load(fromByteOffset: used, as: UInt64.self)
        }
    }
}
