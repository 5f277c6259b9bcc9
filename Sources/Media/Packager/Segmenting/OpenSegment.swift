import MediaFormats

/// The samples of a track's current segment, and with Low-Latency HLS, its division into chunks. A value type without I/O.
struct OpenSegment {
    /// The durations that decide where chunks end.
    struct Chunking {
        /// The maximum duration of a chunk.
        var maximum: RationalTime
        /// The target duration of segments.
        var segment: RationalTime
    }

    /// The samples of a segment or of a chunk, with their time.
    struct Content {
        var samples: [MediaSample]
        /// The presentation time of the first sample.
        var start: RationalTime
        /// The presentation time of the sample that follows.
        var end: RationalTime
        /// The position in the segment; nil for a whole segment.
        var chunk: TrackSegment.Chunk?
        /// The longest interval between key frames of the segment, in seconds; 0 if it is not complete, and for audio.
        var longestGroup: Double
    }

    private let clock: SampleClock
    private let chunking: Chunking?
    /// The samples of the segment, or of its current chunk.
    private var samples: [MediaSample] = []
    /// The total duration of the samples of the current chunk and of the segment, in the timescale of the track.
    private var chunkDuration: Int64 = 0
    private var duration: Int64 = 0
    /// The number of complete chunks, and the end of the last one.
    private var chunkCount = 0
    private var chunkEnd = RationalTime.zero
    /// The presentation times of the key frames of the segment, in seconds.
    private var keyFrames: [Double] = []

    /// Creates an empty segment.
    ///
    /// - Parameter chunking: How it is divided into chunks; nil for a whole segment.
    init(_ clock: SampleClock, _ chunking: Chunking?) {
        self.clock = clock
        self.chunking = chunking
    }

    /// True if the next sample is the first one of the segment.
    var isEmpty: Bool { samples.isEmpty && chunkCount == 0 }

    /// The presentation time of the first sample of the segment, or of its current chunk; nil if there are no samples.
    var start: RationalTime? { samples.first.map { chunkCount > 0 ? chunkEnd : clock.presentation($0) } }

    /// Returns the end of the segment.
    ///
    /// - Parameter next: The presentation time of the track's next sample; nil at the end of the track.
    func end(before next: RationalTime?) -> RationalTime {
        if let next { return next }
        let start = start ?? chunkEnd
        // Without the frames that would follow, pictures are missing before the one that is presented last.
        if chunking != nil { return RationalTime(start.value &+ chunkDuration, timescale: start.timescale) }
        let last = samples.map { clock.presentation($0).value &+ Int64($0.duration) }.max()
        return RationalTime(last ?? start.value, timescale: start.timescale)
    }

    /// Returns whether the segment would be longer than a duration with one more sample.
    func exceeds(_ maximum: RationalTime, with sample: MediaSample) -> Bool {
        RationalTime(duration &+ Int64(sample.duration), timescale: clock.timescale) > maximum
    }

    /// Adds a sample. Returns the chunk that is complete without it; nil if it belongs to the current chunk.
    mutating func append(_ sample: MediaSample) -> Content? {
        let sampleDuration = Int64(sample.duration)
        var chunk: Content?
        if let start, let chunking, chunkEnds(before: sampleDuration, chunking) {
            let end = max(start.value, start.value &+ chunkDuration)
            chunk = take(start, RationalTime(end, timescale: start.timescale), isLast: false)
        }
        samples.append(sample)
        chunkDuration &+= sampleDuration
        duration &+= sampleDuration
        if clock.isVideo, sample.isSync { keyFrames.append(clock.presentation(sample).seconds) }
        return chunk
    }

    /// Removes and returns the segment, or its last chunk; nil if there are no samples. The next one starts.
    mutating func close(at end: RationalTime) -> Content? {
        guard let start else { return nil }
        var end = end
        // The chunks of a segment can have a longer total duration than the time up to the next frame says.
        if chunkCount > 0, end <= start { end = RationalTime(start.value &+ 1, timescale: start.timescale) }
        var content = take(start, end, isLast: true)
        let times = keyFrames + [end.seconds]
        content.longestGroup = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
        (chunkCount, duration, keyFrames) = (0, 0, [])
        return content
    }

    private mutating func take(_ start: RationalTime, _ end: RationalTime, isLast: Bool) -> Content {
        let chunk = chunking.map { _ in TrackSegment.Chunk(index: chunkCount, isLast: isLast) }
        var content = Content(samples: [], start: start, end: end, chunk: chunk, longestGroup: 0)
        swap(&content.samples, &samples)
        samples.reserveCapacity(content.samples.count)
        (chunkDuration, chunkCount, chunkEnd) = (0, chunkCount + 1, end)
        return content
    }

    /// Returns whether the current chunk ends before a sample with a duration.
    ///
    /// The chunks of a segment with the target duration are equally long, to a frame. Otherwise the last one would have only
    /// the frames that are left, and players load the part after a very short one instead of it (hls.js, 0.25 s).
    private func chunkEnds(before sample: Int64, _ chunking: Chunking) -> Bool {
        let maximum = chunking.maximum.converted(to: clock.timescale)
        guard chunkDuration &+ sample <= maximum else { return true }
        let longest = LivePartTarget.wholeFrames(sample, in: maximum)
        guard Double(chunkDuration) >= LivePartTarget.smallestFraction * Double(longest) else { return false }
        let segment = chunking.segment.seconds * Double(clock.timescale)
        let count = (segment / Double(longest)).rounded(.up)
        let number = Double(chunkCount + 1)
        // The last one ends with the segment, which can be some frames longer.
        guard number < count else { return false }
        let end = segment / count * number
        return Double(duration) + Double(sample) / 2 > end
    }
}
