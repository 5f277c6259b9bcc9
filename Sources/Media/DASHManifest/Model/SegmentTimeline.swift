/// A SegmentTimeline that grows at its end and loses segments at its beginning (ISO/IEC 23009-1, 5.3.9.6).
extension SegmentTemplate {
    /// When the first segment begins and the last one ends in the media; nil for an empty timeline, and for one that cannot
    /// be counted.
    public var timelineRange: Range<UInt64>? {
        guard let extent = TimelineExtent(timeline), extent.start <= extent.end else { return nil }
        return extent.start..<extent.end
    }

    /// How many segments the timeline has; nil when that cannot be counted, or is left open.
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

    /// The number of the segment that comes next; nil when it cannot be counted.
    public var nextNumber: UInt64? {
        guard let segmentCount else { return nil }
        let (sum, overflow) = startNumber.addingReportingOverflow(segmentCount)
        return overflow ? nil : sum
    }

    /// A segment of a timeline.
    public struct Segment: Hashable, Sendable {
        /// What `$Number$` stands for.
        public let number: UInt64
        /// When it begins in the media.
        public let time: UInt64
        /// How long it is.
        public let duration: UInt64
    }

    /// The segments, one by one; ask ``segmentCount`` first when a stranger wrote the timeline. Empty when they cannot be
    /// counted.
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

    /// Adds a segment at the end.
    ///
    /// - Parameter time: When it begins in the media; where that is behind the end of the one before, there is a gap.
    public mutating func append(duration: UInt64, at time: UInt64) {
        let end = timelineRange?.upperBound
        if let last = timeline.indices.last, end == time, timeline[last].duration == duration {
            timeline[last].repeats += 1
        } else {
            timeline.append(Run(time: end == time ? nil : time, duration: duration))
        }
    }

    /// Removes the first segment; the others keep their times and numbers. Does nothing when there is none.
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
