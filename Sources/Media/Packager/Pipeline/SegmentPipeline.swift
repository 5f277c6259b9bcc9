import FileWriting
import MediaFormats

/// Takes samples from inputs, lets ``Segmenter`` decide where segments end, and gives out segments that are complete:
/// of all renditions, each as soon as its end is certain.
final class SegmentPipeline {
    /// The samples of a segment that is complete, and where it is.
    struct Segment {
        /// The place of its rendition among those that are made of samples.
        var rendition: Int
        /// Its samples in decoding order; not empty.
        var samples: [MediaSample]
        /// When its first sample is presented.
        var start: MediaTime
        /// When the next one's first sample is presented, or where its last sample ends.
        var end: MediaTime
        /// The key period in which it lies.
        var period: Int
        /// The longest distance between two of its key frames, or of the last one and its end; in seconds.
        var longestGroup: Double
    }

    private struct TrackState {
        /// Samples about which nothing is decided yet, from `head` on.
        var waiting: [MediaSample] = []
        var head = 0
        /// The samples of the open segment.
        var open: [MediaSample] = []
    }

    private struct InputState {
        /// The places of its tracks among the renditions; nil for a track that is not wanted.
        var tracks: [Int?]
        /// When its last sample is decoded, in the presentation.
        var reached = MediaTime(.min / 2, timescale: 1)
        var hasEnded = false
        /// ``MediaInput/breaks`` when the pipeline was made.
        var breaks: Int
    }

    /// The inputs.
    let inputs: [any MediaInput]
    /// The renditions that are made of samples; the segmenter's tracks are in this order.
    let renditions: [PackagingPlan.Rendition]
    /// The place of the rendition whose segments decide where the others' end.
    let leader: Int
    private var segmenter: Segmenter
    private var schedule: KeyPeriodSchedule
    private var states: [TrackState]
    private var sources: [InputState]
    private var ready: [Segment] = []
    private var hasEnded = false
    /// Whether it ends where an input does not go on from what was before.
    private let endsAtBreaks: Bool
    private var hasBegun = false
    /// Whether it has ended there.
    private(set) var isBroken = false

    /// Prepares a pipeline.
    ///
    /// - Parameters:
    ///   - firstPeriod: The number of the key period in which the first segment lies.
    ///   - endsAtBreaks: Whether it ends where an input does not go on from what was before, or any of them ends.
    /// - Throws: ``JobFailure`` when there are no samples to be expected.
    init(_ plan: PackagingPlan, firstPeriod: Int = 0, endsAtBreaks: Bool = false) throws(JobFailure) {
        self.endsAtBreaks = endsAtBreaks
        let sampled = plan.sampledRenditions
        guard !sampled.isEmpty else {
            throw JobFailure("input", "there are subtitles alone: give the film that they belong to as well")
        }
        inputs = plan.inputs
        renditions = sampled.map { plan.renditions[$0] }
        leader = renditions.firstIndex { $0.media.kind == .video } ?? 0
        segmenter = Segmenter(
            tracks: renditions.map { rendition in
                Segmenter.Track(
                    isVideo: rendition.media.kind == .video,
                    name: "\(plan.inputs[rendition.input].name) (\(rendition.folder))"
                )
            },
            target: plan.job.segmentDuration
        )
        schedule = KeyPeriodSchedule(plan.job.rotation, first: firstPeriod)
        states = [TrackState](repeating: TrackState(), count: renditions.count)
        sources = plan.inputs.indices.map { input in
            InputState(
                tracks: plan.inputs[input].tracks.indices.map { track in
                    sampled.firstIndex { plan.renditions[$0].input == input && plan.renditions[$0].track == track }
                },
                breaks: plan.inputs[input].breaks
            )
        }
    }

    /// What no segment is to exceed, as far as key frames allow; see ``Segmenter/greatestDuration``.
    var greatestDuration: MediaTime? {
        get { segmenter.greatestDuration }
        set { segmenter.greatestDuration = newValue }
    }

    /// The next segment that is complete; nil when all inputs have come to their ends. Reads as much as that takes, and
    /// no more.
    ///
    /// - Throws: ``InputFailure``, `Segmenter.Failure`, ``FileFailure``.
    func next() throws -> Segment? {
        while ready.isEmpty, !hasEnded { try read() }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Ends all tracks where they are, whatever the inputs would still have: their last segments are complete then.
    ///
    /// - Throws: `Segmenter.Failure`.
    func end() throws {
        for index in sources.indices where !sources[index].hasEnded { try endInput(index) }
        hasEnded = true
    }

    private func read() throws {
        guard let index = nextInput() else {
            hasEnded = true
            return
        }
        guard let (place, sample) = try inputs[index].next() else { return try endInput(index) }
        if endsAtBreaks, inputs[index].breaks != sources[index].breaks {
            isBroken = true
            return try end()
        }
        guard let track = sources[index].tracks[place] else { return }
        // What is taken up in the middle begins with the next key frame.
        if endsAtBreaks, track == leader, !hasBegun {
            guard sample.isSync else { return }
            hasBegun = true
        }
        let timing = Segmenter.Timing(sample, in: renditions[track].media)
        sources[index].reached = timing.decode
        states[track].waiting.append(sample)
        carryOut(try segmenter.add(timing, track: track))
    }

    private func endInput(_ index: Int) throws {
        sources[index].hasEnded = true
        for case let track? in sources[index].tracks { carryOut(try segmenter.end(track: track)) }
    }

    /// The input that is behind: its last sample was decoded first.
    private func nextInput() -> Int? {
        var first: Int?
        for index in sources.indices where !sources[index].hasEnded {
            if let other = first, sources[other].reached <= sources[index].reached { continue }
            first = index
        }
        return first
    }

    private func carryOut(_ decisions: [Segmenter.Decision]) {
        for decision in decisions {
            switch decision {
            case .append(let track):
                let sample = states[track].waiting[states[track].head]
                if track == leader, states[track].open.isEmpty { schedule.begin(at: presentation(sample, track)) }
                states[track].open.append(sample)
                states[track].head += 1
                if states[track].head > 512, states[track].head * 2 > states[track].waiting.count {
                    states[track].waiting.removeFirst(states[track].head)
                    states[track].head = 0
                }
            case .cut(let track): close(track)
            }
        }
    }

    /// Completes the open segment of a track. One without samples, in a gap, is no segment: the one before it lasts longer.
    private func close(_ track: Int) {
        guard let first = states[track].open.first else { return }
        let start = presentation(first, track)
        let end: MediaTime
        if states[track].head < states[track].waiting.count {
            end = presentation(states[track].waiting[states[track].head], track)
        } else {
            let ends = states[track].open.map { presentation($0, track).value &+ Int64($0.duration) }
            end = MediaTime(ends.max() ?? start.value, timescale: start.timescale)
        }
        var samples: [MediaSample] = []
        swap(&samples, &states[track].open)
        states[track].open.reserveCapacity(samples.count)
        ready.append(
            Segment(
                rendition: track,
                samples: samples,
                start: start,
                end: end,
                period: schedule.period(at: start),
                longestGroup: longestGroup(samples, track, until: end)
            )
        )
    }

    private func longestGroup(_ samples: [MediaSample], _ track: Int, until end: MediaTime) -> Double {
        guard renditions[track].media.kind == .video else { return 0 }
        var starts = samples.filter(\.isSync).map { presentation($0, track).seconds }
        starts.append(end.seconds)
        return zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0
    }

    private func presentation(_ sample: MediaSample, _ track: Int) -> MediaTime {
        let media = renditions[track].media
        return MediaTime(sample.presentationTime + media.timing.presentationOffset, timescale: media.timescale)
    }
}

extension Segmenter.Timing {
    fileprivate init(_ sample: MediaSample, in track: MediaTrack) {
        let decode = sample.decodeTime + track.timing.presentationOffset
        self.init(
            decode: MediaTime(decode, timescale: track.timescale),
            presentation: MediaTime(decode + Int64(sample.compositionOffset), timescale: track.timescale),
            isSync: sample.isSync
        )
    }
}
