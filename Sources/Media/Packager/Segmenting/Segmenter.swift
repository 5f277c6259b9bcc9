/// Decides which samples make a segment. A value without I/O: samples' times go in, decisions come out.
///
/// One track leads: the first video track, or the first track where there is no video. It is cut at its first sync
/// sample whose presentation time is not before the next point of a grid, whose points are a target duration apart. So
/// segments do not drift when the distance of sync samples does not divide the target duration.
///
/// The other tracks follow: each is cut at its first sample whose presentation time is not before the cut. Whether that
/// is so is known only when the leading track has been decoded beyond that time; until then a follower's samples wait.
/// A follower that is video must have a sync sample at exactly that time.
///
/// | Sample of | that | Decision |
/// |---|---|---|
/// | the leader | is a sync sample at or after the grid point | `cut` of the leader, then `append` |
/// | the leader | is any other | `append` |
/// | a follower | is presented before the next cut, or before what the leader has reached | `append` |
/// | a follower | is presented at or after the next cut | `cut` of the follower, then `append` |
/// | a follower | is presented after what the leader has reached | it waits |
public struct Segmenter: Sendable {
    private struct State {
        var track: Track
        /// The number of cuts that were made.
        var cuts = 0
        var waiting: [Timing] = []
        var head = 0
        var hasBegun = false
        var hasEnded = false
    }

    private let target: MediaTime
    private let greatestWait: Int
    private let leader: Int
    private var states: [State]
    /// The presentation times at which the leader was cut, as far as a track is behind them.
    private var cuts = CutList()
    /// The number of the next grid point.
    private var gridIndex: Int64 = 1
    private var origin: MediaTime?
    /// What the leader has been decoded up to.
    private var reached: MediaTime?
    /// Where the leader's open segment begins, its last sync sample, and the longest distance of two.
    private var segmentStart: MediaTime?
    private var lastSync: MediaTime?
    private var longestDistance: MediaTime?

    /// What no segment of the leader is to exceed, as far as sync samples allow: where the next one is likely to come too
    /// late, a segment ends before its grid point. Nil: nothing.
    public var greatestDuration: MediaTime?

    /// Makes a segmenter.
    ///
    /// - Parameters:
    ///   - tracks: The tracks; samples name them by their places here. Not empty.
    ///   - target: The target duration.
    ///   - greatestWait: How many samples of one track may wait for the leading track.
    public init(tracks: [Track], target: MediaTime, greatestWait: Int = 100_000) {
        precondition(!tracks.isEmpty && target > .zero, "there are tracks, and a target duration")
        self.target = target
        self.greatestWait = greatestWait
        leader = tracks.firstIndex { $0.isVideo } ?? 0
        states = tracks.map { State(track: $0) }
    }

    /// Takes the next sample of a track.
    ///
    /// - Returns: What is to be done now.
    /// - Throws: ``Failure``.
    public mutating func add(_ sample: Timing, track: Int) throws(Failure) -> [Decision] {
        var decisions: [Decision] = []
        if track == leader {
            try lead(sample, &decisions)
            try releaseFollowers(&decisions)
        } else {
            states[track].waiting.append(sample)
            try release(track, &decisions)
            guard states[track].waiting.count - states[track].head <= greatestWait else {
                throw .badInterleaving(
                    track: states[track].track.name,
                    leader: states[leader].track.name,
                    waiting: greatestWait
                )
            }
        }
        return decisions
    }

    /// Takes the end of a track. When the leading track ends, nothing waits any more.
    ///
    /// - Returns: What is to be done now; a last `cut` for each track that has ended.
    /// - Throws: ``Failure``.
    public mutating func end(track: Int) throws(Failure) -> [Decision] {
        var decisions: [Decision] = []
        states[track].hasEnded = true
        if track == leader {
            if states[leader].hasBegun { decisions.append(.cut(track: leader)) }
            try releaseFollowers(&decisions)
        } else {
            try release(track, &decisions)
        }
        return decisions
    }

    private mutating func lead(_ sample: Timing, _ decisions: inout [Decision]) throws(Failure) {
        if !states[leader].hasBegun {
            guard sample.isSync || !states[leader].track.isVideo else {
                throw .noSyncSampleAtStart(track: states[leader].track.name)
            }
            states[leader].hasBegun = true
            origin = sample.presentation
            segmentStart = sample.presentation
        } else if sample.isSync, sample.presentation >= gridPoint(gridIndex) || isLastChance(sample.presentation) {
            cuts.append(sample.presentation)
            segmentStart = sample.presentation
            decisions.append(.cut(track: leader))
            states[leader].cuts += 1
            // A long distance between sync samples passes over grid points.
            while gridPoint(gridIndex) <= sample.presentation { gridIndex += 1 }
        }
        if sample.isSync { lastSync = sample.presentation }
        reached = sample.decode
        decisions.append(.append(track: leader))
    }

    /// Whether the segment would become too long if the next sync sample came as late as the latest so far.
    private mutating func isLastChance(_ time: MediaTime) -> Bool {
        if let lastSync {
            longestDistance = max(
                longestDistance ?? .zero,
                MediaTime(time.value &- lastSync.value, timescale: time.timescale)
            )
        }
        guard let greatestDuration, let segmentStart, let longestDistance else { return false }
        let end = time.value &+ longestDistance.converted(to: time.timescale)
        return MediaTime(end &- segmentStart.value, timescale: time.timescale) > greatestDuration
    }

    /// The time of a grid point: a number of target durations after the beginning.
    private func gridPoint(_ index: Int64) -> MediaTime {
        guard let origin else { return .zero }
        // In the timescale of the leading track; the rounding is below a unit and does not add up.
        let (product, overflow) = target.value.multipliedReportingOverflow(by: index)
        guard !overflow else { return MediaTime(.max, timescale: origin.timescale) }
        let offset = MediaTime(product, timescale: target.timescale).converted(to: origin.timescale)
        let (sum, over) = origin.value.addingReportingOverflow(offset)
        return MediaTime(over ? .max : sum, timescale: origin.timescale)
    }

    private mutating func releaseFollowers(_ decisions: inout [Decision]) throws(Failure) {
        for track in states.indices where track != leader { try release(track, &decisions) }
        cuts.forget(before: states.indices.filter { !isDone($0) }.map { states[$0].cuts }.min() ?? cuts.count)
    }

    /// Whether a track will not look at a cut any more.
    private func isDone(_ track: Int) -> Bool {
        states[track].hasEnded && states[track].head == states[track].waiting.count
    }

    /// Decides about the samples of a follower that wait, as far as the leader has come.
    private mutating func release(_ track: Int, _ decisions: inout [Decision]) throws(Failure) {
        while states[track].head < states[track].waiting.count {
            let sample = states[track].waiting[states[track].head]
            addCutAfterEnd(track, sample)
            if states[track].cuts < cuts.count, sample.presentation >= cuts[states[track].cuts], canCut(track, sample) {
                try checkAligned(track, sample)
                if states[track].hasBegun { decisions.append(.cut(track: track)) }
                states[track].cuts += 1
                // A gap may reach over several cuts: each ends a segment, though an empty one.
                continue
            }
            guard states[leader].hasEnded || isDecided(track, sample) else { break }
            states[track].hasBegun = true
            decisions.append(.append(track: track))
            states[track].head += 1
        }
        if states[track].head > 1024, states[track].head * 2 > states[track].waiting.count {
            states[track].waiting.removeFirst(states[track].head)
            states[track].head = 0
        }
        if states[track].hasEnded, states[track].head == states[track].waiting.count, states[track].hasBegun {
            decisions.append(.cut(track: track))
            states[track].hasBegun = false
        }
    }

    /// What is longer than the leading track is cut at the points of the grid.
    private mutating func addCutAfterEnd(_ track: Int, _ sample: Timing) {
        guard states[leader].hasEnded, states[track].cuts == cuts.count, !states[track].track.isVideo,
            sample.presentation >= gridPoint(gridIndex)
        else { return }
        cuts.append(gridPoint(gridIndex))
        gridIndex += 1
    }

    /// Video is cut at sync samples only: a sample that is presented after the cut but decoded as part of the group
    /// before it stays there.
    private func canCut(_ track: Int, _ sample: Timing) -> Bool { !states[track].track.isVideo || sample.isSync }

    private func checkAligned(_ track: Int, _ sample: Timing) throws(Failure) {
        let state = states[track]
        guard state.track.isVideo, sample.presentation != cuts[state.cuts] else { return }
        throw .unalignedVideo(
            track: state.track.name,
            leader: states[leader].track.name,
            cut: cuts[state.cuts],
            next: sample.presentation
        )
    }

    /// Whether no later sample of the leader can be presented before this one and cut there: the leader has been
    /// decoded up to its time.
    private func isDecided(_ track: Int, _ sample: Timing) -> Bool {
        if states[track].cuts < cuts.count {
            return sample.presentation < cuts[states[track].cuts] || !canCut(track, sample)
        }
        guard let reached else { return false }
        return sample.presentation < reached
    }
}
