import FileWriting
import MediaFormats

/// Reads samples from inputs, divides them into segments with ``Segmenter``, and returns complete segments of all
/// renditions, each as soon as its end is known.
///
/// The presentation consists of the parts of its inputs. When a part ends, the last segments of all renditions are
/// completed, and times start again at 0.
final class SegmentPipeline {
    /// A part: its timeline is continuous, and the configurations of its tracks do not change.
    struct Part {
        /// The number, from 0.
        var number: Int
        /// The plan with the tracks of the part. A rendition without a track keeps its earlier one.
        var plan: PackagingPlan
        /// The renditions as in ``SegmentPipeline/renditions``, with their tracks in the part; nil for a rendition
        /// without a track.
        var renditions: [PackagingPlan.Rendition?]
        /// The index of the leading rendition, whose segment boundaries the others follow.
        var leader: Int
        /// The reason why it started, for messages: `the timestamps jump`; nil for the first part.
        var reason: String?
        /// The tracks that have no rendition, each with the reason and what to do.
        var lost: [InputFailure] = []
        /// The end of the previous part in the timeline that continues: the part was started because a segment would
        /// have become too long, and frames up to the next key frame are lost. Nil for other parts.
        var continuedFrom: RationalTime?

        /// Creates the first part.
        init(first plan: PackagingPlan) {
            number = 0
            self.plan = plan
            let sampled = plan.sampledRenditions.map { plan.renditions[$0] }
            renditions = sampled
            leader = sampled.firstIndex { $0.media.kind == .video } ?? 0
        }

        /// Creates a later part.
        init(
            number: Int,
            plan: PackagingPlan,
            renditions: [PackagingPlan.Rendition?],
            reason: String,
            lost: [InputFailure]
        ) {
            self.number = number
            self.plan = plan
            self.renditions = renditions
            let isVideo: (PackagingPlan.Rendition?) -> Bool = { $0?.media.kind == .video }
            leader = renditions.firstIndex(where: isVideo) ?? renditions.firstIndex { $0 != nil } ?? 0
            self.reason = reason
            self.lost = lost
        }
    }

    private struct TrackState {
        /// The samples of the current segment, or of its current chunk.
        var open: [MediaSample] = []
        /// The total duration of the samples of the current chunk and of the current segment, in the timescale of the track.
        var chunkDuration: Int64 = 0
        var duration: Int64 = 0
        /// The number of chunks of the current segment that have been returned, and the end of the last one.
        var chunkCount = 0
        var chunkEnd = RationalTime.zero
        /// The start and the key period of the current segment, once a chunk has been returned.
        var segment: (start: RationalTime, period: Int)?
        /// The presentation times of the key frames of the current segment, in seconds; only with chunks.
        var keyFrames: [Double] = []
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
    private var splices = SpliceSchedule()
    /// The ID3 tags that are not in a segment yet, and the number of those that were dropped.
    private var metadata: [TimedMetadata] = []
    private(set) var droppedMetadata = 0
    private static let maximumMetadata = 1024
    /// The commands of SCTE 35 that have been reached, for each rendition until it has a segment that starts at the same
    /// time or later.
    private var reachedSplices: [Int: [(cut: RationalTime, point: SplicePoint)]] = [:]
    private static let maximumReachedSplices = 256
    /// The duration of the last sample of the leading track.
    private var frameDuration = RationalTime.zero
    private let isLive: Bool
    /// The maximum duration of chunks; nil to return whole segments.
    private let chunkDuration: RationalTime?
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
        chunkDuration = plan.job.live?.partDuration
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

    /// The number of commands of SCTE 35 that were dropped, because too many were announced.
    var droppedSplices: Int { splices.droppedCount }

    /// The maximum segment duration, as far as key frames permit; see ``Segmenter/maximumDuration``.
    var maximumDuration: RationalTime? {
        didSet { segmenter.maximumDuration = maximumDuration }
    }

    /// Returns a part: that of the last segment returned, or a later one.
    func part(_ number: Int) -> Part { parts.first { $0.number == number } ?? parts[parts.count - 1] }

    /// Returns the next complete segment, or with ``LiveOptions/partDuration`` the next chunk of a segment; nil when all inputs have ended. Reads only as much as is required.
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
        case .splice(let marker): splices.add(marker)
        case .metadata(let tags): addMetadata(tags)
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
                segmenter.earliestSplice = splices.nextTime.map { RationalTime.difference($0, frameDuration) }
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
        if end == nil { splices.restart(after: leaderEnd) }
        droppedMetadata += metadata.count
        metadata = []
        for (rendition, points) in reachedSplices {
            reachedSplices[rendition] = points.map { (RationalTime(.min / 2, timescale: 1), $0.point) }
        }
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
            TrackState(skipsToKeyFrame: track == leader && (isLive || part.number > 0))
        }
    }

    /// Returns whether a segment of which chunks have been returned would exceed the maximum duration with a sample.
    private func wouldBeTooLong(_ sample: MediaSample, _ track: Int) -> Bool {
        guard chunkDuration != nil, let maximumDuration, !sample.isSync else { return false }
        let duration = states[track].duration &+ Int64(sample.duration)
        return RationalTime(duration, timescale: clocks[track].timescale) > maximumDuration
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
                if track == leader, states[track].open.isEmpty {
                    beginLeaderSegment(at: timing.presentation)
                }
                addChunk(before: sample, track)
                states[track].open.append(sample)
            case .cut(let track, let next): close(track, next: next, isEndOfPart: isEndOfPart && next == nil)
            }
        }
    }

    /// Completes the current segment of a track. If it is empty, because of a gap, there is no segment: the previous
    /// one is extended.
    ///
    /// - Parameters:
    ///   - next: The presentation time of the track's next sample; nil if there is none.
    ///   - isEndOfPart: Whether it is the last segment of a part, and another part follows.
    private func close(_ track: Int, next: RationalTime?, isEndOfPart: Bool) {
        guard let first = states[track].open.first else { return }
        let clock = clocks[track]
        let isChunk = states[track].chunkCount > 0
        let start = isChunk ? states[track].chunkEnd : clock.presentation(first)
        let last = states[track].open.map { clock.presentation($0).value &+ Int64($0.duration) }.max()
        var end = next ?? RationalTime(last ?? start.value, timescale: start.timescale)
        // Without the frames that would follow, pictures are missing before the one that is presented last.
        if next == nil, chunkDuration != nil {
            end = RationalTime(start.value &+ states[track].chunkDuration, timescale: start.timescale)
        }
        if states[track].start == nil { states[track].start = start }
        if track == leader, next == nil { leaderEnd = end }
        if isEndOfPart { end = aligned(end, track, after: start) }
        // The chunks of a segment can have a longer total duration than the time up to the next frame says.
        if isChunk, end <= start { end = RationalTime(start.value &+ 1, timescale: start.timescale) }
        let group =
            chunkDuration == nil
            ? clock.longestGroup(states[track].open, until: end)
            : SampleClock.longestInterval(states[track].keyFrames, until: end)
        let chunk = chunkDuration.map { _ in TrackSegment.Chunk(index: states[track].chunkCount, isLast: true) }
        append(track, start..<end, chunk, longestGroup: group)
        (states[track].chunkCount, states[track].duration, states[track].keyFrames) = (0, 0, [])
    }

    private func beginLeaderSegment(at start: RationalTime) {
        // The first samples of a later chunk start no segment.
        guard let leader, states[leader].chunkCount == 0 else { return }
        schedule.begin(at: start)
        takeSplices(at: start)
        guard chunkDuration != nil else { return }
        if leaderSegments.count == Self.maximumLeaderSegments { leaderSegments.removeFirst() }
        let end = segmenter.nextCut
        leaderSegments.append((start, end, end.map { schedule.endsPeriod(at: $0) } ?? false))
    }

    /// Assigns the commands of SCTE 35 that the leading track has reached to the next segments of all renditions.
    private func takeSplices(at start: RationalTime) {
        for point in splices.takeReached(at: start, tolerance: frameDuration) {
            // The gaps of a rendition without a track have the Date Ranges of the leading rendition.
            for rendition in trackRenditions
            where reachedSplices[rendition, default: []].count < Self.maximumReachedSplices {
                reachedSplices[rendition, default: []].append((start, point))
            }
        }
        segmenter.earliestSplice = splices.nextTime.map { RationalTime.difference($0, frameDuration) }
    }

    private func addMetadata(_ tags: TimedMetadata) {
        guard plan.job.container == .fmp4, metadata.count < Self.maximumMetadata else { return droppedMetadata += 1 }
        metadata.append(tags)
    }

    /// Removes and returns the commands that apply to a segment that starts at a time.
    private func removeSplices(of rendition: Int, upTo start: RationalTime) -> [SplicePoint] {
        guard let waiting = reachedSplices[rendition] else { return [] }
        let found = waiting.filter { $0.cut <= start }
        if !found.isEmpty { reachedSplices[rendition] = waiting.filter { $0.cut > start } }
        return found.map(\.point)
    }

    /// Completes the current chunk of a track if the next sample would make it too long.
    private func addChunk(before sample: MediaSample, _ track: Int) {
        guard chunkDuration != nil else { return }
        let clock = clocks[track]
        let duration = Int64(sample.duration)
        if let first = states[track].open.first, chunkEnds(before: duration, track) {
            let index = states[track].chunkCount
            let start = index > 0 ? states[track].chunkEnd : clock.presentation(first)
            if states[track].start == nil { states[track].start = start }
            let end = RationalTime(start.value &+ states[track].chunkDuration, timescale: start.timescale)
            append(track, start..<max(start, end), TrackSegment.Chunk(index: index, isLast: false), longestGroup: 0)
            states[track].chunkCount += 1
            states[track].chunkEnd = end
        }
        states[track].chunkDuration &+= duration
        states[track].duration &+= duration
        if clock.isVideo, sample.isSync { states[track].keyFrames.append(clock.presentation(sample).seconds) }
    }

    /// Returns whether a chunk ends before a sample with a duration.
    ///
    /// The chunks of a segment with the target duration are equally long, to a frame. Otherwise the last one would have only
    /// the frames that are left, and players load the part after a very short one instead of it (hls.js, 0.25 s).
    private func chunkEnds(before duration: Int64, _ track: Int) -> Bool {
        guard let chunkDuration else { return false }
        let timescale = clocks[track].timescale
        let chunk = states[track].chunkDuration
        let maximum = chunkDuration.converted(to: timescale)
        guard chunk &+ duration <= maximum else { return true }
        let longest = LivePartTarget.wholeFrames(duration, in: maximum)
        guard Double(chunk) >= LivePartTarget.smallestFraction * Double(longest) else { return false }
        let segment = plan.job.segmentDuration.seconds * Double(timescale)
        let count = (segment / Double(longest)).rounded(.up)
        let number = Double(states[track].chunkCount + 1)
        // The last one ends with the segment, which can be some frames longer.
        guard number < count else { return false }
        let end = segment / count * number
        return Double(states[track].duration) + Double(duration) / 2 > end
    }

    /// Appends the open samples of a track to the segments that are ready.
    private func append(
        _ track: Int,
        _ time: Range<RationalTime>,
        _ chunk: TrackSegment.Chunk?,
        longestGroup: Double
    ) {
        var samples: [MediaSample] = []
        swap(&samples, &states[track].open)
        states[track].open.reserveCapacity(samples.count)
        states[track].chunkDuration = 0
        // The writer numbers the segment and decides about its encryption.
        var segment = TrackSegment(
            index: 0,
            samples: samples,
            start: time.lowerBound,
            end: time.upperBound,
            isProtected: false
        )
        segment.part = parts[parts.count - 1].number
        segment.rendition = trackRenditions[track]
        segment.period = states[track].segment?.period ?? schedule.period(at: time.lowerBound)
        segment.longestGroup = longestGroup
        // ID3 tags are in the segments of the leading track, which is video if there is any.
        if track == leader, !metadata.isEmpty {
            segment.metadata = metadata.filter { $0.time < time.upperBound }
            metadata.removeAll { $0.time < time.upperBound }
        }
        if chunk == nil || chunk?.index == 0 {
            segment.splices = removeSplices(of: segment.rendition, upTo: time.lowerBound)
        }
        if let chunk {
            let start = states[track].segment?.start ?? time.lowerBound
            segment.chunk = chunk
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
        guard let leader, track != leader, let leaderEnd, let leaderStart = states[leader].start,
            let first = states[track].start
        else { return end }
        let duration = RationalTime.difference(leaderEnd, leaderStart).converted(to: end.timescale)
        let result = RationalTime(first.value &+ duration, timescale: end.timescale)
        let change = abs(RationalTime.difference(result, end).seconds)
        return change < LateStarts.shortestDelay && result > start ? result : end
    }
}

extension SampleClock {
    fileprivate func longestGroup(_ samples: [MediaSample], until end: RationalTime) -> Double {
        guard isVideo else { return 0 }
        return Self.longestInterval(samples.filter(\.isSync).map { presentation($0).seconds }, until: end)
    }

    fileprivate static func longestInterval(_ keyFrames: [Double], until end: RationalTime) -> Double {
        let times = keyFrames + [end.seconds]
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    }
}

extension TrackSegment {
    /// Returns the time at which the first frame at or after a time starts if all frames from `start` on are as long as
    /// those of the segment.
    fileprivate func firstFrame(after time: RationalTime, from start: RationalTime) -> RationalTime {
        let distance = RationalTime.difference(time, start).seconds * Double(start.timescale)
        let duration = Double(samples.last?.duration ?? 1)
        // A margin for the rounding between timescales.
        let frames = ((distance - 1) / max(duration, 1)).rounded(.up)
        let units = Int64(exactly: (frames * duration).rounded()) ?? 0
        return RationalTime(start.value &+ max(0, units), timescale: start.timescale)
    }
}

extension MediaTrack {
    /// Returns the presentation time of a sample.
    func presentation(_ sample: MediaSample) -> RationalTime {
        RationalTime(sample.presentationTime + timing.presentationOffset, timescale: timescale)
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
