import CLibcrypto

/// libcrypto's random generator, seeded by the operating system: for keys, initialisation vectors, nonces, padding.
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

    /// Fills `buffer` straight from libcrypto.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 30))
            let start = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
            precondition(RAND_bytes(start, Int32(part.count)) == 1, "no random bytes to be had from the system")
            rest = rest.dropFirst(part.count)
        }
    }

    private final class Pool {
        private static let size = 256
        private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Pool.size, alignment: 8)
        private var used = Pool.size

        deinit {
            OPENSSL_cleanse(memory.baseAddress, memory.count)
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
