/// The library's random generator, seeded by the operating system: for keys, initialization vectors, nonces, padding.
///
/// It draws 256 bytes at a time and wipes each one as it is given out. Copies share what is left, so that no two give
/// out the same bytes; therefore it is not `Sendable`: every task makes its own. A process that forks without calling
/// exec must make a new one in the child.
///
/// When the operating system cannot give randomness there is no safe way on, and the process stops.
public struct SecureRandom: RandomNumberGenerator {
    private let pool = Pool()

    /// Makes a generator.
    public init() {}

    /// The next 8 random bytes.
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
