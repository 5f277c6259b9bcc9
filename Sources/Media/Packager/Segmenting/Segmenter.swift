/// Divides the samples of tracks into segments. A value type without I/O: it receives the times of samples, and returns
/// decisions.
///
/// The leading track is the first video track, or the first track if there is no video. It is cut at the first sync
/// sample whose presentation time is at or after the next point of a grid, whose points are one target duration apart.
/// So segments do not drift if the interval of sync samples does not divide the target duration.
///
/// The other tracks follow: each is cut at its first sample whose presentation time is at or after the cut. This is
/// known only once the leading track has been decoded beyond that time; until then, the samples of a follower wait. A
/// follower that is video must have a sync sample at exactly that time. A follower with sync samples that is not video
/// (xHE-AAC) is cut at the first of them.
///
/// A follower that starts much earlier than the leading track is also cut where the leading track starts, and one target
/// duration apart before it.
///
/// | Track of the sample | Condition | Decision |
/// |---|---|---|
/// | leader | a sync sample at or after the grid point or a splice | `cut` of the leader, then `append` |
/// | leader | any other sample | `append` |
/// | follower | presented before the next cut, or before the leader's decode time | `append` |
/// | follower | presented at or after the next cut | `cut` of the follower, then `append` |
/// | follower | presented after the leader's decode time | none: the sample waits |
public struct Segmenter: Sendable {
    private struct State {
        var track: Track
        /// The number of cuts made.
        var cuts = 0
        /// The samples that have not been assigned to a segment.
        var waiting = Queue<Timing>()
        var hasStarted = false
        var hasEnded = false
    }

    /// The part of ``Timing`` that decides about a waiting sample.
    private struct Start {
        let presentation: RationalTime
        let isSync: Bool
    }

    private let target: RationalTime
    private let maximumWaiting: Int
    private let leader: Int
    private var states: [State]
    /// The presentation times of the leader's cuts that some track has not passed.
    private var cuts = CutList()
    /// The number of the next grid point.
    private var gridIndex: Int64 = 1
    private var origin: RationalTime?
    /// The number of cuts before the start of the leading track.
    private var earlyCuts = 0
    /// The decode time of the leader's last sample.
    private var reached: RationalTime?
    /// The start of the leader's current segment, its last sync sample, and the longest interval between sync samples.
    private var segmentStart: RationalTime?
    private var lastSync: RationalTime?
    private var longestDistance: RationalTime?

    /// The maximum duration of the leader's segments, as far as sync samples permit: a segment ends before its grid
    /// point if the next sync sample is likely to be too late. Nil for no maximum.
    public var maximumDuration: RationalTime?
    /// The time from which the leading track is cut at the next sync sample, also before the next grid point, which then
    /// follows one target duration later: a splice. Nil for none.
    public var earliestSplice: RationalTime?

    /// Creates a segmenter.
    ///
    /// - Parameters:
    ///   - tracks: The tracks, which samples reference by index; not empty.
    ///   - target: The target duration.
    ///   - maximumWaiting: The maximum number of samples of a track that wait for the leading track.
    public init(tracks: [Track], target: RationalTime, maximumWaiting: Int = 100_000) {
        precondition(!tracks.isEmpty && target > .zero, "the segmenter requires tracks and a positive target duration")
        self.target = target
        self.maximumWaiting = maximumWaiting
        leader = tracks.firstIndex { $0.isVideo } ?? 0
        states = tracks.map { State(track: $0) }
    }

    /// The time from which on the leading track is cut at the next sync sample; nil before its start.
    package var nextCut: RationalTime? {
        guard origin != nil else { return nil }
        return earliestSplice.map { min($0, gridPoint(gridIndex)) } ?? gridPoint(gridIndex)
    }

    /// Adds the next sample of a track.
    ///
    /// - Returns: The decisions that can now be made.
    /// - Throws: ``Failure``.
    public mutating func add(_ sample: Timing, track: Int) throws(Failure) -> [Decision] {
        var decisions: [Decision] = []
        if track == leader {
            try lead(sample, &decisions)
            try releaseFollowers(&decisions)
        } else {
            states[track].waiting.append(sample)
            if let origin { addCutsBeforeLeader(origin) }
            try release(track, &decisions)
            guard states[track].waiting.count <= maximumWaiting else {
                throw .badInterleaving(
                    track: states[track].track.name,
                    leader: states[leader].track.name,
                    waiting: maximumWaiting
                )
            }
        }
        return decisions
    }

    /// Adds the end of a track. At the end of the leading track, no sample waits any longer.
    ///
    /// - Returns: The decisions that can now be made; a last `cut` for each track that has ended.
    /// - Throws: ``Failure``.
    public mutating func end(track: Int) throws(Failure) -> [Decision] {
        var decisions: [Decision] = []
        guard !states[track].hasEnded else { return decisions }
        states[track].hasEnded = true
        if track == leader {
            if states[leader].hasStarted { decisions.append(.cut(track: leader, next: nil)) }
            try releaseFollowers(&decisions)
        } else {
            try release(track, &decisions)
        }
        return decisions
    }

    private mutating func lead(_ sample: Timing, _ decisions: inout [Decision]) throws(Failure) {
        if !states[leader].hasStarted {
            guard sample.isSync || !states[leader].track.isVideo else {
                throw .noSyncSampleAtStart(track: states[leader].track.name)
            }
            states[leader].hasStarted = true
            origin = sample.presentation
            segmentStart = sample.presentation
            addCutsBeforeLeader(sample.presentation)
        } else if sample.isSync,
            sample.presentation >= gridPoint(gridIndex) || reachesSplice(sample.presentation)
                || wouldExceedMaximumDuration(sample.presentation)
        {
            if reachesSplice(sample.presentation), sample.presentation < gridPoint(gridIndex) {
                (origin, gridIndex) = (sample.presentation, 1)
            }
            cuts.append(sample.presentation)
            segmentStart = sample.presentation
            decisions.append(.cut(track: leader, next: sample.presentation))
            states[leader].cuts += 1
            // A long interval between sync samples skips grid points.
            while gridPoint(gridIndex) <= sample.presentation { gridIndex += 1 }
        }
        if sample.isSync { lastSync = sample.presentation }
        reached = sample.decode
        decisions.append(.append(track: leader, sample))
    }

    /// Adds cuts for tracks that start earlier than the leading track: at its start, and before it. Samples are released
    /// only afterwards: the first samples of several inputs arrive in any order.
    private mutating func addCutsBeforeLeader(_ start: RationalTime) {
        guard cuts.count == 0, states.indices.allSatisfy({ $0 == leader || !states[$0].hasStarted }),
            let earliest = states.compactMap({ $0.waiting.first { $0.presentation } }).min()
        else { return }
        let lead = start.seconds - earliest.seconds
        guard lead >= LateStarts.shortestDelay else { return }
        earlyCuts = Int(min(max(0, (lead - LateStarts.shortestDelay) / target.seconds), 100_000))
        for index in stride(from: earlyCuts, through: 0, by: -1) { cuts.append(gridPoint(-Int64(index))) }
        states[leader].cuts = cuts.count
    }

    private func reachesSplice(_ time: RationalTime) -> Bool { earliestSplice.map { time >= $0 } ?? false }

    /// Returns whether the segment would become too long if the next sync sample came after the longest interval so
    /// far.
    private mutating func wouldExceedMaximumDuration(_ time: RationalTime) -> Bool {
        if let lastSync {
            longestDistance = max(
                longestDistance ?? .zero,
                RationalTime(time.value &- lastSync.value, timescale: time.timescale)
            )
        }
        guard let maximumDuration, let segmentStart, let longestDistance else { return false }
        let end = time.value &+ longestDistance.converted(to: time.timescale)
        return RationalTime(end &- segmentStart.value, timescale: time.timescale) > maximumDuration
    }

    /// Returns the time of a grid point: a number of target durations after the start.
    private func gridPoint(_ index: Int64) -> RationalTime {
        guard let origin else { return .zero }
        // Use the timescale of the leading track; the rounding error is below one unit and does not accumulate.
        let (product, overflow) = target.value.multipliedReportingOverflow(by: index)
        guard !overflow else { return RationalTime(.max, timescale: origin.timescale) }
        let offset = RationalTime(product, timescale: target.timescale).converted(to: origin.timescale)
        let (sum, over) = origin.value.addingReportingOverflow(offset)
        return RationalTime(over ? .max : sum, timescale: origin.timescale)
    }

    private mutating func releaseFollowers(_ decisions: inout [Decision]) throws(Failure) {
        for track in states.indices where track != leader { try release(track, &decisions) }
        cuts.removeCuts(before: states.indices.filter { !isDone($0) }.map { states[$0].cuts }.min() ?? cuts.count)
    }

    /// Returns whether a track needs no more cuts.
    private func isDone(_ track: Int) -> Bool {
        states[track].hasEnded && states[track].waiting.isEmpty
    }

    /// Decides about the waiting samples of a follower, up to the leader's decode time.
    private mutating func release(_ track: Int, _ decisions: inout [Decision]) throws(Failure) {
        while let sample = states[track].waiting.first({ Start(presentation: $0.presentation, isSync: $0.isSync) }) {
            addCutAfterLeader(track, sample)
            if states[track].cuts < cuts.count, sample.presentation >= cuts[states[track].cuts], canCut(track, sample) {
                try checkAligned(track, sample)
                if states[track].hasStarted { decisions.append(.cut(track: track, next: sample.presentation)) }
                states[track].cuts += 1
                // A gap may span several cuts: each of them ends a segment, even if it is empty.
                continue
            }
            guard states[leader].hasEnded || isDecided(track, sample) else { break }
            states[track].hasStarted = true
            if let timing = states[track].waiting.removeFirst() { decisions.append(.append(track: track, timing)) }
        }
        if states[track].hasEnded, states[track].waiting.isEmpty, states[track].hasStarted {
            decisions.append(.cut(track: track, next: nil))
            states[track].hasStarted = false
        }
    }

    /// Adds cuts at the grid points after the end of the leading track.
    private mutating func addCutAfterLeader(_ track: Int, _ sample: Start) {
        guard states[leader].hasEnded, states[track].cuts == cuts.count, !states[track].track.isVideo else { return }
        // A leading track without samples has no grid.
        if origin == nil { origin = sample.presentation }
        guard sample.presentation >= gridPoint(gridIndex) else { return }
        cuts.append(gridPoint(gridIndex))
        gridIndex += 1
    }

    /// Returns whether a track can be cut at a sample. Video is cut only at sync samples: a sample that is presented
    /// after the cut, but decoded with the preceding group of pictures, stays in its segment.
    private func canCut(_ track: Int, _ sample: Start) -> Bool {
        !states[track].track.startsWithSync || sample.isSync
    }

    private func checkAligned(_ track: Int, _ sample: Start) throws(Failure) {
        guard states[track].track.isVideo, states[track].cuts >= earlyCuts else { return }
        let cut = cuts[states[track].cuts]
        guard sample.presentation != cut else { return }
        throw .unalignedVideo(
            track: states[track].track.name,
            leader: states[leader].track.name,
            cut: cut,
            next: sample.presentation
        )
    }

    /// Returns whether the decision about a sample is final: the leader has been decoded up to its presentation time,
    /// so that no later sample of the leader can be cut before it.
    private func isDecided(_ track: Int, _ sample: Start) -> Bool {
        if states[track].cuts < cuts.count {
            return sample.presentation < cuts[states[track].cuts] || !canCut(track, sample)
        }
        guard let reached else { return false }
        return sample.presentation < reached
    }
}
