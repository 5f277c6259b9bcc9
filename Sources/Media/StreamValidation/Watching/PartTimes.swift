import HLSPlaylist

/// The times at which Partial Segments were listed, compared with the durations of the parts before them.
///
/// The delay of a part is the time by which it comes later, relative to its place in the media, than the fastest of the last parts:
/// neither the clock of the encoder nor its latency has to be known.
struct PartTimes {
    /// The delays so far.
    private(set) var delays = PartDelays()
    private var position = 0.0
    private var last: (sequence: UInt64, index: Int)?
    /// The arrivals of the last parts minus their positions, in seconds.
    private var offsets: [Double] = []

    /// The number of parts with which a part is compared, and the minimum tolerance of networks in seconds.
    private static let (count, minimumTolerance) = (64, 0.5)

    init() {}

    /// Begins again, after failed loads.
    mutating func interrupt() { (last, offsets) = (nil, []) }

    /// Takes the parts that a snapshot lists first.
    ///
    /// - Parameters:
    ///   - target: The Part Target Duration in seconds.
    mutating func take(
        _ parts: [SegmentTracker.Part],
        target: Double,
        now: Duration,
        playlist: String
    ) -> ValidationFinding? {
        guard let first = parts.first, let newest = parts.last else { return nil }
        let follows = last.map { known in
            first.sequence == known.sequence
                ? first.index == known.index + 1 : first.sequence == known.sequence + 1 && first.index == 0
        }
        if follows != true { offsets = [] }
        last = (newest.sequence, newest.index)
        // Of the parts that a response lists together, the first one has waited longest.
        let offset = PlaybackTime.seconds(now) - position - PlaybackTime.clamped(first.tag.duration)
        position += parts.reduce(0) { $0 + PlaybackTime.clamped($1.tag.duration) }
        defer {
            offsets.append(offset)
            if offsets.count > Self.count { offsets.removeFirst() }
        }
        guard let least = offsets.min() else { return nil }
        let delay = max(0, offset - least)
        delays.add(delay)
        // A part may take its own duration, which is at most the Part Target Duration; as much again is for the network.
        let limit = target + max(target, Self.minimumTolerance)
        guard delay > limit else { return nil }
        // What follows is compared with this part.
        offsets = []
        return ValidationFinding(
            observed: "part-late",
            .init(playlist, first),
            "A Partial Segment comes later after the part before it than the Part Target Duration.",
            measured: ValidationRule.secondsText(delay),
            limit: "\(ValidationRule.secondsText(limit)) (PART-TARGET and a tolerance)"
        )
    }
}

/// How much later than the fastest ones Partial Segments were listed, in seconds.
public struct PartDelays: Hashable, Sendable {
    /// The number of parts that were compared.
    public private(set) var count = 0
    /// The largest delay.
    public private(set) var maximum = 0.0
    /// The sum of the delays.
    private var total = 0.0

    /// Creates the delays before any part was compared.
    public init() {}

    /// The average delay; 0 without parts.
    public var average: Double { count > 0 ? total / Double(count) : 0 }

    mutating func add(_ delay: Double) {
        count += 1
        total += delay
        maximum = max(maximum, delay)
    }

    /// Adds the delays of another playlist.
    mutating func add(_ other: PartDelays) {
        count += other.count
        total += other.total
        maximum = max(maximum, other.maximum)
    }
}
