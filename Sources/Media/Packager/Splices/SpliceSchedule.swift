/// Holds the announced commands of SCTE 35 until the leading track reaches their times. A value type without I/O.
///
/// | Command | Effect |
/// |---|---|
/// | the same event again, before its time | replaces the earlier command: the time may have changed |
/// | the same event again, at a time that has been reached | none: commands are repeated |
/// | a cancellation | removes the event |
/// | a break with auto_return | ends at its duration, unless a command ends it earlier |
/// | no time is specified | applies at the next key frame |
struct SpliceSchedule: Sendable {
    /// The maximum number of commands that are held. If there are more, those with the latest times are dropped.
    private static let maximumCount = 256
    /// The number of points that are remembered, to recognize repeated commands.
    private static let maximumReached = 64
    /// The maximum difference of the times of repeated commands, in seconds.
    private static let tolerance = 0.5
    /// The time within which a command without a time is a repetition, in seconds.
    private static let immediateTolerance = 3.0

    /// The points whose time has not been reached, and whether their times are relative to the start of the part,
    /// because they were announced before.
    private var pending: [(point: SplicePoint, isRelative: Bool)] = []
    /// The last points that have been reached; their times are in the current part.
    private var reached: [SplicePoint] = []
    private var count = 0
    /// The number of commands that were dropped.
    private(set) var droppedCount = 0

    /// Adds a command.
    mutating func add(_ marker: SpliceMarker) {
        pending.removeAll { $0.point.isCancelled(by: marker.info) }
        for point in SplicePoint.points(of: marker) where !isRepetition(point) { add(point) }
    }

    private mutating func add(_ point: SplicePoint) {
        pending.removeAll { held in
            held.point.event == point.event
                && (held.point.role == point.role
                    || point.role == .in && held.point.role == .automaticReturn
                        && point.time <= held.point.time)
        }
        let place = pending.firstIndex { !$0.isRelative && $0.point.time > point.time } ?? pending.count
        pending.insert((point, false), at: place)
        guard pending.count > Self.maximumCount else { return }
        pending.removeLast()
        droppedCount += 1
    }

    private func isRepetition(_ point: SplicePoint) -> Bool {
        reached.contains { other in
            guard other.event == point.event, other.role == point.role else { return false }
            let distance = abs(RationalTime.difference(point.time, other.time).seconds)
            return distance < (point.isImmediate ? Self.immediateTolerance : Self.tolerance)
        }
    }

    /// The earliest time at which a segment is to start; nil if none is known.
    var nextTime: RationalTime? {
        pending.lazy.filter { !$0.isRelative && $0.point.startsSegment }.map(\.point.time).min()
    }

    /// Removes and returns the points that the leading track has reached where a segment starts.
    ///
    /// - Parameters:
    ///   - start: The start of the segment.
    ///   - tolerance: The time by which a point may be later than the start.
    mutating func takeReached(at start: RationalTime, tolerance: RationalTime) -> [SplicePoint] {
        for index in pending.indices where pending[index].isRelative {
            pending[index].point.time = Self.sum(start, pending[index].point.time)
            pending[index].isRelative = false
        }
        let limit = Self.sum(start, tolerance)
        var taken: [SplicePoint] = []
        // An automatic return may be reached together with the start of its break.
        while let index = pending.firstIndex(where: { $0.point.time <= limit }) {
            var point = pending.remove(at: index).point
            if point.isImmediate { point.time = start }
            let delay = RationalTime.difference(start, point.time).seconds
            if point.startsSegment, delay > tolerance.seconds { point.delay = delay }
            (point.number, count) = (count, count + 1)
            if point.role == .in { removeReturn(of: point.event) }
            addReturn(of: point)
            taken.append(point)
            reached.append(point)
            if reached.count > Self.maximumReached { reached.removeFirst() }
        }
        return taken
    }

    private mutating func removeReturn(of event: SplicePoint.Event) {
        pending.removeAll { $0.point.event == event && $0.point.role == .automaticReturn }
    }

    private mutating func addReturn(of point: SplicePoint) {
        guard point.role == .out, point.isAutomaticReturn, let duration = point.duration else { return }
        let time = RationalTime(
            point.time.value &+ RationalTime(microseconds: duration).converted(to: point.time.timescale),
            timescale: point.time.timescale
        )
        add(SplicePoint(event: point.event, role: .automaticReturn, time: time, section: []))
    }

    /// Continues in a new part, whose times start again.
    ///
    /// - Parameter end: The end of the leading track in the old part; nil if it had no samples.
    mutating func restart(after end: RationalTime?) {
        guard let end else { return }
        for index in pending.indices where !pending[index].isRelative {
            pending[index].point.time = max(.zero, RationalTime.difference(pending[index].point.time, end))
            pending[index].isRelative = true
        }
        for index in reached.indices { reached[index].time = RationalTime.difference(reached[index].time, end) }
    }

    private static func sum(_ time: RationalTime, _ duration: RationalTime) -> RationalTime {
        RationalTime(time.value &+ duration.converted(to: time.timescale), timescale: time.timescale)
    }
}
