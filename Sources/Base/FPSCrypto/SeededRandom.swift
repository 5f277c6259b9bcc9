/// A deterministic random number generator with a 64-bit seed, for tests and test vectors. Never use it for real keys.
///
/// The algorithm is fully specified, so that another implementation can generate the same numbers:
///
/// - key: the first 16 bytes of the SHA-256 of the seed as 8 big-endian bytes;
/// - keystream: AES-128 of the 128-bit big-endian counters 0, 1, 2, … with that key, one block of 16 bytes after
///   another (this is AES-128-CTR of zeros with an all-zero IV);
/// - ``next()``: the next 8 bytes of the keystream as a big-endian number;
/// - `bytes(_:)`: the next bytes of the keystream in order, in whole numbers: 5 bytes consume 8, 16 bytes consume 16.
///
/// The type is a value: a copy returns the same numbers again.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private let key: SecretBytes
    private var block: UInt64 = 0
    private var pool: [UInt8] = []
    private var used = 0

    /// Creates a generator at the start of the keystream of `seed`.
    public init(seed: UInt64) {
        let seed = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (56 - 8 * $0)) }
        key = SecretBytes(copying: SHA256.hash(seed)[..<16])
    }

    /// Returns the next 8 bytes of the keystream as a big-endian number.
    public mutating func next() -> UInt64 {
        if used == pool.count { refill() }
        defer { used += 8 }
        return pool[used..<used + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Generates the next 16 blocks of the keystream.
    private mutating func refill() {
        let counter =
            [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: block >> (56 - 8 * $0)) }
        do {
            pool = try AES128.encryptCTR([UInt8](repeating: 0, count: 256), key: key, counter: counter)
        } catch {
            preconditionFailure("AES-CTR encryption failed: \(error)")
        }
        block += 16
        used = 0
    }
}

extension RandomNumberGenerator {
    /// Returns the next `count` random bytes, from calls of `next()`, with the most significant byte of each number
    /// first. The rest of the last number is discarded.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        makeBytes(count: count) { fill($0) }
    }

    /// Fills `buffer` with the same bytes that ``bytes(_:)`` returns.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var done = 0
        while done < buffer.count {
            withUnsafeBytes(of: next().bigEndian) { number in
                let size = min(number.count, buffer.count - done)
                UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + size])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: number[..<size]))
                done += size
            }
        }
    }
}
