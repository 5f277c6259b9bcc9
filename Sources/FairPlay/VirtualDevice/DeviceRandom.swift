internal import FPSCrypto

extension FPSDevice {
    /// The source of a device's random numbers.
    public enum RandomSource: Sendable {
        /// The system's generator.
        case secure
        /// Deterministic numbers from a seed, for tests only. The same clock and the same calls in the same order yield
        /// the same SPCs. With the package trait `SwiftCrypto` the encrypted key in an SPC is not deterministic.
        case seeded(UInt64)
    }
}

/// The random number generator of a ``VirtualDevice/RandomSource``.
enum DeviceRandom: RandomNumberGenerator {
    case secure(SecureRandom)
    case seeded(SeededRandom)

    init(_ source: FPSDevice.RandomSource) {
        switch source {
        case .secure: self = .secure(SecureRandom())
        case .seeded(let seed): self = .seeded(SeededRandom(seed: seed))
        }
    }

    mutating func next() -> UInt64 {
        switch self {
        case .secure(var generator):
            defer { self = .secure(generator) }
            return generator.next()
        case .seeded(var generator):
            defer { self = .seeded(generator) }
            return generator.next()
        }
    }

    /// Returns a random number that is not in `taken`, and inserts it there.
    mutating func number(notIn taken: inout Set<UInt64>) -> UInt64 {
        while true {
            let number = next()
            if taken.insert(number).inserted { return number }
        }
    }

    /// Returns padding that extends a value of `count` bytes to a multiple of 16, plus up to two extra blocks of 16
    /// bytes. The padding is never all 0x00 or all 0xFF (Table 2-2).
    mutating func padding(forValueOf count: Int) -> [UInt8] {
        padding(count: (16 - count % 16) % 16 + 16 * Int.random(in: 0...2, using: &self))
    }

    /// Returns `count` random bytes that are neither all 0x00 nor all 0xFF. The count can be 0.
    mutating func padding(count: Int) -> [UInt8] {
        while true {
            let bytes = bytes(count)
            if bytes.isEmpty || !(bytes.allSatisfy { $0 == 0x00 } || bytes.allSatisfy { $0 == 0xff }) { return bytes }
        }
    }
}
