import HLSPlaylist

extension SegmentTimeline {
    /// The difference in seconds between a segment and its parts that rounding explains.
    private static let roundingTolerance = 0.01

    /// Returns the parts of a segment of the newest playlist as far as they are listed; empty if none are played.
    ///
    /// A part without an offset starts at the end of the previous one of the same resource (RFC 8216bis, 4.4.4.9).
    func parts(of segment: TimelineSegment) -> [TimelineSegment] {
        guard usesParts, segment.resolved.initialization != nil else { return [] }
        let tags = segment.resolved.segment.parts
        let isOpen = isLastOpen && segment.number == endNumber - 1
        var result: [TimelineSegment] = []
        var (start, end) = (segment.start, UInt64(0))
        for (index, tag) in tags.enumerated() {
            var range: Range<UInt64>?
            if let byteRange = tag.byteRange {
                let isContinued = index > 0 && tags[index - 1].uri == tag.uri
                let offset = byteRange.offset ?? (isContinued ? end : 0)
                let (sum, overflow) = offset.addingReportingOverflow(byteRange.length)
                guard !overflow else { return result }
                (range, end) = (offset..<sum, sum)
            }
            let duration = PlaybackTime.clamped(tag.duration)
            let part = TimelineSegment.Part(
                index: index,
                tag: tag,
                byteRange: range,
                isLast: !isOpen && index == tags.count - 1
            )
            result.append(TimelineSegment(resolved: segment.resolved, start: start, part: part))
            start += duration
        }
        return result
    }

    /// The next part to load, if the segment at the position is loaded in parts.
    enum NextPart {
        /// The whole segment is loaded.
        case wholeSegment
        /// This part.
        case part(TimelineSegment)
        /// The next part is not listed yet.
        case notYet
        /// No more parts of the segment are listed, and so many seconds of it were not loaded; 0 if all were.
        case rest(Double)
    }

    /// Returns the next part of the segment at the position.
    func nextPart(of segment: TimelineSegment) -> NextPart {
        let isOpen = isLastOpen && segment.number == endNumber - 1
        guard nextPart > 0 || isOpen else { return .wholeSegment }
        let parts = parts(of: segment)
        if nextPart < parts.count { return .part(parts[nextPart]) }
        if isOpen { return .notYet }
        // The durations of parts are rounded.
        let rest = segment.end - nextTime
        return .rest(nextPart == parts.count || rest < Self.roundingTolerance ? 0 : rest)
    }

    /// Returns the last part that starts at or before a time and can be decoded without others; nil if the segment's
    /// own start is later or as late, or if it is not loaded in parts.
    func independentPart(in segment: TimelineSegment, at time: Double) -> TimelineSegment? {
        parts(of: segment).last { candidate in
            guard let part = candidate.part else { return false }
            return candidate.start <= time && part.index > 0 && part.tag.isIndependent && !part.tag.isGap
        }
    }
}

extension SegmentTimeline {
    /// Returns settings with which playback of parts can start: the media before the end of the playlist are only
    /// PART-HOLD-BACK long.
    func limited(_ settings: BufferModel.Settings) -> BufferModel.Settings {
        guard let partTarget else { return settings }
        var settings = settings
        settings.startThreshold = min(settings.startThreshold, 2 * partTarget)
        settings.resumeThreshold = min(settings.resumeThreshold, 2 * partTarget)
        return settings
    }
}

extension MediaPlaylist {
    /// The segment that is still being written: some of its parts are available. Nil if the last segment is complete.
    var openSegment: MediaSegment? {
        guard let first = upcoming.parts.first, !isEnded else { return nil }
        return MediaSegment(
            uri: first.uri,
            duration: upcoming.parts.reduce(0) { $0 + PlaybackTime.clamped($1.duration) },
            programDateTime: upcoming.programDateTime,
            isDiscontinuity: upcoming.isDiscontinuity,
            tags: upcoming.tags
        )
    }
}
