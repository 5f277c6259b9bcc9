/// A pseudorandom generator that gives the same numbers for the same seed, which libFuzzer requires of mutations.
public struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator with a seed.
    public init(seed: UInt64) { state = seed << 1 | 1 }

    /// Returns the next 61 bits.
    public mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state >> 3
    }

    /// Returns a random element of a list that is not empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }

    /// Returns true in one of `count` cases.
    public mutating func isOne(of count: UInt64) -> Bool { next() % count == 0 }
}
