/// The segments of a SegmentTimeline by their numbers, as runs: an enemy can write billions in one line.
struct TimelineSegments {
    /// Segments of one length, one behind the other.
    struct Run {
        /// The numbers of the first and the last one.
        var numbers: ClosedRange<UInt64>
        /// When the first one begins, in units of the timescale.
        var time: UInt64
        /// How long each is, in units of the timescale.
        var duration: UInt64

        /// When one of them begins.
        func start(of number: UInt64) -> UInt64 { time + (number - numbers.lowerBound) * duration }

        /// When one of them ends.
        func end(of number: UInt64) -> UInt64 { start(of: number) + duration }
    }

    /// The runs, in order of their numbers.
    let runs: [Run]
    private let timescale: UInt32
    private let offset: UInt64

    /// Nil for a timeline without segments, one that is left open, and one that goes beyond 64 bits.
    init?(_ template: SegmentTemplate) {
        guard template.timescale > 0, !template.timeline.isEmpty, TimelineExtent(template.timeline)?.isOpen == false,
            template.nextNumber != nil
        else { return nil }
        var (number, time) = (template.startNumber, UInt64(0))
        var runs: [Run] = []
        for run in template.timeline {
            time = run.time ?? time
            // Neither overflows: the extent and the count were found.
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

    /// The numbers of the first and the last segment.
    var numbers: ClosedRange<UInt64>? {
        guard let first = runs.first, let last = runs.last else { return nil }
        return first.numbers.lowerBound...last.numbers.upperBound
    }

    /// The run that a segment is in.
    func run(of number: UInt64) -> Run? { runs.first { $0.numbers.contains(number) } }

    /// When a segment ends, in seconds after the beginning of its Period; nil when there is none of that number.
    func end(of number: UInt64) -> Double? {
        guard let run = run(of: number) else { return nil }
        return (Double(run.end(of: number)) - Double(offset)) / Double(timescale)
    }

    /// The number of the first segment that both have, but at another time or with another length; nil: there is none.
    func firstDifference(from other: TimelineSegments) -> UInt64? {
        var (mine, others) = (runs[...], other.runs[...])
        while let run = mine.first, let second = others.first {
            let low = max(run.numbers.lowerBound, second.numbers.lowerBound)
            let high = min(run.numbers.upperBound, second.numbers.upperBound)
            if low <= high, run.start(of: low) != second.start(of: low) || run.duration != second.duration {
                return low
            }
            if run.numbers.upperBound <= second.numbers.upperBound { mine.removeFirst() } else { others.removeFirst() }
        }
        return nil
    }
}
