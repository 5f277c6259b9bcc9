import HLSPlaylist

/// A Media Playlist to which segments are added at the end and, unless it is an event, removed at the start. A value
/// type without I/O. It can be created from a parsed playlist, so that a run continues where another one was killed.
struct LivePlaylist: Sendable {
    /// A segment with all attributes that apply to it, so that they can be repeated after earlier segments are removed.
    struct Entry: Sendable {
        /// The name of the segment file, relative to the playlist.
        var uri: String
        /// The duration in seconds.
        var duration: Double
        /// The byte range in the file; nil for the whole file.
        var byteRange: ByteRange?
        /// The date of the first frame (EXT-X-PROGRAM-DATE-TIME).
        var date: PlaylistDate?
        /// True if the segment starts a new timeline (EXT-X-DISCONTINUITY).
        var isDiscontinuity = false
        /// True if there is no segment, because the rendition has no track at this time (EXT-X-GAP).
        var isGap = false
        /// The keys, one for each system; empty if the segment is clear.
        var keys: [KeyTag] = []
        /// The init segment.
        var map: MapTag?
        /// The size in bytes; nil if unknown.
        var byteCount: Int?
    }

    /// True if this is an I-frame playlist.
    let isIFramesOnly: Bool
    /// True if no segment is ever removed.
    let isEvent: Bool
    /// True if the init segment is clear, because whole segments are encrypted: keys must not apply to it.
    let hasClearMap: Bool
    /// The Target Duration in seconds; it never changes.
    let targetDuration: UInt64
    /// The segments.
    private(set) var entries: [Entry] = []
    /// The media sequence number of the first segment.
    private(set) var sequence: UInt64 = 0
    /// The discontinuity sequence number (EXT-X-DISCONTINUITY-SEQUENCE).
    private(set) var discontinuitySequence: UInt64 = 0
    /// True if the playlist is complete (EXT-X-ENDLIST).
    private(set) var isEnded = false
    /// The protocol version, once there is a segment; it never changes.
    private var version: UInt64?

    /// Creates a playlist without segments.
    init(targetDuration: UInt64, isEvent: Bool, isIFramesOnly: Bool = false, hasClearMap: Bool = false) {
        self.targetDuration = targetDuration
        self.isEvent = isEvent
        self.isIFramesOnly = isIFramesOnly
        self.hasClearMap = hasClearMap
    }

    /// Continues a parsed playlist.
    init(resuming playlist: MediaPlaylist, hasClearMap: Bool) {
        self.init(
            targetDuration: playlist.targetDuration,
            isEvent: playlist.playlistType == .event,
            isIFramesOnly: playlist.isIFramesOnly,
            hasClearMap: hasClearMap
        )
        sequence = playlist.mediaSequence ?? 0
        discontinuitySequence = playlist.discontinuitySequence ?? 0
        isEnded = playlist.isEnded
        version = playlist.version
        var context = KeyContext()
        var map: MapTag?
        entries = playlist.segments.map { segment in
            for key in segment.keys { context.apply(key) }
            map = segment.map ?? map
            return Entry(
                uri: segment.uri,
                duration: segment.duration,
                byteRange: segment.byteRange,
                date: segment.programDateTime,
                isDiscontinuity: segment.isDiscontinuity,
                isGap: segment.isGap,
                keys: context.keys,
                map: map
            )
        }
    }

    /// Adds the segments at the end of an I-frame playlist that are missing in this one. The I-frame playlist is
    /// replaced first, and the run may have been killed in between; players may have read it, and the segment files are
    /// complete.
    mutating func addMissingSegments(listedIn iFrames: LivePlaylist) {
        let known = entries.last?.uri
        let isBehind = known.map { uri in iFrames.entries.contains { $0.uri == uri } } ?? (sequence == 0)
        guard isBehind else { return }
        let new = iFrames.entries.reversed().prefix { $0.uri != known }.reversed()
        for frame in new {
            if let last = entries.last, last.uri == frame.uri {
                entries[entries.count - 1].duration = ((last.duration + frame.duration) * 1e6).rounded() / 1e6
            } else {
                var entry = frame
                entry.byteRange = nil
                entries.append(entry)
            }
        }
    }

    /// The media sequence number of the next segment.
    var nextSequence: UInt64 { sequence &+ UInt64(entries.count) }

    /// The total duration of the segments in seconds.
    var duration: Double { entries.reduce(0) { $0 + $1.duration } }

    /// Adds a segment.
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Continues after an existing segment file: the next segment gets its number as media sequence number.
    mutating func continueNumbering(after number: UInt64) { sequence = number - min(number, UInt64(entries.count)) }

    /// Removes a number of segments at the start, and returns them.
    mutating func removeFirst(_ count: Int) -> [Entry] {
        let removed = Array(entries.prefix(count))
        entries.removeFirst(removed.count)
        sequence &+= UInt64(removed.count)
        discontinuitySequence &+= UInt64(removed.count { $0.isDiscontinuity })
        return removed
    }

    /// Marks the playlist as complete.
    mutating func end() { isEnded = true }

    /// Returns the number of segments in excess of a window. At least three Target Durations always remain (RFC
    /// 8216bis, 6.2.2).
    func excess(over window: LiveOptions.Window?) -> Int {
        guard let window else { return 0 }
        var rest = duration
        var count = 0
        for entry in entries {
            rest -= entry.duration
            let isEnough: Bool
            switch window {
            case .segments(let wanted): isEnough = entries.count - count > wanted
            case .seconds(let wanted): isEnough = rest >= wanted
            }
            guard isEnough, rest >= 3 * Double(targetDuration) else { break }
            count += 1
        }
        return count
    }
}

extension LivePlaylist {
    /// Returns the current playlist.
    mutating func playlist() -> MediaPlaylist {
        var playlist = MediaPlaylist(targetDuration: targetDuration)
        playlist.mediaSequence = isEvent && sequence == 0 ? nil : sequence
        playlist.discontinuitySequence = isEvent && discontinuitySequence == 0 ? nil : discontinuitySequence
        playlist.playlistType = isEvent ? .event : nil
        playlist.isIFramesOnly = isIFramesOnly
        playlist.isEnded = isEnded
        var keys: [KeyTag] = []
        var map: MapTag?
        var bitRate = BitRateTags()
        playlist.segments = entries.map { entry in
            var keyTags: [SegmentTag] = []
            // A gap needs neither keys nor an init segment; those of the segments around it remain in effect.
            var entry = entry
            if entry.isGap { (entry.keys, entry.map) = (keys, map) }
            if entry.keys != keys { keyTags = entry.keys.isEmpty ? [.key(.none)] : entry.keys.map { .key($0) } }
            let mapTags: [SegmentTag] = entry.map == map ? [] : entry.map.map { [.map($0)] } ?? []
            (keys, map) = (entry.keys, entry.map)
            var tags = hasClearMap ? mapTags + keyTags : keyTags + mapTags
            if !isIFramesOnly, let count = entry.byteCount {
                tags += bitRate.tags(byteCount: count, duration: entry.duration)
            }
            return MediaSegment(
                uri: entry.uri,
                duration: entry.duration,
                byteRange: entry.byteRange,
                programDateTime: entry.date,
                isDiscontinuity: entry.isDiscontinuity,
                isGap: entry.isGap,
                tags: tags
            )
        }
        // Durations are written with decimals, which require version 3.
        let wanted = version ?? max(3, playlist.neededVersion ?? 3)
        if !entries.isEmpty { version = wanted }
        playlist.version = wanted
        playlist.marksExactDurations = true
        return playlist
    }
}
