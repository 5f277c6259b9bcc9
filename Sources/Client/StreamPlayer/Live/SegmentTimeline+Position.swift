import HLSPlaylist

// Section numbers are those of RFC 8216bis. Times are seconds on the timeline.

extension SegmentTimeline {
    /// The minimum distance of live playback from the end of the playlist, in seconds: with parts, the larger of
    /// PART-HOLD-BACK and two Part Target Durations; otherwise the larger of HOLD-BACK and three target durations
    /// (sections 4.4.3.8 and 6.3.3).
    public var holdBackDistance: Double {
        if let partHoldBack, let partTarget { return max(PlaybackTime.clamped(partHoldBack), 2 * partTarget) }
        return max(PlaybackTime.clamped(holdBack ?? 0), 3 * targetDuration)
    }

    /// The latest time to which playback can seek. In a live playlist: ``holdBackDistance`` before the end of the
    /// playlist, but not before its start. In a playlist that has ended: its end.
    public var liveLimit: Double { isEnded ? endTime : max(endTime - holdBackDistance, startTime) }

    /// Returns the distance of a time from the end of the newest playlist, in seconds. The distance is 0 if the playlist
    /// has ended or the time is after its end.
    public func behindLiveEdge(_ time: Double) -> Double { isEnded ? 0 : PlaybackTime.clamped(endTime - time) }

    /// Seeks to the position where playback starts: the TIME-OFFSET of EXT-X-START if there is one; otherwise the start
    /// of a playlist that has ended, or the ``liveLimit`` of a live playlist.
    ///
    /// A negative TIME-OFFSET counts from the end of the playlist. A TIME-OFFSET before the start of the playlist is
    /// replaced with the start, and one after ``liveLimit`` with ``liveLimit`` (section 4.4.2.2). Without PRECISE=YES,
    /// playback starts at the start of the segment that contains the time.
    @discardableResult
    public mutating func start() -> TimelinePosition {
        guard let startTag, startTag.timeOffset.isFinite else {
            return go(to: isEnded ? startTime : liveLimit, isEnded ? .beginning : .holdBack, isPrecise: false)
        }
        let offset = startTag.timeOffset
        return go(to: (offset < 0 ? endTime : startTime) + offset, .startTag, isPrecise: startTag.isPrecise == true)
    }

    /// Seeks to a time, which is clamped to the range from the start of the playlist to ``liveLimit``. NaN has the same
    /// effect as ``start()``.
    @discardableResult
    public mutating func seek(to time: Double) -> TimelinePosition {
        time.isNaN ? start() : go(to: time, .seek, isPrecise: true)
    }

    /// Seeks to a time, which is clamped to the range from the start of the playlist to ``liveLimit``. Unless
    /// `isPrecise` is true, the resulting time is the start of the segment that contains the clamped time.
    private mutating func go(to time: Double, _ reason: TimelinePosition.Reason, isPrecise: Bool) -> TimelinePosition {
        let allowed = min(max(time, startTime), liveLimit)
        // Segments without duration begin at the start too. A playlist can consist of them, if its EXTINF tags are 0 or
        // invalid.
        guard let segment = allowed == startTime ? segments[0] : segment(at: allowed) else {
            // No segment contains the end of a playlist that has ended.
            (nextNumber, nextPart) = (endNumber, 0)
            nextTime = endTime
            return TimelinePosition(number: endNumber, time: endTime, reason: reason, isClamped: allowed != time)
        }
        let part = independentPart(in: segment, at: allowed)
        (nextNumber, nextPart) = (segment.number, part?.part?.index ?? 0)
        nextTime = part?.start ?? segment.start
        return TimelinePosition(
            number: segment.number,
            time: isPrecise ? allowed : nextTime,
            reason: reason,
            isClamped: allowed != time
        )
    }

    /// Returns the next segment to load; `ended` after the last segment of a playlist that has ended; or `notYet` if a
    /// live playlist does not contain the next segment yet, so that the caller reloads the playlist and tries again.
    ///
    /// This function does not advance past the returned segment; ``advance(past:)`` does. It only skips segments that
    /// cannot be loaded: those with EXT-X-GAP, and those that have been removed from the playlist. If the segment at
    /// the position was removed from a live playlist, the position moves to the segment that contains ``liveLimit``; if
    /// the playlist has ended, it moves to the first segment.
    public mutating func next() -> TimelineStep {
        var notices: [TimelineNotice] = []
        if nextNumber < segments[0].number { notices.append(jump()) }
        var gap: (first: UInt64, last: UInt64, seconds: Double)?
        var outcome: TimelineStep.Outcome?
        while outcome == nil {
            guard let segment = segment(number: nextNumber) else {
                outcome = isEnded ? .ended : .notYet
                break
            }
            var next = segment
            var missed = segment.resolved.segment.isGap ? segment.duration : nil
            switch nextPart(of: segment) {
            case .wholeSegment: break
            case .notYet: outcome = .notYet
            case .part(let part):
                next = part
                missed = part.part?.tag.isGap == true ? part.duration : nil
            case .rest(let seconds): missed = seconds
            }
            guard outcome == nil else { break }
            guard let missed else {
                outcome = .segment(next)
                break
            }
            if missed > 0 {
                gap = (gap?.first ?? next.number, next.number, (gap?.seconds ?? 0) + missed)
                counts.gaps += 1
                counts.missedSeconds += missed
            }
            advance(past: next)
        }
        if let gap { notices.append(.gap(numbers: gap.first...gap.last, seconds: gap.seconds)) }
        return TimelineStep(outcome: outcome ?? .notYet, notices: notices)
    }

    /// Moves the position to the segment or part after `segment`, which was loaded.
    public mutating func advance(past segment: TimelineSegment) {
        nextTime = segment.end
        guard let part = segment.part, !part.isLast else {
            (nextNumber, nextPart) = (segment.number + 1, 0)
            return
        }
        nextPart = part.index + 1
    }

    /// Moves the position, whose segment has been removed from the playlist, to a segment that the playlist contains, and
    /// counts the media in between as missed.
    private mutating func jump() -> TimelineNotice {
        let before = (number: nextNumber, time: nextTime)
        // If the playlist has ended, `liveLimit` is its end, which no segment contains.
        let target = segment(at: liveLimit) ?? segments[0]
        (nextNumber, nextPart) = (target.number, 0)
        nextTime = target.start
        let seconds = PlaybackTime.clamped(target.start - before.time)
        counts.jumps += 1
        counts.missedSeconds += seconds
        return .fellOutOfWindow(next: before.number, continuesAt: target.number, seconds: seconds)
    }
}
