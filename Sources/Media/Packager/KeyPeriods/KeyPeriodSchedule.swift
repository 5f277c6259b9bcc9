/// Assigns segments to key periods. A value type without I/O: it receives the start times of the leading rendition's
/// segments, and returns period numbers.
///
///     leader     | 0 | 1 | 2 | 3 | 4 | 5 |        a period of two segments
///     period     |   7   |   8   |   9   |        starts at the start of a segment of the leader
///     follower   |  0 | 1 |  2 | 3 |  4  |        others change at the same time, not at the same number
///
/// Rotation times are a multiple of the period length after the first segment, so that periods do not drift if the
/// segment duration does not divide the period length. If a segment spans several rotation times, the number increases
/// only by one, so that no keys are requested without being used.
struct KeyPeriodSchedule: Sendable {
    /// The maximum number of boundaries stored for renditions that lag behind the leader.
    private static let maximumBoundaries = 4096

    private let rotation: KeyRotation?
    private var boundaries: [(start: RationalTime, number: Int)] = []
    private var number: Int
    private var origin: RationalTime?
    private var nextRotationTime: RationalTime?
    private var segments = 0

    /// Creates a schedule that starts with a period. Without rotation, this period never ends.
    init(_ rotation: KeyRotation?, first number: Int = 0) {
        self.rotation = rotation
        self.number = number
    }

    /// Adds the start of a segment of the leading rendition.
    mutating func begin(at start: RationalTime) {
        guard let origin else {
            origin = start
            nextRotationTime = rotationTime(after: start)
            boundaries = [(start, number)]
            return
        }
        segments += 1
        let hasPassed: Bool
        switch rotation?.length {
        case nil: hasPassed = false
        case .segments(let count): hasPassed = segments.isMultiple(of: count)
        case .seconds: hasPassed = nextRotationTime.map { start >= $0 } ?? false
        }
        guard hasPassed else { return }
        number += 1
        while let passed = nextRotationTime, passed <= start { nextRotationTime = rotationTime(after: passed) }
        boundaries.append((max(start, origin), number))
        if boundaries.count > Self.maximumBoundaries { boundaries.removeFirst(Self.maximumBoundaries / 2) }
    }

    /// Returns whether the leading rendition's current segment is the last one of its period.
    ///
    /// - Parameter end: The earliest time at which it can end.
    func endsPeriod(at end: RationalTime) -> Bool {
        switch rotation?.length {
        case nil: false
        case .segments(let count): (segments + 1).isMultiple(of: count)
        case .seconds: nextRotationTime.map { end >= $0 } ?? false
        }
    }

    /// Continues in a new part of the presentation, whose times start again at 0. With rotation, the part starts a new
    /// period.
    mutating func restart() {
        guard origin != nil else { return }
        if rotation != nil { number += 1 }
        (origin, nextRotationTime, segments, boundaries) = (nil, nil, 0, [])
    }

    /// Returns the period of a segment that starts at a time. A segment that starts before the leader belongs to its
    /// first period.
    func period(at start: RationalTime) -> Int {
        boundaries.last { $0.start <= start }?.number ?? boundaries.first?.number ?? number
    }

    private func rotationTime(after time: RationalTime) -> RationalTime? {
        guard case .seconds(let count) = rotation?.length else { return nil }
        let (step, overflow) = Int64(count).multipliedReportingOverflow(by: Int64(time.timescale))
        let (value, over) = time.value.addingReportingOverflow(step)
        return overflow || over ? nil : RationalTime(value, timescale: time.timescale)
    }
}
