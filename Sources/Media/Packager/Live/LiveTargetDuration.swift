/// The Target Duration of a live presentation. It never changes, so it must be chosen before most segments are known.
enum LiveTargetDuration {
    /// Returns the Target Duration in seconds that fits the first segment of the leading rendition and its key frame
    /// interval: segments end at the first key frame after the job's segment duration.
    static func choose(for segment: TrackSegment, _ job: PackagingJob) -> UInt64 {
        let wanted = job.segmentDuration.seconds
        var longest = max(segment.seconds, wanted)
        if segment.longestGroup > 0 {
            longest = max(longest, (wanted / segment.longestGroup - 0.01).rounded(.up) * segment.longestGroup)
        }
        // Before version 6, durations are not rounded; audio segments end up to a frame later (RFC 8216bis, 4.4.3.1,
        // 8).
        let chosen = job.container == .ts ? (longest + 0.1).rounded(.up) : longest.rounded(.toNearestOrAwayFromZero)
        return UInt64(exactly: max(1, chosen)) ?? 1
    }

    /// Returns the maximum duration of a segment.
    ///
    /// - Parameter target: The Target Duration in seconds.
    static func maximumSegmentDuration(_ target: UInt64, _ container: PackagingJob.Container) -> RationalTime {
        // Durations are rounded to the nearest second, so less than half a second more is allowed.
        let milliseconds = Int64(clamping: min(target, 1 << 40)) * 1000
        return RationalTime(milliseconds + (container == .ts ? 0 : 499), timescale: 1000)
    }
}
