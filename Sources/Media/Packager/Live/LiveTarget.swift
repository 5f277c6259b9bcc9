/// The Target Duration of a live presentation. It never changes, so that it has to be right before most segments are known.
enum LiveTarget {
    /// What the first segment of the leading rendition and the distance of its key frames allow, in seconds: segments end at
    /// the first key frame behind what is aimed for.
    static func choose(for segment: SegmentPipeline.Segment, _ job: PackagingJob) -> UInt64 {
        let wanted = job.segmentDuration.seconds
        var longest = max(segment.seconds, wanted)
        if segment.longestGroup > 0 {
            longest = max(longest, (wanted / segment.longestGroup - 0.01).rounded(.up) * segment.longestGroup)
        }
        // Before version 6 nothing is rounded, and sound is cut up to a frame later (RFC 8216bis, 4.4.3.1, 8).
        let chosen = job.container == .ts ? (longest + 0.1).rounded(.up) : longest.rounded(.toNearestOrAwayFromZero)
        return UInt64(exactly: max(1, chosen)) ?? 1
    }

    /// How long a segment may be.
    ///
    /// - Parameter target: The Target Duration, in seconds.
    static func greatest(_ target: UInt64, _ container: PackagingJob.Container) -> MediaTime {
        // What is below half a second more is rounded down.
        let milliseconds = Int64(clamping: min(target, 1 << 40)) * 1000
        return MediaTime(milliseconds + (container == .ts ? 0 : 499), timescale: 1000)
    }
}
