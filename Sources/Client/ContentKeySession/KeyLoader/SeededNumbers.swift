/// A random number generator with a seed (SplitMix64), for reproducible jitter. Not for cryptography.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator from a seed.
    package init(seed: UInt64) { state = seed }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var number = state
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }
}

extension Duration {
    /// Returns a uniformly distributed duration between zero and this one, which is at most 292 years; zero if this one
    /// is not positive.
    func random(using random: inout some RandomNumberGenerator) -> Duration {
        let whole = nanoseconds
        return whole > 0 ? .nanoseconds(Int64.random(in: 0...whole, using: &random)) : .zero
    }

    /// The duration in whole nanoseconds, clamped to the range of Int64.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, more) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || more ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
