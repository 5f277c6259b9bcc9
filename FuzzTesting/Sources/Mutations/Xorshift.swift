/// The same seed makes the same numbers, as libFuzzer expects of whatever is done with an input.
public struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    /// Begins anew.
    public init(seed: UInt64) { state = seed << 1 | 1 }

    /// The next 61 bits.
    public mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state >> 3
    }

    /// One of a list that is not empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }

    /// Whether it is the one case of `count`.
    public mutating func isOne(of count: UInt64) -> Bool { next() % count == 0 }
}
