/// Decides in which key period a segment lies. A value: the cuts of the leading rendition go in, numbers come out.
///
///     leader     | 0 | 1 | 2 | 3 | 4 | 5 |        a period of two segments
///     period     |   7   |   8   |   9   |        it begins where a segment of the leader begins
///     follower   |  0 | 1 |  2 | 3 |  4  |        and there for every other rendition: by time, not by number
///
/// Points of time are a period apart, counted from the first segment, so that periods do not drift when the length of
/// segments does not divide theirs. A segment that spans several points passes over them: numbers go on by one, so that no
/// key is asked for in vain.
struct KeyPeriodSchedule: Sendable {
    /// Boundaries that are kept for renditions that are behind: more than may wait.
    private static let mostBoundaries = 4096

    private let rotation: KeyRotation?
    private var boundaries: [(start: MediaTime, number: Int)] = []
    private var number: Int
    private var origin: MediaTime?
    private var nextPoint: MediaTime?
    private var segments = 0

    /// Begins with a period; without rotation it never ends.
    init(_ rotation: KeyRotation?, first number: Int = 0) {
        self.rotation = rotation
        self.number = number
    }

    /// Takes the beginning of a segment of the leading rendition.
    mutating func begin(at start: MediaTime) {
        guard let origin else {
            origin = start
            nextPoint = point(after: start)
            boundaries = [(start, number)]
            return
        }
        segments += 1
        let isOver: Bool
        switch rotation?.length {
        case nil: isOver = false
        case .segments(let count): isOver = segments.isMultiple(of: count)
        case .seconds: isOver = nextPoint.map { start >= $0 } ?? false
        }
        guard isOver else { return }
        number += 1
        while let passed = nextPoint, passed <= start { nextPoint = point(after: passed) }
        boundaries.append((max(start, origin), number))
        if boundaries.count > Self.mostBoundaries { boundaries.removeFirst(Self.mostBoundaries / 2) }
    }

    /// The period of a segment that begins at a time. What begins before the leader belongs to its first period.
    func period(at start: MediaTime) -> Int {
        boundaries.last { $0.start <= start }?.number ?? boundaries.first?.number ?? number
    }

    private func point(after time: MediaTime) -> MediaTime? {
        guard case .seconds(let count) = rotation?.length else { return nil }
        let (step, overflow) = Int64(count).multipliedReportingOverflow(by: Int64(time.timescale))
        let (value, over) = time.value.addingReportingOverflow(step)
        return overflow || over ? nil : MediaTime(value, timescale: time.timescale)
    }
}
