import HLSPlaylist

/// The Part Target Duration of a live presentation (RFC 8216bis, 4.4.3.7). It never changes.
enum LivePartTarget {
    /// The smallest duration of a part, as a fraction of the Part Target Duration, unless it contains an independent frame
    /// or is the last one of its segment (RFC 8216bis, 4.4.4.9).
    static let smallestFraction = 0.85
    /// The distance from the end at which players should play, in Part Target Durations, and the distance up to which a
    /// delta update can skip segments, in Target Durations (4.4.3.8).
    private static let holdBack = 3.0
    private static let skipBoundary = 6.0

    /// Returns the features of a server for Low-Latency HLS; durations are in seconds.
    static func serverControl(partDuration: Double, targetDuration: UInt64) -> ServerControlTag {
        ServerControlTag(
            canSkipUntil: skipBoundary * Double(targetDuration),
            partHoldBack: holdBack * partDuration,
            canBlockReload: true
        )
    }

    /// Returns the duration of as many frames as fit into a maximum, at least one.
    static func wholeFrames(_ frame: Int64, in maximum: Int64) -> Int64 {
        frame > 0 && frame < maximum ? maximum / frame * frame : max(frame, maximum)
    }

    /// Returns the Part Target Duration of a rendition in seconds: the maximum, or less if whole frames do not fill enough
    /// of it.
    ///
    /// - Parameters:
    ///   - maximum: The maximum duration of parts.
    ///   - durations: The durations of the first parts, without the last ones of segments. Independent ones may be shorter,
    ///     but other parts of later segments have the same numbers of frames.
    ///   - frame: The duration of each frame; nil if they differ.
    static func choose(longest maximum: Double, _ durations: [Double], frame: Double?) -> Double {
        guard let longest = durations.max(), let shortest = durations.min(), shortest < smallestFraction * maximum
        else {
            return maximum
        }
        // Later parts can have as many frames as fit.
        let frames = frame.map { (maximum / $0 + 1e-6).rounded(.down) * $0 } ?? longest
        // Rounded up to milliseconds, with a margin for the rounding of Double.
        return min(maximum, (max(longest, frames) * 1000 - 0.001).rounded(.up) / 1000)
    }
}

extension [TrackSegment] {
    /// The duration of a frame in seconds; nil if the frames differ by more than rounding.
    func frameDuration(of rendition: Int) -> Double? {
        let chunks = filter { $0.rendition == rendition }
        let durations = chunks.flatMap { $0.samples.map { Int64($0.duration) } }
        guard let shortest = durations.min(), let longest = durations.max(), let first = chunks.first, shortest > 0,
            longest - shortest <= Swift.max(1, longest / 100)
        else { return nil }
        return Double(durations.reduce(0, +)) / Double(durations.count) / Double(first.start.timescale)
    }

    /// Returns the first segment of the leading rendition once it is complete: the last element, or the chunks of the
    /// segment together.
    func wholeSegment(of leader: Int) -> TrackSegment? {
        guard let last, last.chunk != nil else { return last }
        let chunks = filter { $0.rendition == leader }
        guard var whole = chunks.first, let end = chunks.first(where: \.isEnd) else { return nil }
        (whole.end, whole.longestGroup, whole.chunk) = (end.end, end.longestGroup, nil)
        return whole
    }
}
