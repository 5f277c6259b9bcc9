import FileWriting
import MediaFormats

/// Reads samples from inputs, divides them into segments with ``Segmenter``, and returns complete segments of all
/// renditions, each as soon as its end is known.
///
/// The presentation consists of the parts of its inputs. When a part ends, the last segments of all renditions are
/// completed, and times start again at 0.
final class SegmentPipeline {
    private struct TrackState {
        /// The current segment.
        var open: OpenSegment
        /// The start and the key period of the current segment, once a chunk has been returned.
        var segment: (start: RationalTime, period: Int)?
        /// True if samples are skipped up to the next key frame.
        var skipsToKeyFrame: Bool
        /// The start of the first segment in the part.
        var start: RationalTime?
    }

    /// The inputs.
    var inputs: [any MediaInput] { merger.inputs }
    /// The renditions that consist of samples, as planned at the start.
    let renditions: [PackagingPlan.Rendition]
    private let plan: PackagingPlan
    /// The indexes of ``renditions`` in the plan.
    private let sampled: [Int]
    /// The parts whose segments have not all been returned; the last one is being read.
    private var parts: [Part]
    private var merger: InputMerger
    private var segmenter: Segmenter
    /// The indexes in ``renditions`` of the segmenter's tracks, and by input and track; nil for a track that is not
    /// packaged.
    private var trackRenditions: [Int] = []
    private var inputTracks: [[Int?]] = []
    /// The timelines of the segmenter's tracks, and the index of the leading one.
    private var clocks: [SampleClock] = []
    private var leader: Int?
    /// The end of the leading track in the part; nil until it has ended.
    private var leaderEnd: RationalTime?
    private var schedule: KeyPeriodSchedule
    /// The latest segments of the leading track in the part, the earliest end of each, and whether it is the last one of
    /// its key period; only with chunks.
    private var leaderSegments: [(start: RationalTime, end: RationalTime?, endsPeriod: Bool)] = []
    private static let maximumLeaderSegments = 16
    private var states: [TrackState] = []
    private var ready = Queue<TrackSegment>()
    private var markers = SegmentMarkers()
    /// The duration of the last sample of the leading track.
    private var frameDuration = RationalTime.zero
    private let isLive: Bool
    /// How segments are divided into chunks; nil to return whole segments.
    private let chunking: OpenSegment.Chunking?
    /// Called when a part starts, before its first segment is complete.
    var onPart: ((Part) -> Void)?

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - firstPeriod: The number of the key period of the first segment.
    ///   - isLive: Whether the presentation goes on without the tracks that have no rendition; and whether it can start
    ///     before a key frame, which is then skipped to.
    ///   - reopen: Called when all inputs have ended; returns the inputs with which the presentation continues, in the
    ///     same order, or nil to end it.
    /// - Throws: ``JobFailure`` if there are only subtitles.
    init(
        _ plan: PackagingPlan,
        firstPeriod: Int = 0,
        isLive: Bool = false,
        reopen: (() throws -> [any MediaInput]?)? = nil
    ) throws(JobFailure) {
        let sampled = plan.sampledRenditions
        guard !sampled.isEmpty else {
            throw JobFailure("input", "the only inputs are subtitles: also give the audio or video that they belong to")
        }
        self.isLive = isLive
        chunking = plan.job.live?.partDuration.map { [segment = plan.job.segmentDuration] in
            OpenSegment.Chunking(maximum: $0, segment: segment)
        }
        self.plan = plan
        self.sampled = sampled
        renditions = sampled.map { plan.renditions[$0] }
        merger = InputMerger(plan.inputs, reopen: reopen)
        parts = [Part(first: plan)]
        schedule = KeyPeriodSchedule(plan.job.rotation, first: firstPeriod)
        segmenter = Segmenter(tracks: [.none], target: plan.job.segmentDuration)
        begin(
            parts[0],
            plan.inputs.indices.map { input in
                plan.inputs[input].tracks.indices.map { track in
                    plan.renditions.firstIndex { $0.input == input && $0.track == track }
                }
            }
        )
    }

    /// The number of commands of SCTE 35 that were dropped.
    var droppedSplices: Int { markers.droppedSplices }
    /// The number of ID3 tags that were dropped.
    var droppedMetadata: Int { markers.droppedMetadata }

    /// The maximum segment duration, as far as key frames permit; see ``Segmenter/maximumDuration``.
    var maximumDuration: RationalTime? {
        didSet { segmenter.maximumDuration = maximumDuration }
    }

    /// Returns a part: that of the last segment returned, or a later one.
    func part(_ number: Int) -> Part { parts.first { $0.number == number } ?? parts[parts.count - 1] }

    /// Returns the next complete segment, or with ``LiveOptions/partDuration`` the next chunk of a segment; nil when all
    /// inputs have ended. Reads only as much as is required.
    ///
    /// - Throws: ``InputFailure``, `Segmenter.Failure`, ``FileError``.
    func next() throws -> TrackSegment? {
        while ready.isEmpty, try read() {}
        guard let segment = ready.removeFirst() else { return nil }
        while let first = parts.first, first.number < segment.part { parts.removeFirst() }
        return segment
    }

    /// Reads the next event of the inputs. Returns false when they have ended.
    private func read() throws -> Bool {
        switch try merger.next() {
        case nil: return false
        case .end(let input):
            for case let track? in inputTracks[input] { perform(try segmenter.end(track: track)) }
        case .part(let reason):
            if let leader { perform(try segmenter.end(track: leader)) }
            for track in trackRenditions.indices { perform(try segmenter.end(track: track), isEndOfPart: true) }
            try beginPart(reason)
        case .splice(let marker): markers.add(marker)
        case .metadata(let tags): plan.job.container == .fmp4 ? markers.add(tags) : markers.drop()
        case .sample(let input, let trackIndex, let sample):
            guard let track = inputTracks[input][trackIndex] else { return true }
            if states[track].skipsToKeyFrame {
                guard sample.isSync else { return true }
                states[track].skipsToKeyFrame = false
            }
            if track == leader {
                if wouldBeTooLong(sample, track) { return try dropToKeyFrame() }
                let clock = clocks[track]
                // Audio can be cut at each frame: at the one that starts nearest to the splice.
                let duration = Int64(sample.duration) / (clock.isVideo ? 1 : 2)
                frameDuration = RationalTime(duration, timescale: clock.timescale)
                segmenter.earliestSplice = earliestSplice
            }
            perform(try segmenter.add(Segmenter.Timing(sample, clocks[track]), track: track))
        }
        return true
    }

    // MARK: - Parts

    /// Starts a part with the tracks that the inputs have now.
    private func beginPart(_ reason: String, continuedFrom end: RationalTime? = nil) throws {
        let number = parts[parts.count - 1].number + 1
        let found = plan.part(number, merger.tracks)
        let hasTrack = Set(found.renditions.joined().compactMap { $0 })
        let own = sampled.map { hasTrack.contains($0) ? found.plan.renditions[$0] : nil }
        if let lost = found.lost.first, !isLive, !plan.job.skipsUnsupported { throw OmissionFailure(lost: lost) }
        var part = Part(number: number, plan: found.plan, renditions: own, reason: reason, lost: found.lost)
        part.continuedFrom = end
        parts.append(part)
        if end == nil { markers.beginPart(after: leaderEnd) } else { markers.beginPart() }
        schedule.restart()
        begin(part, found.renditions)
        onPart?(part)
    }

    private func begin(_ part: Part, _ assigned: [[Int?]]) {
        trackRenditions = part.renditions.indices.filter { part.renditions[$0] != nil }
        inputTracks = assigned.map { tracks in
            tracks.map { planned in
                planned.flatMap { sampled.firstIndex(of: $0) }.flatMap { trackRenditions.firstIndex(of: $0) }
            }
        }
        let tracks = part.renditions.compactMap { $0 }.map { planned in
            Segmenter.Track(
                isVideo: planned.media.kind == .video,
                startsWithSync: planned.media.hasSyncFrames,
                name: "\(inputs[planned.input].name) (\(planned.folder))"
            )
        }
        // In a part of which no track is packaged, nothing is added to the segmenter.
        segmenter = Segmenter(tracks: tracks.isEmpty ? [.none] : tracks, target: plan.job.segmentDuration)
        segmenter.maximumDuration = maximumDuration
        clocks = trackRenditions.map { SampleClock((part.renditions[$0] ?? renditions[$0]).media) }
        (leader, leaderEnd, leaderSegments) = (trackRenditions.firstIndex(of: part.leader), nil, [])
        states = trackRenditions.indices.map { track in
            TrackState(
                open: OpenSegment(clocks[track], chunking),
                skipsToKeyFrame: track == leader && (isLive || part.number > 0)
            )
        }
    }

    /// Returns whether a segment of which chunks have been returned would exceed the maximum duration with a sample.
    private func wouldBeTooLong(_ sample: MediaSample, _ track: Int) -> Bool {
        guard chunking != nil, let maximumDuration, !sample.isSync else { return false }
        return states[track].open.exceeds(maximumDuration, with: sample)
    }

    /// Ends all segments, and starts a part with the next key frame.
    private func dropToKeyFrame() throws -> Bool {
        if let leader { perform(try segmenter.end(track: leader)) }
        let end = leaderEnd
        for track in trackRenditions.indices { perform(try segmenter.end(track: track), isEndOfPart: true) }
        try beginPart("a segment would be longer than the Target Duration", continuedFrom: end)
        return true
    }

    // MARK: - Segments

    private func perform(_ decisions: [Segmenter.Decision], isEndOfPart: Bool = false) {
        for decision in decisions {
            switch decision {
            case .append(let track, let timing):
                guard let sample = timing.sample else { continue }
                if track == leader, states[track].open.isEmpty { beginLeaderSegment(at: timing.presentation) }
                if let chunk = states[track].open.append(sample) { append(chunk, of: track) }
            case .cut(let track, let next): close(track, next: next, isEndOfPart: isEndOfPart && next == nil)
            }
        }
    }

    /// Completes the current segment of a track. If it is empty, because of a gap, there is no segment: the previous
    /// one is extended.
    ///
    /// - Parameters:
    ///   - next: The presentation time of the track's next sample; nil at the end of the track.
    ///   - isEndOfPart: Whether it is the last segment of a part, and another part follows.
    private func close(_ track: Int, next: RationalTime?, isEndOfPart: Bool) {
        guard let start = states[track].open.start else { return }
        var end = states[track].open.end(before: next)
        if track == leader, next == nil { leaderEnd = end }
        if isEndOfPart { end = aligned(end, track, after: start) }
        if let segment = states[track].open.close(at: end) { append(segment, of: track) }
    }

    private func beginLeaderSegment(at start: RationalTime) {
        schedule.begin(at: start)
        // The gaps of a rendition without a track have the Date Ranges of the leading rendition.
        markers.reach(start, tolerance: frameDuration, renditions: trackRenditions)
        segmenter.earliestSplice = earliestSplice
        guard chunking != nil else { return }
        if leaderSegments.count == Self.maximumLeaderSegments { leaderSegments.removeFirst() }
        let end = segmenter.nextCut
        leaderSegments.append((start, end, end.map { schedule.endsPeriod(at: $0) } ?? false))
    }

    /// The time from which a segment is to start because of a splice; nil if none is known.
    private var earliestSplice: RationalTime? {
        markers.nextSplice.map { RationalTime.difference($0, frameDuration) }
    }

    /// Appends a segment or chunk of a track to those that are ready.
    private func append(_ content: OpenSegment.Content, of track: Int) {
        let start = content.start
        if states[track].start == nil { states[track].start = start }
        // The writer numbers the segment and decides about its encryption.
        var segment = TrackSegment(
            index: 0,
            samples: content.samples,
            start: start,
            end: content.end,
            isProtected: false
        )
        segment.part = parts[parts.count - 1].number
        segment.rendition = trackRenditions[track]
        segment.period = states[track].segment?.period ?? schedule.period(at: start)
        segment.longestGroup = content.longestGroup
        segment.chunk = content.chunk
        // ID3 tags are in the segments of the leading track, which is video if there is any.
        if track == leader { segment.metadata = markers.takeMetadata(before: content.end) }
        if segment.isStart { segment.splices = markers.takeSplices(of: segment.rendition, upTo: start) }
        if let chunk = content.chunk {
            let start = states[track].segment?.start ?? start
            let leader = leaderSegments.last { $0.start <= start }
            segment.endsPeriod = leader?.endsPeriod ?? false
            if !chunk.isLast { segment.expectedEnd = leader?.end.map { segment.firstFrame(after: $0, from: start) } }
            states[track].segment = chunk.isLast ? nil : (start, segment.period)
        }
        ready.append(segment)
    }

    /// Returns the end of a track's last segment in a part so that the segments of the track last as long as those of the
    /// leading track. Frames of audio do not end where a picture does; without this, the durations of the renditions would
    /// differ more with each part. A large difference is in the input, and stays.
    private func aligned(_ end: RationalTime, _ track: Int, after start: RationalTime) -> RationalTime {
        guard let leader, track != leader, let leaderEnd, let leaderStart = states[leader].start else { return end }
        let first = states[track].start ?? start
        let duration = RationalTime.difference(leaderEnd, leaderStart).converted(to: end.timescale)
        let result = RationalTime(first.value &+ duration, timescale: end.timescale)
        let change = abs(RationalTime.difference(result, end).seconds)
        return change < LateStarts.shortestDelay && result > start ? result : end
    }
}

extension Segmenter.Track {
    fileprivate static let none = Segmenter.Track(isVideo: false, name: "")
}

extension Segmenter.Timing {
    fileprivate init(_ sample: MediaSample, _ clock: SampleClock) {
        self.init(decode: clock.decode(sample), presentation: clock.presentation(sample), isSync: sample.isSync)
        self.sample = sample
    }
}
