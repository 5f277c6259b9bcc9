internal import FPSCrypto

extension FPSDevice {
    /// Where a device's random numbers come from.
    public enum RandomSource: Sendable {
        /// The system's generator.
        case secure
        /// Numbers that follow from a seed: with the same clock and the same calls in the same order, the same SPCs. For
        /// tests only. With the package trait `SwiftCrypto` the encrypted key in an SPC follows from nothing.
        case seeded(UInt64)
    }
}

/// The generator behind a ``VirtualDevice/RandomSource``.
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

    /// A random number other than those in `taken`, which it then belongs to.
    mutating func number(notIn taken: inout Set<UInt64>) -> UInt64 {
        while true {
            let number = next()
            if taken.insert(number).inserted { return number }
        }
    }

    /// Padding that fills a value of `count` bytes up to a multiple of 16 and goes on for up to two more times 16.
    /// Never all 0x00 or all 0xFF (Table 2-2).
    mutating func padding(forValueOf count: Int) -> [UInt8] {
        padding(count: (16 - count % 16) % 16 + 16 * Int.random(in: 0...2, using: &self))
    }

    /// `count` random bytes that are neither all 0x00 nor all 0xFF; there may be none.
    mutating func padding(count: Int) -> [UInt8] {
        while true {
            let bytes = bytes(count)
            if bytes.isEmpty || !(bytes.allSatisfy { $0 == 0x00 } || bytes.allSatisfy { $0 == 0xff }) { return bytes }
        }
    }
}
