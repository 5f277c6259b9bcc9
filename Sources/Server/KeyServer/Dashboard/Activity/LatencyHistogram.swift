/// A histogram of latencies with buckets of growing width: four per power of two, from 16 µs to 17 s, so that the error
/// of a percentile is at most an eighth.
///
///     bucket 0           below 16 µs
///     bucket 1 + 4e + q  from (4 + q) · 2^(e+2) µs to the next, q of 0...3, e of 0...19; the last is unbounded
struct LatencyHistogram: Sendable, Equatable {
    static let bucketCount = 81
    /// The counts of the buckets; empty until the first latency, because most slots of a series stay empty.
    private(set) var counts: [UInt32] = []
    /// The number of latencies.
    private(set) var total = 0

    /// Counts a latency.
    mutating func add(microseconds: Int) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.bucketCount) }
        counts[Self.bucket(of: microseconds)] &+= 1
        total += 1
    }

    /// Adds a count to a bucket.
    mutating func add(_ count: UInt32, toBucket index: Int) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.bucketCount) }
        counts[index] &+= count
        total += Int(count)
    }

    /// Adds the counts of another histogram.
    mutating func add(_ other: LatencyHistogram) {
        guard other.total > 0 else { return }
        if counts.isEmpty {
            self = other
            return
        }
        for index in counts.indices { counts[index] &+= other.counts[index] }
        total += other.total
    }

    /// Removes all counts.
    mutating func removeAll() {
        counts.removeAll(keepingCapacity: true)
        total = 0
    }

    /// Returns a percentile of the latencies, in microseconds; nil if there are none.
    ///
    /// - Parameter share: The percentile as a fraction, such as 0.5 for the median. Latencies are assumed to be
    ///   distributed evenly within a bucket.
    func percentile(_ share: Double) -> Int? {
        guard total > 0 else { return nil }
        let wanted = max(share * Double(total), 1)
        var before = 0
        for (index, count) in counts.enumerated() where count > 0 {
            if Double(before + Int(count)) >= wanted {
                let (low, high) = (Self.lowerBound(of: index), Self.lowerBound(of: index + 1))
                return low + Int(Double(high - low) * max(wanted - Double(before) - 0.5, 0) / Double(count))
            }
            before += Int(count)
        }
        return Self.lowerBound(of: Self.bucketCount)
    }

    private static func bucket(of microseconds: Int) -> Int {
        guard microseconds >= 16 else { return 0 }
        let exponent = Int.bitWidth - 1 - microseconds.leadingZeroBitCount
        return min(1 + 4 * (exponent - 4) + (microseconds >> (exponent - 2) & 3), bucketCount - 1)
    }

    private static func lowerBound(of bucket: Int) -> Int {
        bucket == 0 ? 0 : (4 + (bucket - 1) % 4) << ((bucket - 1) / 4 + 2)
    }
}
