/// Numbers that look random and follow from a 64-bit seed alone: for tests and test vectors, never for keys in use.
///
/// The numbers are defined to the byte, so that another implementation can make the same ones:
///
/// - key: the first 16 bytes of SHA-256 over the seed as 8 big-endian bytes;
/// - keystream: AES-128 of the 128-bit big-endian counters 0, 1, 2, … under that key, one block of 16 bytes after
///   another (that is AES-128-CTR over zeros with an all-zero IV);
/// - ``next()``: the next 8 bytes of the keystream as a big-endian number;
/// - `bytes(_:)`: the next bytes of the keystream in order, in whole numbers: 5 bytes use up 8, 16 bytes use up 16.
///
/// It is a value: a copy gives the same numbers again.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private let key: SecretBytes
    private var block: UInt64 = 0
    private var pool: [UInt8] = []
    private var used = 0

    /// Makes a generator that starts at the beginning of the keystream of `seed`.
    public init(seed: UInt64) {
        let seed = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (56 - 8 * $0)) }
        key = SecretBytes(copying: SHA256.hash(seed)[..<16])
    }

    /// The next 8 bytes of the keystream as a big-endian number.
    public mutating func next() -> UInt64 {
        if used == pool.count { refill() }
        defer { used += 8 }
        return pool[used..<used + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Makes the next 16 blocks of the keystream.
    private mutating func refill() {
        let counter =
            [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: block >> (56 - 8 * $0)) }
        do {
            pool = try AES128.encryptCTR([UInt8](repeating: 0, count: 256), key: key, counter: counter)
        } catch {
            preconditionFailure("AES-CTR does not encrypt: \(error)")
        }
        block += 16
        used = 0
    }
}

extension RandomNumberGenerator {
    /// The next `count` random bytes. They come from whole calls of `next()`, each number's most significant byte
    /// first; what is left of the last number is dropped.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        makeBytes(count: count) { fill($0) }
    }

    /// Fills `buffer` as ``bytes(_:)`` does.
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
