/// The segments of a SegmentTimeline by number, stored as runs, because one line of a malicious manifest can contain
/// billions of segments.
struct TimelineSegments {
    /// Consecutive segments of the same duration.
    struct Run {
        /// The numbers of the segments.
        var numbers: ClosedRange<UInt64>
        /// The start time of the first segment, in units of the timescale.
        var time: UInt64
        /// The duration of each segment, in units of the timescale.
        var duration: UInt64

        /// Returns the start time of a segment, in units of the timescale.
        func start(of number: UInt64) -> UInt64 { time + (number - numbers.lowerBound) * duration }

        /// Returns the end time of a segment, in units of the timescale.
        func end(of number: UInt64) -> UInt64 { start(of: number) + duration }
    }

    /// The runs, in the order of their numbers.
    let runs: [Run]
    private let timescale: UInt32
    private let offset: UInt64

    /// Creates the segments of a template; nil for a timeline that is empty, open-ended, or exceeds 64 bits.
    init?(_ template: SegmentTemplate) {
        guard template.timescale > 0, !template.timeline.isEmpty, TimelineExtent(template.timeline)?.isOpen == false,
            template.nextNumber != nil
        else { return nil }
        var (number, time) = (template.startNumber, UInt64(0))
        var runs: [Run] = []
        for run in template.timeline {
            time = run.time ?? time
            // This cannot overflow, because `TimelineExtent` and `nextNumber` have checked the values.
            let last = number + UInt64(run.repeats)
            let (end, overflow) = time.addingReportingOverflow((last - number + 1) * run.duration)
            guard !overflow else { return nil }
            runs.append(Run(numbers: number...last, time: time, duration: run.duration))
            (number, time) = (last + 1, end)
        }
        self.runs = runs
        timescale = template.timescale
        offset = template.presentationTimeOffset
    }

    /// The numbers of the segments.
    var numbers: ClosedRange<UInt64>? {
        guard let first = runs.first, let last = runs.last else { return nil }
        return first.numbers.lowerBound...last.numbers.upperBound
    }

    /// Returns the run that contains a segment; nil when there is none.
    func run(of number: UInt64) -> Run? { runs.first { $0.numbers.contains(number) } }

    /// Returns the end time of a segment, in seconds from the start of its Period; nil when there is no segment with
    /// the number.
    func end(of number: UInt64) -> Double? {
        guard let run = run(of: number) else { return nil }
        return (Double(run.end(of: number)) - Double(offset)) / Double(timescale)
    }

    /// Returns the number of the first segment that both timelines have, but with a different time or duration; nil
    /// when there is none.
    ///
    /// - Parameter isLastIncomplete: Whether the last segment of the other timeline may have another duration.
    func firstDifference(from other: TimelineSegments, isLastIncomplete: Bool) -> UInt64? {
        guard let number = firstDifference(from: other) else { return nil }
        guard isLastIncomplete, number == other.numbers?.upperBound,
            run(of: number)?.start(of: number) == other.run(of: number)?.start(of: number)
        else { return number }
        return nil
    }

    private func firstDifference(from other: TimelineSegments) -> UInt64? {
        var (own, others) = (runs[...], other.runs[...])
        while let run = own.first, let second = others.first {
            let low = max(run.numbers.lowerBound, second.numbers.lowerBound)
            let high = min(run.numbers.upperBound, second.numbers.upperBound)
            if low <= high, run.start(of: low) != second.start(of: low) || run.duration != second.duration {
                return low
            }
            if run.numbers.upperBound <= second.numbers.upperBound { own.removeFirst() } else { others.removeFirst() }
        }
        return nil
    }
}
