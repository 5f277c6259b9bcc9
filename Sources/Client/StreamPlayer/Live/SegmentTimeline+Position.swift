import HLSPlaylist

extension SegmentTimeline {
    /// The minimum distance of live playback from the end, in seconds: HOLD-BACK, and at least three target durations
    /// (sections 4.4.3.8 and 6.3.3).
    public var holdBackDistance: Double { max(PlaybackTime.clamped(holdBack ?? 0), 3 * targetDuration) }

    /// The latest time that live playback can seek to: the start of the playlist if the playlist is shorter than the
    /// distance. After the playlist has ended, its end.
    public var liveLimit: Double { isEnded ? endTime : max(endTime - holdBackDistance, startTime) }

    /// Returns the distance of a time from the end of the newest playlist, in seconds; 0 if the playlist has ended or
    /// the time is after its end.
    public func behindLiveEdge(_ time: Double) -> Double { isEnded ? 0 : PlaybackTime.clamped(endTime - time) }

    /// Seeks to the start of playback: EXT-X-START, the start of the playlist, or the latest live position.
    ///
    /// A negative TIME-OFFSET counts from the end. A time outside of the playlist means its start or its end (section
    /// 4.4.2.2); playback never starts after ``liveLimit``. Without PRECISE=YES, playback starts at the start of the
    /// segment.
    @discardableResult
    public mutating func start() -> TimelinePosition {
        guard let startTag, startTag.timeOffset.isFinite else {
            return go(to: isEnded ? startTime : liveLimit, isEnded ? .beginning : .holdBack, isPrecise: false)
        }
        let offset = startTag.timeOffset
        return go(to: (offset < 0 ? endTime : startTime) + offset, .startTag, isPrecise: startTag.isPrecise == true)
    }

    /// Seeks to a time, in seconds on the timeline, or to the nearest time that can be played. NaN seeks to the start
    /// of playback.
    @discardableResult
    public mutating func seek(to time: Double) -> TimelinePosition {
        time.isNaN ? start() : go(to: time, .seek, isPrecise: true)
    }

    private mutating func go(to time: Double, _ reason: TimelinePosition.Reason, isPrecise: Bool) -> TimelinePosition {
        let allowed = min(max(time, startTime), liveLimit)
        guard let segment = segment(at: allowed) else {
            // The end of a playlist that has ended or has no duration.
            nextNumber = endNumber
            nextTime = endTime
            return TimelinePosition(number: endNumber, time: endTime, reason: reason, isClamped: allowed != time)
        }
        nextNumber = segment.number
        nextTime = segment.start
        return TimelinePosition(
            number: segment.number,
            time: isPrecise ? allowed : segment.start,
            reason: reason,
            isClamped: allowed != time
        )
    }

    /// Returns the next segment to load. The position changes only to skip segments that cannot be loaded: those with
    /// EXT-X-GAP, and those that have been removed from the playlist. If the position was removed from a live playlist,
    /// playback continues at ``liveLimit``; if the playlist has ended, at its first segment.
    public mutating func next() -> TimelineStep {
        var notices: [TimelineNotice] = []
        if nextNumber < segments[0].number { notices.append(jump()) }
        var gap: (first: UInt64, last: UInt64, seconds: Double)?
        while let segment = segment(number: nextNumber), segment.resolved.segment.isGap {
            gap = (gap?.first ?? segment.number, segment.number, (gap?.seconds ?? 0) + segment.duration)
            counts.gaps += 1
            counts.missedSeconds += segment.duration
            advance(past: segment)
        }
        if let gap { notices.append(.gap(numbers: gap.first...gap.last, seconds: gap.seconds)) }
        guard let segment = segment(number: nextNumber) else {
            return TimelineStep(outcome: isEnded ? .ended : .notYet, notices: notices)
        }
        return TimelineStep(outcome: .segment(segment), notices: notices)
    }

    /// Advances to the segment after one that was loaded.
    public mutating func advance(past segment: TimelineSegment) {
        nextNumber = segment.number + 1
        nextTime = segment.end
    }

    /// Leaves a position that has been removed from the playlist.
    private mutating func jump() -> TimelineNotice {
        let before = (number: nextNumber, time: nextTime)
        // The limit of a playlist that has ended is its end, where there is no segment.
        let target = segment(at: liveLimit) ?? segments[0]
        nextNumber = target.number
        nextTime = target.start
        let seconds = PlaybackTime.clamped(target.start - before.time)
        counts.jumps += 1
        counts.missedSeconds += seconds
        return .fellOutOfWindow(next: before.number, continuesAt: target.number, seconds: seconds)
    }
}
