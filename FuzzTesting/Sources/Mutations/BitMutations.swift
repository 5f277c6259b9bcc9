/// Changes bits. Codec headers consist of bit fields: inserting or removing a byte shifts all following fields by
/// eight.
///
/// - Returns: The new size of the `size` bytes, at most `limit`.
public func mutateBits(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ random: inout Xorshift) -> Int
{
    var bits: [Bool] = []
    bits.reserveCapacity(size * 8 + 64)
    for index in 0..<size { for bit in (0..<8).reversed() { bits.append(data[index] >> bit & 1 == 1) } }
    for _ in 0...Int.random(in: 0...3, using: &random) {
        // The first fields have the largest effect.
        let bound = random.next() % 2 == 0 ? min(bits.count, 256) : bits.count
        change(&bits, at: Int.random(in: 0..<max(bound, 1), using: &random), &random)
    }
    let count = min((bits.count + 7) / 8, limit)
    for index in 0..<count {
        data[index] = (0..<8).reduce(0) { byte, bit in
            let place = index * 8 + bit
            return byte << 1 | (place < bits.count && bits[place] ? 1 : 0)
        }
    }
    return count
}

private func change(_ bits: inout [Bool], at place: Int, _ random: inout Xorshift) {
    let length = min(Int.random(in: 1...12, using: &random), bits.count - place)
    switch random.next() % 5 {
    case 0: if place < bits.count { bits[place].toggle() }
    case 1: bits.insert(random.next() % 2 == 0, at: place)
    case 2: if length > 0 { bits.removeSubrange(place..<place + length) }
    case 3:
        if length > 0 { bits.insert(contentsOf: Array(bits[place..<place + length]), at: place) }
    default: replaceExpGolomb(&bits, at: place, &random)
    }
}

/// Replaces a number where an Exp-Golomb code may start.
private func replaceExpGolomb(_ bits: inout [Bool], at place: Int, _ random: inout Xorshift) {
    guard let one = bits[place...].firstIndex(of: true), one - place <= 16, 2 * one - place < bits.count else { return }
    let values: [UInt32] = [0, 1, 2, 3, 4, 7, 15, 16, 31, 32, 63, 255, 256, 65_535, UInt32(random.next() % 64)]
    let value = values[Int.random(in: values.indices, using: &random)] + 1
    let width = 32 - value.leadingZeroBitCount
    let code = Array(repeating: false, count: width - 1) + (0..<width).reversed().map { value >> UInt32($0) & 1 == 1 }
    bits.replaceSubrange(place...(2 * one - place), with: code)
}
