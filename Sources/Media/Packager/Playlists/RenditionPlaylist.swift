import HLSPlaylist

/// A Media Playlist of a rendition, to which segments are added at the end and, if it is live, removed at the start. A
/// VOD playlist is an event that is published when it is complete. A value type without I/O. It can be created from a
/// parsed playlist, so that a run continues where another one was killed.
struct RenditionPlaylist: Sendable {
    /// The type of the presentation (EXT-X-PLAYLIST-TYPE).
    enum Kind: Sendable {
        /// Segments are removed when they leave the window.
        case live
        /// Segments are only added.
        case event
        /// The playlist is published when it is complete.
        case vod
    }

    /// The contents of a playlist for Low-Latency HLS beside its segments.
    struct LowLatency: Sendable {
        /// The Part Target Duration in seconds.
        var partTarget: Double
        /// The segment of which parts are available, but not all; nil between segments.
        var open: Rendition.Segment?
        /// The URI of the next segment, of which nothing is available; nil if it is not known.
        var nextURI: String?
        /// The URI of the init segment of the next segment, if it has another one.
        var nextMap: String?
        /// The ends of the other renditions.
        var reports: [RenditionReportTag] = []
    }

    /// The type of the presentation.
    let kind: Kind
    /// True if this is an I-frame playlist.
    let isIFramesOnly: Bool
    /// True if the init segment is clear, because whole segments are encrypted: keys must not apply to it.
    let hasClearMap: Bool
    /// True if the playlist lists bit rates (EXT-X-BITRATE) of segments in separate files.
    let hasBitRates: Bool
    /// The Target Duration in seconds; it never changes. 0 for VOD until the playlist is complete.
    let targetDuration: UInt64
    /// The maximum duration of a segment in the playlist, in seconds.
    let maximumDuration: Double
    /// The low-latency part; nil without parts.
    var lowLatency: LowLatency?
    /// The features of the server (EXT-X-SERVER-CONTROL), the same for all playlists of a presentation.
    var serverControl: ServerControlTag?
    /// The segments, with the durations in the playlist: in microseconds.
    private(set) var segments: [Rendition.Segment] = []
    /// The media sequence number of the first segment.
    private(set) var sequence: UInt64 = 0
    /// The discontinuity sequence number (EXT-X-DISCONTINUITY-SEQUENCE).
    private(set) var discontinuitySequence: UInt64 = 0
    /// True if the playlist is complete (EXT-X-ENDLIST).
    private(set) var isEnded = false
    /// The protocol version, once a segment is published; it never changes.
    private var version: UInt64?
    private var rounder = DurationRounder()
    private var bitRates = BitRateValues()
    /// The Date Ranges for the next segment, because there was no segment to which they could be added.
    private var nextDateRanges: [DateRangeTag] = []

    /// Creates a playlist without segments.
    init(
        _ kind: Kind,
        targetDuration: UInt64 = 0,
        maximumDuration: Double = .infinity,
        isIFramesOnly: Bool = false,
        hasClearMap: Bool = false,
        hasBitRates: Bool = true
    ) {
        self.kind = kind
        self.targetDuration = targetDuration
        self.maximumDuration = maximumDuration
        self.isIFramesOnly = isIFramesOnly
        self.hasClearMap = hasClearMap
        self.hasBitRates = hasBitRates && !isIFramesOnly
    }

    /// Continues a parsed playlist.
    init(resuming playlist: MediaPlaylist, maximumDuration: Double = .infinity, hasClearMap: Bool) {
        self.init(
            playlist.playlistType == .event ? .event : .live,
            targetDuration: playlist.targetDuration,
            maximumDuration: maximumDuration,
            isIFramesOnly: playlist.isIFramesOnly,
            hasClearMap: hasClearMap
        )
        sequence = playlist.mediaSequence ?? 0
        discontinuitySequence = playlist.discontinuitySequence ?? 0
        isEnded = playlist.isEnded
        version = playlist.version
        var context = KeyContext()
        var map: MapTag?
        var bitRate: UInt64?
        func apply(_ tags: some SegmentTags) {
            for key in tags.keys { context.apply(key) }
            map = tags.map ?? map
        }
        segments = playlist.segments.map { segment in
            apply(segment)
            var read = Rendition.Segment(
                resource: Rendition.Resource(uri: segment.uri, byteRange: Range(segment.byteRange)),
                duration: RationalTime(microseconds: segment.duration)
            )
            read.initialization = map.map { Rendition.Resource(uri: $0.uri, byteRange: Range($0.byteRange)) }
            read.keys = context.keys
            read.date = segment.programDateTime
            read.dateRanges = segment.dateRanges
            read.isDiscontinuity = segment.isDiscontinuity
            read.isGap = segment.isGap
            for case .bitrate(let rate) in segment.tags { bitRate = rate }
            read.listedBitRate = bitRate
            read.parts = segment.parts.compactMap { Rendition.Segment.Part($0) }
            return read
        }
        bitRates = BitRateValues(last: bitRate)
        serverControl = playlist.serverControl
        guard let inf = playlist.partInf else { return }
        var lowLatency = LowLatency(partTarget: inf.partTarget)
        let parts = playlist.upcoming.parts.compactMap { Rendition.Segment.Part($0) }
        if let uri = playlist.upcoming.parts.first?.uri, let end = parts.last?.byteRange.upperBound {
            apply(playlist.upcoming)
            let duration = parts.reduce(0) { $0 + $1.duration.seconds }
            var open = Rendition.Segment(
                resource: Rendition.Resource(uri: uri),
                byteCount: end,
                duration: RationalTime(microseconds: duration)
            )
            open.initialization = map.map { Rendition.Resource(uri: $0.uri, byteRange: Range($0.byteRange)) }
            open.keys = context.keys
            open.date = playlist.upcoming.programDateTime
            open.dateRanges = playlist.upcoming.dateRanges
            open.isDiscontinuity = playlist.upcoming.isDiscontinuity
            open.parts = parts
            lowLatency.open = open
        }
        self.lowLatency = lowLatency
    }

    /// The media sequence number of the next segment.
    var nextSequence: UInt64 { sequence &+ UInt64(segments.count) }

    /// The total duration of the segments in seconds.
    var duration: Double { segments.reduce(0) { $0 + $1.duration.seconds } }

    /// The discontinuity sequence number of the last segment.
    var lastDiscontinuity: UInt64 { discontinuitySequence &+ UInt64(segments.count { $0.isDiscontinuity }) }

    /// Returns the segments with higher discontinuity sequence numbers.
    func segments(afterDiscontinuity number: UInt64) -> ArraySlice<Rendition.Segment> {
        var reached = discontinuitySequence
        let start = segments.firstIndex { segment in
            if segment.isDiscontinuity { reached &+= 1 }
            return reached > number
        }
        return segments[(start ?? segments.endIndex)...]
    }

    /// The keys of the segments, in order, with those of the open segment, whose parts are listed.
    var keys: [KeyTag] {
        var keys: [KeyTag] = []
        for segment in segments + (lowLatency?.open.map { [$0] } ?? [])
        where keys.last != segment.keys.last || keys.isEmpty { keys += segment.keys }
        return keys
    }

    /// Continues after an existing segment file: the next segment gets its number as media sequence number.
    mutating func continueNumbering(after number: UInt64) { sequence = number - min(number, UInt64(segments.count)) }

    /// Removes a number of segments at the start, and returns them.
    mutating func removeFirst(_ count: Int) -> [Rendition.Segment] {
        let removed = Array(segments.prefix(count))
        segments.removeFirst(removed.count)
        keepDateRanges(of: removed)
        sequence &+= UInt64(removed.count)
        discontinuitySequence &+= UInt64(removed.count { $0.isDiscontinuity })
        return removed
    }

    /// Marks the playlist as complete.
    mutating func end() { isEnded = true }

    /// The number and the index of the last part; of the last segment if it has no parts; nil if there is neither.
    var last: (sequence: UInt64, part: UInt64?)? {
        if let open = lowLatency?.open, !open.parts.isEmpty { return (nextSequence, UInt64(open.parts.count - 1)) }
        guard let parts = segments.last?.parts.count else { return nil }
        return (nextSequence &- 1, parts > 0 ? UInt64(parts - 1) : nil)
    }

    /// Returns the number of segments in excess of a window. At least three Target Durations always remain (RFC
    /// 8216bis, 6.2.2).
    func excess(over window: LiveOptions.Window?) -> Int {
        guard let window else { return 0 }
        var rest = duration
        var count = 0
        for segment in segments {
            rest -= segment.duration.seconds
            let isEnough: Bool
            switch window {
            case .segments(let wanted): isEnough = segments.count - count > wanted
            case .seconds(let wanted): isEnough = rest >= wanted
            }
            guard isEnough, rest >= 3 * Double(targetDuration) else { break }
            count += 1
        }
        return count
    }
}

// MARK: - Adding segments
extension RenditionPlaylist {
    /// Adds a segment, and returns it with the duration that the playlist specifies.
    @discardableResult
    mutating func append(_ segment: Rendition.Segment) -> Rendition.Segment {
        var segment = segment
        segment.duration = RationalTime(
            microseconds: rounder.advance(by: min(segment.duration.seconds, maximumDuration))
        )
        segment.keyFrames = []
        segment.dateRanges = takeNextDateRanges() + unlistedDateRanges(of: segment)
        setBitRate(&segment)
        segments.append(segment)
        if !segment.isGap {
            lowLatency?.open = nil
            lowLatency?.nextMap = nil
        }
        return segment
    }

    private mutating func setBitRate(_ segment: inout Rendition.Segment) {
        guard hasBitRates, !segment.isGap, segment.resource.byteRange == nil else { return }
        segment.listedBitRate = bitRates.next(byteCount: segment.byteCount, duration: segment.duration.seconds)
    }

    /// Adds the key frames of a segment to an I-frame playlist (RFC 8216bis, 4.4.3.6), and returns them.
    ///
    /// If a segment has none, the previous frame remains on the screen. Its duration includes the segment only with
    /// VOD, because published durations must not change.
    @discardableResult
    mutating func appendKeyFrames(of segment: Rendition.Segment) -> [Rendition.Segment] {
        if segment.isGap { return [append(segment)] }
        let frames = segment.iFrames
        if frames.isEmpty { nextDateRanges += segment.dateRanges }
        if frames.isEmpty, kind == .vod, let last = segments.indices.last {
            let more = rounder.advance(by: segment.duration.seconds)
            segments[last].duration = RationalTime(microseconds: segments[last].duration.seconds + more)
        }
        return frames.enumerated().map { index, frame in
            var entry = segment
            entry.resource.byteRange = frame.byteRange
            entry.byteCount = frame.byteRange.count
            entry.duration = RationalTime(microseconds: rounder.advance(by: frame.duration))
            entry.keyFrames = []
            if index > 0 { (entry.isDiscontinuity, entry.date, entry.dateRanges) = (false, nil, []) }
            entry.dateRanges = takeNextDateRanges() + entry.dateRanges
            segments.append(entry)
            return entry
        }
    }

    /// Adds the segments at the end of an I-frame playlist that are missing in this one. The I-frame playlist is
    /// replaced first, and the run may have been killed in between; players may have read it, and the segment files are
    /// complete.
    mutating func addMissingSegments(listedIn iFrames: RenditionPlaylist) {
        let known = segments.last?.resource.uri
        let isBehind = known.map { uri in iFrames.segments.contains { $0.resource.uri == uri } } ?? (sequence == 0)
        guard isBehind else { return }
        let new = iFrames.segments.reversed().prefix { $0.resource.uri != known }.reversed()
        for frame in new {
            if let last = segments.last, last.resource.uri == frame.resource.uri {
                segments[segments.count - 1].duration = RationalTime(
                    microseconds: last.duration.seconds + frame.duration.seconds
                )
            } else {
                var segment = frame
                segment.resource.byteRange = nil
                segments.append(segment)
            }
        }
        if let open = lowLatency?.open, segments.contains(where: { $0.resource.uri == open.resource.uri }) {
            lowLatency?.open = nil
        }
    }

    /// Ends the segment that was open when the earlier run was killed after its last listed part.
    ///
    /// - Parameter truncate: Cuts its file to a size in bytes; returns false if the file is shorter.
    /// - Returns: The segment as a gap of the I-frame playlist, which does not list it: with the same URI, duration and
    ///   discontinuity. Nil if no segment was open.
    mutating func endOpenSegment(
        _ truncate: (_ uri: String, _ size: Int) throws -> Bool
    ) rethrows -> Rendition.Segment? {
        guard var open = lowLatency?.open else { return nil }
        lowLatency?.open = nil
        setBitRate(&open)
        // What players have loaded of a file that is lost cannot be listed again; its number is not used for another.
        let isComplete = try truncate(open.resource.uri, open.byteCount)
        segments.append(isComplete ? open : Rendition.Segment(gap: nextSequence &+ 1, along: open))
        guard var gap = segments.last else { return nil }
        (gap.isGap, gap.byteCount, gap.parts) = (true, 0, [])
        return gap
    }
}

// MARK: - Date Ranges
extension RenditionPlaylist {
    /// The maximum number of tags that are kept longer than their segments.
    private static let maximumKeptRanges = 64

    /// Returns the tags of a segment that are not listed: a segment of another rendition, along which there was a gap, has
    /// the same ones.
    private func unlistedDateRanges(of segment: Rendition.Segment) -> [DateRangeTag] {
        segment.dateRanges.filter { tag in !segments.contains { $0.dateRanges.contains(tag) } }
    }

    private mutating func takeNextDateRanges() -> [DateRangeTag] {
        guard !nextDateRanges.isEmpty else { return [] }
        defer { nextDateRanges = [] }
        return nextDateRanges
    }

    /// Moves the Date Ranges of removed segments that have not ended to the first segment that is left: a tag must not be
    /// removed while a segment is within its range (RFC 8216bis, 6.2.1). The range of a break whose end and duration are
    /// unknown has not ended.
    private mutating func keepDateRanges(of removed: [Rendition.Segment]) {
        let tags = removed.flatMap(\.dateRanges)
        // Only the first I-frame of a segment has a date.
        let end = removed.last { $0.date != nil }.flatMap { $0.date?.advanced(by: $0.duration.seconds) }
        guard !tags.isEmpty, let start = segments.first?.date ?? end else { return }
        let listed = segments.flatMap(\.dateRanges) + (lowLatency?.open?.dateRanges ?? [])
        // The attributes of a range do not change while one of its tags is listed.
        let ids = Set(listed.map(\.id))
        var ends: [String: PlaylistDate] = [:]
        for tag in tags + listed {
            if let begin = tag.startDate, let duration = tag.duration { ends[tag.id] = begin.advanced(by: duration) }
        }
        let kept = tags.filter { tag in
            if ids.contains(tag.id) { return true }
            if let end = ends[tag.id] { return end > start }
            guard let begin = tag.startDate else { return false }
            if let planned = tag.plannedDuration { return begin.advanced(by: planned) > start }
            return tag.scte35Out != nil || begin >= start
        }
        let all = Array(kept.suffix(Self.maximumKeptRanges))
        if segments.isEmpty {
            nextDateRanges = all + nextDateRanges
        } else {
            segments[0].dateRanges = all + segments[0].dateRanges
        }
    }
}

// MARK: - Writing
extension RenditionPlaylist {
    /// Returns the current playlist. The Target Duration and the version of a VOD playlist are set later; see
    /// `MediaPlaylist.setTargetDuration(_:)`.
    mutating func playlist() -> MediaPlaylist {
        var playlist = MediaPlaylist(targetDuration: targetDuration)
        playlist.mediaSequence = kind != .live && sequence == 0 ? nil : sequence
        playlist.discontinuitySequence = kind != .live && discontinuitySequence == 0 ? nil : discontinuitySequence
        playlist.playlistType =
            switch kind {
            case .live: nil
            case .event: .event
            case .vod: .vod
            }
        playlist.isIFramesOnly = isIFramesOnly
        playlist.isEnded = isEnded
        playlist.segments = mediaSegments()
        addLowLatency(&playlist)
        guard kind != .vod else { return playlist }
        // Durations are written with decimals, which require version 3. Only from version 6 on may a duration exceed the
        // Target Duration by less than half a second (RFC 8216bis, 8). A Media Playlist with EXT-X-MAP has this version;
        // an I-frame playlist, whose Target Duration is the same, requires only version 5.
        let lowest: UInt64 =
            lowLatency != nil || isIFramesOnly && segments.contains { $0.initialization != nil } ? 6 : 3
        let wanted = version ?? max(lowest, playlist.neededVersion ?? 3)
        if !segments.isEmpty { version = wanted }
        playlist.version = wanted
        playlist.marksExactDurations = true
        return playlist
    }
}

extension RationalTime {
    /// Creates a duration in microseconds from a number of seconds, rounded.
    init(microseconds seconds: Double) {
        self.init(Int64(exactly: (seconds * 1e6).rounded()) ?? .max, timescale: 1_000_000)
    }
}

extension Range<Int> {
    /// Converts the byte range of a written playlist, which has an offset.
    init?(_ range: ByteRange?) {
        guard let range, let start = range.offset.flatMap({ Int(exactly: $0) }) else { return nil }
        guard let length = Int(exactly: range.length), length <= Int.max - start else { return nil }
        self = start..<start + length
    }
}
