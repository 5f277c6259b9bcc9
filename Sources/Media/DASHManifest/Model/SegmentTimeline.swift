/// The segments of a SegmentTimeline, and functions that append and remove segments (ISO/IEC 23009-1, 5.3.9.6).
extension SegmentTemplate {
    /// The media time range from the start of the first segment to the end of the last one, in units of the timescale;
    /// nil for an empty timeline, and for one whose end exceeds 64 bits.
    public var timelineRange: Range<UInt64>? {
        guard let extent = TimelineExtent(timeline), extent.start <= extent.end else { return nil }
        return extent.start..<extent.end
    }

    /// The number of segments of the timeline; nil when the timeline is open-ended, or when the number exceeds 64 bits.
    public var segmentCount: UInt64? {
        var count: UInt64 = 0
        for run in timeline {
            guard run.repeats >= 0 else { return nil }
            let (sum, overflow) = count.addingReportingOverflow(UInt64(run.repeats) + 1)
            guard !overflow else { return nil }
            count = sum
        }
        return count
    }

    /// The number of the segment after the last one; nil when the timeline is open-ended, or when the number exceeds 64
    /// bits.
    public var nextNumber: UInt64? {
        guard let segmentCount else { return nil }
        let (sum, overflow) = startNumber.addingReportingOverflow(segmentCount)
        return overflow ? nil : sum
    }

    /// A segment of a timeline.
    public struct Segment: Hashable, Sendable {
        /// The segment number, which is the value of `$Number$`.
        public let number: UInt64
        /// The media time at which the segment starts, in units of the timescale.
        public let time: UInt64
        /// The duration, in units of the timescale.
        public let duration: UInt64
    }

    /// The expanded segments. Check ``segmentCount`` first if the manifest is not trusted, because a timeline can
    /// contain billions of segments. Empty for an open-ended timeline, and for one that exceeds 64 bits.
    public var segments: [Segment] {
        guard nextNumber != nil, timelineRange != nil else { return [] }
        var segments: [Segment] = []
        var time: UInt64 = 0
        for run in timeline {
            time = run.time ?? time
            for _ in 0...max(0, run.repeats) {
                segments.append(
                    Segment(number: startNumber + UInt64(segments.count), time: time, duration: run.duration)
                )
                time &+= run.duration
            }
        }
        return segments
    }

    /// Appends a segment.
    ///
    /// - Parameter time: The media time at which the segment starts. A time after the end of the preceding segment
    ///   results in a gap.
    public mutating func append(duration: UInt64, at time: UInt64) {
        let end = timelineRange?.upperBound
        if let last = timeline.indices.last, end == time, timeline[last].duration == duration {
            timeline[last].repeats += 1
        } else {
            timeline.append(Run(time: end == time ? nil : time, duration: duration))
        }
    }

    /// Changes the duration of the last segment. Returns whether it was another one.
    @discardableResult
    public mutating func changeLastDuration(to duration: UInt64) -> Bool {
        guard let last = timeline.last, last.repeats >= 0, last.duration != duration, let range = timelineRange else {
            return false
        }
        removeLast()
        append(duration: duration, at: range.upperBound - last.duration)
        return true
    }

    /// Removes the last segment, if there is one.
    public mutating func removeLast() {
        guard let last = timeline.indices.last else { return }
        if timeline[last].repeats > 0 { timeline[last].repeats -= 1 } else { timeline.removeLast() }
    }

    /// Removes the first segment, if there is one. The others keep their times and numbers.
    public mutating func removeFirst() {
        guard var first = timeline.first else { return }
        startNumber &+= 1
        let (next, overflow) = (first.time ?? 0).addingReportingOverflow(first.duration)
        guard first.repeats <= 0 else {
            first.repeats -= 1
            first.time = overflow ? first.time : next
            timeline[0] = first
            return
        }
        timeline.removeFirst()
        if !timeline.isEmpty, timeline[0].time == nil { timeline[0].time = overflow ? first.time : next }
    }
}
