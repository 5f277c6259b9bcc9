public import HLSPlaylist

/// The segments of a Media Playlist on one timeline across reloads, and the position of the next segment.
///
///     var timeline = try SegmentTimeline(playlist)
///     let place = timeline.start()
///     switch timeline.next().outcome {
///     case .segment(let segment): …           // load it, then timeline.advance(past: segment)
///     case .notYet: …                         // after the next reload: try timeline.update(playlist)
///     case .ended: …
///     }
///
/// The timeline's zero is the start of the first playlist. A segment keeps its time across reloads. Only the segments
/// of the newest playlist are stored; `PlaylistLimits` limits their number.
public struct SegmentTimeline: Sendable {
    /// The segments of the newest playlist.
    public private(set) var segments: [TimelineSegment]
    /// The media sequence number of the segment to load next.
    public internal(set) var nextNumber: UInt64
    /// The index of the part of that segment to load next, if the segment is loaded in parts; otherwise 0.
    public internal(set) var nextPart = 0
    /// The amount of missed media.
    public internal(set) var counts = TimelineCounts()
    /// True if parts are played (Low-Latency HLS), as far as the playlist lists them.
    public let usesParts: Bool
    /// True if the last segment is not complete: only its parts can be loaded.
    private(set) var isLastOpen = false
    /// The Part Target Duration and PART-HOLD-BACK in seconds; nil if no parts are played.
    private(set) var partTarget: Double?
    private(set) var partHoldBack: Double?

    /// The playlist's EXT-X-START, or that of the Multivariant Playlist.
    let startTag: StartTag?
    private let startTagOfPresentation: StartTag?
    /// True if the playlist is complete.
    public private(set) var isEnded: Bool
    /// The target duration, in seconds.
    private(set) var targetDuration: Double
    private(set) var holdBack: Double?
    /// True if the start of the first playlist has been removed.
    private var hasSlid = false
    /// The start of the next segment, in seconds on the timeline, as far as it is known.
    public internal(set) var nextTime = 0.0

    /// Creates the timeline of a playlist, positioned at the start of playback.
    ///
    /// - Parameters:
    ///   - playlist: A whole playlist, not a delta update.
    ///   - start: EXT-X-START of the Multivariant Playlist. That of the Media Playlist takes precedence (section
    ///     4.4.2.2).
    ///   - usesParts: Whether parts are played. They are played only of fragmented MP4.
    public init(_ playlist: MediaPlaylist, start: StartTag? = nil, usesParts: Bool = false) throws(TimelineError) {
        self.usesParts = usesParts
        segments = try Self.layOut(playlist, from: 0, usesParts: usesParts)
        startTagOfPresentation = start
        startTag = playlist.start ?? start
        isEnded = playlist.isEnded || playlist.playlistType == .vod
        targetDuration = Self.targetDuration(playlist)
        holdBack = playlist.serverControl?.holdBack
        nextNumber = segments[0].number
        readParts(playlist)
        self.start()
    }

    /// Updates the timeline with the playlist after a reload.
    ///
    /// - Throws: ``TimelineError``; then the timeline is unchanged.
    public mutating func update(_ playlist: MediaPlaylist) throws(TimelineError) {
        let first = playlist.mediaSequence ?? 0
        guard first >= segments[0].number else {
            throw .sequenceWentBack(from: segments[0].number, to: first)
        }
        let start: Double
        if first - segments[0].number < UInt64(segments.count) {
            start = segments[Int(first - segments[0].number)].start
        } else {
            start = endTime + unseen(from: endNumber, to: first, playlist)
        }
        try replaceSegments(playlist, from: start)
        hasSlid = hasSlid || start > 0
    }

    /// Continues with the playlist of a restarted encoder, whose media sequence numbers do not continue those of the
    /// previous playlist. Its first segment follows the end of the previous playlist.
    ///
    /// - Throws: ``TimelineError``; then the timeline is unchanged.
    public mutating func restart(with playlist: MediaPlaylist) throws(TimelineError) {
        let start = max(endTime, nextTime)
        try replaceSegments(playlist, from: start)
        (nextNumber, nextPart, nextTime) = (segments[0].number, 0, start)
        hasSlid = true
    }

    /// Switches to another variant's playlist; the time and position are kept.
    ///
    /// The playlists are aligned by their starts if both have ended and neither has removed segments, by
    /// EXT-X-PROGRAM-DATE-TIME if both have dates, and otherwise by media sequence number. If they have nothing in
    /// common, their ends are aligned.
    ///
    /// - Throws: ``TimelineError``; then the timeline is unchanged.
    public mutating func change(to playlist: MediaPlaylist) throws(TimelineError) {
        let laid = try Self.layOut(playlist, from: 0, usesParts: usesParts)
        let hasEnded = playlist.isEnded || playlist.playlistType == .vod
        let length = laid[laid.count - 1].end
        let start: Double
        if isEnded, hasEnded, !hasSlid {
            start = 0
        } else if let own = segments[0].resolved.programDateTime, let other = laid[0].resolved.programDateTime,
            abs(other.timeInterval(since: own)) < PlaybackTime.maximum
        {
            start = segments[0].start + other.timeInterval(since: own)
        } else if let same = laid.first(where: { segment(number: $0.number) != nil }),
            let known = segment(number: same.number)
        {
            start = known.start - same.start
        } else {
            start = endTime - length
        }
        let (number, time) = (nextNumber, nextTime)
        let isInSegment = nextPart > 0
        nextPart = 0
        try replaceSegments(playlist, from: start)
        hasSlid = hasSlid || start != 0
        guard length > 0 else {
            // Without durations, only the media sequence numbers specify the position.
            nextNumber = min(max(number, segments[0].number), endNumber)
            nextTime = endTime
            return
        }
        // Rounded durations and dates differ slightly; so small a rest of a segment is not worth loading.
        let tolerance = min((partTarget ?? targetDuration) / 4, 0.5)
        let following = segments.first { $0.end > time + min(tolerance, $0.duration / 2) }
        nextNumber = following?.number ?? endNumber
        nextTime = following?.start ?? endTime
        guard isInSegment, let following else { return }
        // The start of the segment has been played.
        let parts = parts(of: following)
        nextPart = parts.firstIndex { $0.start >= time - tolerance } ?? 0
        nextTime = nextPart < parts.count ? parts[nextPart].start : following.start
    }

    /// The end of the newest playlist, in seconds on the timeline.
    public var endTime: Double { segments[segments.count - 1].end }
    /// The start of the newest playlist, in seconds on the timeline.
    public var startTime: Double { segments[0].start }
    /// The media sequence number after the last segment's.
    var endNumber: UInt64 { segments[0].number + UInt64(segments.count) }

    /// Returns the segment with a media sequence number; nil if it is not in the newest playlist.
    public func segment(number: UInt64) -> TimelineSegment? {
        guard number >= segments[0].number, number - segments[0].number < UInt64(segments.count) else { return nil }
        return segments[Int(number - segments[0].number)]
    }

    /// Returns the segment at a time, in seconds; nil outside of the playlist.
    public func segment(at time: Double) -> TimelineSegment? {
        guard time >= startTime, time < endTime else { return nil }
        var low = 0
        var high = segments.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].start <= time { low = middle } else { high = middle }
        }
        return segments[low]
    }

    // MARK: Layout

    private mutating func replaceSegments(_ playlist: MediaPlaylist, from start: Double) throws(TimelineError) {
        segments = try Self.layOut(playlist, from: start, usesParts: usesParts)
        isEnded = playlist.isEnded || playlist.playlistType == .vod
        targetDuration = Self.targetDuration(playlist)
        holdBack = playlist.serverControl?.holdBack
        readParts(playlist)
        guard let next = segment(number: nextNumber) else { return }
        guard nextPart > 0 else {
            nextTime = next.start
            return
        }
        nextTime = parts(of: next).prefix(nextPart).last?.end ?? max(nextTime, next.start)
    }

    private mutating func readParts(_ playlist: MediaPlaylist) {
        let isPlayed = usesParts && playlist.partInf != nil && !isEnded
        isLastOpen = usesParts && playlist.openSegment != nil
        partTarget = isPlayed ? playlist.partInf?.partTarget : nil
        partHoldBack = isPlayed ? playlist.serverControl?.partHoldBack : nil
    }

    /// Returns the duration, in seconds, of the segments between the previous playlist and this one that were never
    /// loaded: by dates, or otherwise a target duration for each.
    private func unseen(from end: UInt64, to first: UInt64, _ playlist: MediaPlaylist) -> Double {
        let last = segments[segments.count - 1]
        if let date = last.resolved.programDateTime, let next = playlist.segments.first?.programDateTime {
            let seconds = next.timeInterval(since: date) - last.duration
            if seconds >= 0, seconds < PlaybackTime.maximum { return seconds }
        }
        return PlaybackTime.clamped(Double(first - end) * targetDuration)
    }

    private static func targetDuration(_ playlist: MediaPlaylist) -> Double {
        Double(min(max(playlist.targetDuration, 1), 86_400))
    }

    private static func layOut(
        _ given: MediaPlaylist,
        from start: Double,
        usesParts: Bool
    ) throws(TimelineError) -> [TimelineSegment] {
        var playlist = given
        if usesParts, let open = given.openSegment { playlist.segments.append(open) }
        guard !playlist.isDeltaUpdate else { throw .deltaUpdate }
        guard !playlist.segments.isEmpty else { throw .noSegments }
        guard playlist.endSequenceNumber != nil else { throw .sequenceOverflow(first: playlist.mediaSequence ?? 0) }
        let resolved: ResolvedSegments
        do { resolved = try playlist.resolvedSegments() } catch { throw .byteRange(line: error.diagnostic.line) }
        var result: [TimelineSegment] = []
        result.reserveCapacity(playlist.segments.count)
        var time = start
        for segment in resolved {
            let duration = segment.segment.duration
            result.append(TimelineSegment(resolved: segment, start: time))
            time += duration
            guard duration >= 0, time - start <= PlaybackTime.maximum else {
                throw .unusableDuration(mediaSequenceNumber: segment.mediaSequenceNumber)
            }
        }
        return result
    }
}
