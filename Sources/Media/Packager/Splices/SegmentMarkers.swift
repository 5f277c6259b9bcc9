/// The commands of SCTE 35 and the ID3 tags that wait for the segments that they belong to. A value type without I/O.
struct SegmentMarkers {
    private static let maximumMetadata = 1024
    private static let maximumReached = 256

    private var schedule = SpliceSchedule()
    /// The commands that have been reached, for each rendition until it has a segment that starts at the same time or
    /// later.
    private var reached: [Int: [(cut: RationalTime, point: SplicePoint)]] = [:]
    private var metadata: [TimedMetadata] = []
    /// The number of ID3 tags that were dropped: too many were waiting, or their part ended before their segment.
    private(set) var droppedMetadata = 0

    /// The number of commands that were dropped, because too many were announced.
    var droppedSplices: Int { schedule.droppedCount }
    /// The earliest time at which a segment is to start; nil if none is known.
    var nextSplice: RationalTime? { schedule.nextTime }

    /// Adds a command.
    mutating func add(_ marker: SpliceMarker) { schedule.add(marker) }

    /// Adds ID3 tags.
    mutating func add(_ tags: TimedMetadata) {
        guard metadata.count < Self.maximumMetadata else { return drop() }
        metadata.append(tags)
    }

    /// Counts ID3 tags that cannot be passed on.
    mutating func drop() { droppedMetadata += 1 }

    /// Assigns the commands that the leading track has reached to the next segments of renditions.
    ///
    /// - Parameters:
    ///   - start: The start of a segment of the leading track.
    ///   - tolerance: The time by which a command may be later than the start.
    mutating func reach(_ start: RationalTime, tolerance: RationalTime, renditions: [Int]) {
        for point in schedule.takeReached(at: start, tolerance: tolerance) {
            for rendition in renditions where reached[rendition, default: []].count < Self.maximumReached {
                reached[rendition, default: []].append((start, point))
            }
        }
    }

    /// Removes and returns the commands that apply to a segment that starts at a time.
    mutating func takeSplices(of rendition: Int, upTo start: RationalTime) -> [SplicePoint] {
        guard let waiting = reached[rendition] else { return [] }
        let found = waiting.filter { $0.cut <= start }
        if !found.isEmpty { reached[rendition] = waiting.filter { $0.cut > start } }
        return found.map(\.point)
    }

    /// Removes and returns the ID3 tags that are presented before a time.
    mutating func takeMetadata(before end: RationalTime) -> [TimedMetadata] {
        guard !metadata.isEmpty else { return [] }
        let found = metadata.filter { $0.time < end }
        metadata.removeAll { $0.time < end }
        return found
    }

    /// Continues in a new part. Commands that have been reached apply to its first segments.
    mutating func beginPart() {
        droppedMetadata += metadata.count
        metadata = []
        for (rendition, points) in reached {
            reached[rendition] = points.map { (RationalTime(.min / 2, timescale: 1), $0.point) }
        }
    }

    /// Continues in a new part whose times start again.
    ///
    /// - Parameter end: The end of the leading track in the old part; nil if it had no samples.
    mutating func beginPart(after end: RationalTime?) {
        schedule.restart(after: end)
        beginPart()
    }
}
