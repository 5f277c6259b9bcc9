import FileWriting
import MediaFormats

/// Reads samples from inputs, divides them into segments with ``Segmenter``, and returns complete segments of all
/// renditions, each as soon as its end is known.
final class SegmentPipeline {
    /// The samples of a complete segment, and its position in the presentation.
    struct Segment {
        /// The index of its rendition in ``SegmentPipeline/renditions``.
        var rendition: Int
        /// The samples in decoding order; not empty.
        var samples: [MediaSample]
        /// The presentation time of its first sample.
        var start: RationalTime
        /// The presentation time of the next segment's first sample, or the end of its last sample.
        var end: RationalTime
        /// The number of its key period.
        var period: Int
        /// The longest interval between its key frames, or between the last one and its end, in seconds.
        var longestGroup: Double
    }

    private struct TrackState {
        /// Samples that have not been assigned to a segment, from index `head` on.
        var waiting: [MediaSample] = []
        var head = 0
        /// The samples of the current segment.
        var open: [MediaSample] = []
    }

    private struct InputState {
        /// The indexes of its tracks' renditions; nil for a track that is not packaged.
        var tracks: [Int?]
        /// The decode time of its last sample, in the presentation.
        var reached = RationalTime(.min / 2, timescale: 1)
        var hasEnded = false
        /// The value of ``MediaInput/discontinuityCount`` when the pipeline was created.
        var discontinuityCount: Int
    }

    /// The inputs.
    let inputs: [any MediaInput]
    /// The renditions that consist of samples, in the order of the segmenter's tracks.
    let renditions: [PackagingPlan.Rendition]
    /// The index of the leading rendition, whose segment boundaries the others follow.
    let leader: Int
    private var segmenter: Segmenter
    private var schedule: KeyPeriodSchedule
    private var states: [TrackState]
    private var sources: [InputState]
    private var ready: [Segment] = []
    private var hasEnded = false
    /// True if the pipeline stops at a discontinuity of an input.
    private let stopsAtDiscontinuity: Bool
    private var hasStarted = false
    /// True if it stopped at a discontinuity.
    private(set) var stoppedAtDiscontinuity = false

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - firstPeriod: The number of the key period of the first segment.
    ///   - stopsAtDiscontinuity: Whether the pipeline stops at a discontinuity or at the end of any input.
    /// - Throws: ``JobFailure`` if there are only subtitles.
    init(_ plan: PackagingPlan, firstPeriod: Int = 0, stopsAtDiscontinuity: Bool = false) throws(JobFailure) {
        self.stopsAtDiscontinuity = stopsAtDiscontinuity
        let sampled = plan.sampledRenditions
        guard !sampled.isEmpty else {
            throw JobFailure("input", "the only inputs are subtitles: also give the audio or video that they belong to")
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
                discontinuityCount: plan.inputs[input].discontinuityCount
            )
        }
    }

    /// The maximum segment duration, as far as key frames permit; see ``Segmenter/maximumDuration``.
    var maximumDuration: RationalTime? {
        get { segmenter.maximumDuration }
        set { segmenter.maximumDuration = newValue }
    }

    /// Returns the next complete segment; nil when all inputs have ended. Reads only as much as is required.
    ///
    /// - Throws: ``InputFailure``, `Segmenter.Failure`, ``FileError``.
    func next() throws -> Segment? {
        while ready.isEmpty, !hasEnded { try read() }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Ends all tracks at their current positions, which completes their last segments. Does not read the rest of the
    /// inputs.
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
        guard let (trackIndex, sample) = try inputs[index].next() else { return try endInput(index) }
        if stopsAtDiscontinuity, inputs[index].discontinuityCount != sources[index].discontinuityCount {
            stoppedAtDiscontinuity = true
            return try end()
        }
        guard let track = sources[index].tracks[trackIndex] else { return }
        // After a discontinuity, start with the next key frame.
        if stopsAtDiscontinuity, track == leader, !hasStarted {
            guard sample.isSync else { return }
            hasStarted = true
        }
        let timing = Segmenter.Timing(sample, in: renditions[track].media)
        sources[index].reached = timing.decode
        states[track].waiting.append(sample)
        perform(try segmenter.add(timing, track: track))
    }

    private func endInput(_ index: Int) throws {
        sources[index].hasEnded = true
        for case let track? in sources[index].tracks { perform(try segmenter.end(track: track)) }
    }

    /// Returns the input whose last sample has the earliest decode time.
    private func nextInput() -> Int? {
        var first: Int?
        for index in sources.indices where !sources[index].hasEnded {
            if let other = first, sources[other].reached <= sources[index].reached { continue }
            first = index
        }
        return first
    }

    private func perform(_ decisions: [Segmenter.Decision]) {
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

    /// Completes the current segment of a track. If it is empty, because of a gap, there is no segment: the previous
    /// one is extended.
    private func close(_ track: Int) {
        guard let first = states[track].open.first else { return }
        let start = presentation(first, track)
        let end: RationalTime
        if states[track].head < states[track].waiting.count {
            end = presentation(states[track].waiting[states[track].head], track)
        } else {
            let ends = states[track].open.map { presentation($0, track).value &+ Int64($0.duration) }
            end = RationalTime(ends.max() ?? start.value, timescale: start.timescale)
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

    private func longestGroup(_ samples: [MediaSample], _ track: Int, until end: RationalTime) -> Double {
        guard renditions[track].media.kind == .video else { return 0 }
        var starts = samples.filter(\.isSync).map { presentation($0, track).seconds }
        starts.append(end.seconds)
        return zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0
    }

    private func presentation(_ sample: MediaSample, _ track: Int) -> RationalTime {
        let media = renditions[track].media
        return RationalTime(sample.presentationTime + media.timing.presentationOffset, timescale: media.timescale)
    }
}

extension Segmenter.Timing {
    fileprivate init(_ sample: MediaSample, in track: MediaTrack) {
        let decode = sample.decodeTime + track.timing.presentationOffset
        self.init(
            decode: RationalTime(decode, timescale: track.timescale),
            presentation: RationalTime(decode + Int64(sample.compositionOffset), timescale: track.timescale),
            isSync: sample.isSync
        )
    }
}
