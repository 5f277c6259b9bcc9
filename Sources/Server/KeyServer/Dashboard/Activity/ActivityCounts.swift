/// Counts of many keys within the last hour, by minute, in bounded memory.
struct ActivityCounts<Key: Hashable & Sendable>: Sendable {
    /// The number of minutes.
    static var minutes: Int64 { 60 }
    /// The maximum number of different keys per minute, because devices choose their reports.
    static var capacity: Int { 128 }

    private let other: Key
    private var minutes = [[Key: Int]](repeating: [:], count: Int(Self.minutes))
    private var numbers = [Int64](repeating: .min, count: Int(Self.minutes))

    /// Creates empty counts.
    ///
    /// - Parameter other: The key that counts all others when the capacity is exhausted.
    init(other: Key) { self.other = other }

    /// Counts a key at a time, in Unix seconds.
    mutating func add(_ key: Key, at time: Int64) {
        let minute = time / 60
        let index = Int(minute.magnitude % UInt64(Self.minutes))
        guard minute >= numbers[index] else { return }
        if minute > numbers[index] {
            numbers[index] = minute
            minutes[index].removeAll(keepingCapacity: true)
        }
        let isKnown = minutes[index][key] != nil || minutes[index].count < Self.capacity
        minutes[index][isKnown ? key : other, default: 0] += 1
    }

    /// Returns the counts in the last `count` minutes, including the current one.
    func sum(minutes count: Int, at time: Int64) -> [Key: Int] {
        let present = time / 60
        let oldest = present - Int64(min(max(count, 1), Int(Self.minutes))) + 1
        var sum: [Key: Int] = [:]
        for (number, counts) in zip(numbers, minutes) where oldest...present ~= number {
            for (key, count) in counts { sum[key, default: 0] += count }
        }
        return sum
    }
}
