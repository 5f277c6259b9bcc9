/// The samples of a media segment, or of one of its chunks, on their way from the segmenter to a file.
package struct TrackSegment: Sendable {
    /// The position of a chunk in its segment.
    package struct Chunk: Hashable, Sendable {
        /// The index, from 0.
        package var index: Int
        /// True if the segment ends with it.
        package var isLast: Bool
    }

    /// The number of its part of the presentation, from 0. The segments of a part precede those of the next one.
    package var part = 0
    /// The index of its rendition in ``SegmentPipeline/renditions``.
    package var rendition = 0
    /// The number of its key period.
    package var period = 0
    /// True if the next segment of its rendition starts a key period, as far as can be known; only for chunks.
    package var endsPeriod = false
    /// The time at which the segment will probably end; nil if it cannot be known, and for whole segments.
    package var expectedEnd: RationalTime?
    /// The position in the segment, if this is only a chunk of it (Low-Latency HLS); nil for a whole segment.
    package var chunk: Chunk?
    /// The index of the segment in its rendition, from 0.
    package var index: Int
    /// The samples in decoding order; empty in a gap of the track.
    package var samples: [MediaSample]
    /// The start time in the part: the presentation time of its first sample.
    package var start: RationalTime
    /// The end time in the part: the presentation time of the next segment's first sample, or the end of its last sample.
    package var end: RationalTime
    /// The longest interval between its key frames, or between the last one and its end, in seconds; 0 for audio.
    package var longestGroup = 0.0
    /// The commands of SCTE 35 that apply at its start, or shortly before it.
    var splices: [SplicePoint] = []
    /// The ID3 tags that are presented with it.
    var metadata: [TimedMetadata] = []
    /// True if its samples are to be encrypted. In a clear lead they are not, although the track has a key.
    package var isProtected: Bool

    /// Creates a segment.
    package init(index: Int, samples: [MediaSample], start: RationalTime, end: RationalTime, isProtected: Bool) {
        self.index = index
        self.samples = samples
        self.start = start
        self.end = end
        self.isProtected = isProtected
    }

    /// The duration in the timescale of the track. Samples presented before 0 are removed by the edit list, and do not
    /// count.
    var duration: RationalTime {
        RationalTime(max(0, end.converted(to: start.timescale) - max(0, start.value)), timescale: start.timescale)
    }

    /// True if the segment starts with these samples.
    var isStart: Bool { chunk.map { $0.index == 0 } ?? true }

    /// True if the segment ends with these samples.
    var isEnd: Bool { chunk?.isLast ?? true }

    /// True if it contains a sample that can be decoded without others.
    var isIndependent: Bool { samples.contains(where: \.isSync) }

    /// The duration in seconds.
    var seconds: Double { duration.seconds }

    /// Returns the time at which the first frame at or after a time starts if all frames from `start` on are as long as
    /// those of the segment.
    func firstFrame(after time: RationalTime, from start: RationalTime) -> RationalTime {
        let distance = RationalTime.difference(time, start).seconds * Double(start.timescale)
        let duration = Double(samples.last?.duration ?? 1)
        // A margin for the rounding between timescales.
        let frames = ((distance - 1) / max(duration, 1)).rounded(.up)
        let units = Int64(exactly: (frames * duration).rounded()) ?? 0
        return RationalTime(start.value &+ max(0, units), timescale: start.timescale)
    }
}
