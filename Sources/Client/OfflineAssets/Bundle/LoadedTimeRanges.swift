/// Spans of a film's time, in seconds: ascending, apart from each other.
public struct LoadedTimeRanges: Sendable, Hashable {
    /// The spans.
    public private(set) var ranges: [Range<Double>] = []

    /// Nothing.
    public init() {}

    /// The sum of their lengths, in seconds.
    public var duration: Double { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// Adds a span; those that touch it become one with it.
    mutating func insert(_ range: Range<Double>) {
        guard !range.isEmpty else { return }
        // Most come in order: the place is looked for from the end.
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

    /// What both have.
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
