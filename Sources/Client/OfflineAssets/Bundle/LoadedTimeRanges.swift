/// Time ranges in seconds, in ascending order and disjoint.
public struct LoadedTimeRanges: Sendable, Hashable {
    /// The time ranges.
    public private(set) var ranges: [Range<Double>] = []

    /// Creates an empty set of ranges.
    public init() {}

    /// The total duration, in seconds.
    public var duration: Double { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// Adds a range and merges it with adjacent ranges.
    mutating func insert(_ range: Range<Double>) {
        guard !range.isEmpty else { return }
        // Most ranges are added in order, so the search starts at the end.
        var low = ranges.count
        while low > 0, ranges[low - 1].upperBound >= range.lowerBound { low -= 1 }
        var high = low
        var merged = range
        while high < ranges.count, ranges[high].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, ranges[high].lowerBound)..<max(merged.upperBound, ranges[high].upperBound)
            high += 1
        }
        ranges.replaceSubrange(low..<high, with: [merged])
    }

    /// Returns the intersection with other ranges.
    func intersection(_ other: LoadedTimeRanges) -> LoadedTimeRanges {
        var result = LoadedTimeRanges()
        var (left, right) = (0, 0)
        while left < ranges.count, right < other.ranges.count {
            let begin = max(ranges[left].lowerBound, other.ranges[right].lowerBound)
            let end = min(ranges[left].upperBound, other.ranges[right].upperBound)
            if begin < end { result.ranges.append(begin..<end) }
            if ranges[left].upperBound < other.ranges[right].upperBound { left += 1 } else { right += 1 }
        }
        return result
    }
}
