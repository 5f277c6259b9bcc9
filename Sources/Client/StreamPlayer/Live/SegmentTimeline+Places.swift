import HLSPlaylist

extension SegmentTimeline {
    /// How far from the end a live playback stays, in seconds: HOLD-BACK, and three target durations at least (sections
    /// 4.4.3.8 and 6.3.3).
    public var holdBackDistance: Double { max(MediaTime.sane(holdBack ?? 0), 3 * targetDuration) }

    /// The last time that a live playback may go to: the beginning of the playlist if that is shorter than the distance.
    /// Once the playlist has ended, its end.
    public var liveLimit: Double { isEnded ? endTime : max(endTime - holdBackDistance, startTime) }

    /// How far a time is behind the end of the newest playlist, in seconds; 0 when the playlist has ended or the time is
    /// after it.
    public func behindLiveEdge(_ time: Double) -> Double { isEnded ? 0 : MediaTime.sane(endTime - time) }

    /// Goes to where playback starts: EXT-X-START, or the beginning, or as near the live edge as is allowed.
    ///
    /// A negative TIME-OFFSET counts from the end. One that lies outside of the playlist means its beginning or its end
    /// (section 4.4.2.2); nothing starts nearer to the live edge than ``liveLimit``. Without PRECISE=YES, playback begins
    /// with the beginning of the segment.
    @discardableResult
    public mutating func start() -> TimelinePosition {
        guard let startTag, startTag.timeOffset.isFinite else {
            return go(to: isEnded ? startTime : liveLimit, isEnded ? .beginning : .holdBack, isPrecise: false)
        }
        let offset = startTag.timeOffset
        return go(to: (offset < 0 ? endTime : startTime) + offset, .startTag, isPrecise: startTag.isPrecise == true)
    }

    /// Goes to a time, in seconds on the timeline; to the nearest that can be played, if it cannot. A time that is no
    /// number is where playback starts.
    @discardableResult
    public mutating func seek(to time: Double) -> TimelinePosition {
        time.isNaN ? start() : go(to: time, .seek, isPrecise: true)
    }

    private mutating func go(to time: Double, _ reason: TimelinePosition.Reason, isPrecise: Bool) -> TimelinePosition {
        let allowed = min(max(time, startTime), liveLimit)
        guard let segment = segment(at: allowed) else {
            // The end of a playlist that has ended, or that has no length.
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

    /// What to load next. The place changes only past what cannot be loaded: segments with EXT-X-GAP, and those that have
    /// left the playlist. Of a live playlist that has left this place behind, playback goes on at ``liveLimit``; of one
    /// that has ended, at its first segment.
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

    /// Goes on to the segment after one that was loaded.
    public mutating func advance(past segment: TimelineSegment) {
        nextNumber = segment.number + 1
        nextTime = segment.end
    }

    /// Leaves a place that is not in the playlist any more.
    private mutating func jump() -> TimelineNotice {
        let before = (number: nextNumber, time: nextTime)
        // The limit of a playlist that has ended is its end, where there is no segment.
        let target = segment(at: liveLimit) ?? segments[0]
        nextNumber = target.number
        nextTime = target.start
        let seconds = MediaTime.sane(target.start - before.time)
        counts.jumps += 1
        counts.missedSeconds += seconds
        return .fellOutOfWindow(next: before.number, continuesAt: target.number, seconds: seconds)
    }
}
