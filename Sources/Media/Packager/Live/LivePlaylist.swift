import HLSPlaylist

/// A Media Playlist that grows at its end and, unless it is an event, loses segments at its beginning. A value without
/// I/O. It can be made from a playlist that was read, so that a run goes on where another was killed.
struct LivePlaylist: Sendable {
    /// A segment, and what applies to it: what stood before the segments that are gone has to be said again.
    struct Entry: Sendable {
        /// The name of its file, relative to the playlist.
        var uri: String
        /// In seconds.
        var duration: Double
        /// Which bytes of the file; nil: all.
        var byteRange: ByteRange?
        /// When its first frame was made.
        var date: PlaylistDate?
        /// Whether times begin anew with it.
        var isDiscontinuity = false
        /// Its keys, one for each system; none when it is clear.
        var keys: [KeyTag] = []
        /// Its init segment.
        var map: MapTag?
        /// Its size in bytes; nil: not known.
        var byteCount: Int?
    }

    /// Whether it is a playlist of I-frames.
    let isIFramesOnly: Bool
    /// Whether nothing is ever removed.
    let isEvent: Bool
    /// Whether the init segment is clear, since whole segments are encrypted: keys must not apply to it.
    let hasClearMap: Bool
    /// In seconds; it never changes.
    let targetDuration: UInt64
    /// The segments.
    private(set) var entries: [Entry] = []
    /// The media sequence number of the first one.
    private(set) var sequence: UInt64 = 0
    /// The discontinuity sequence number of what was before the first one.
    private(set) var discontinuitySequence: UInt64 = 0
    /// Whether no segment will be added.
    private(set) var isEnded = false
    /// The protocol version, once there is a segment; it never changes.
    private var version: UInt64?

    /// Begins without segments.
    init(targetDuration: UInt64, isEvent: Bool, isIFramesOnly: Bool = false, hasClearMap: Bool = false) {
        self.targetDuration = targetDuration
        self.isEvent = isEvent
        self.isIFramesOnly = isIFramesOnly
        self.hasClearMap = hasClearMap
    }

    /// Takes up a playlist that was read.
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
                keys: context.keys,
                map: map
            )
        }
    }

    /// Adds the segments at the end of a playlist of I-frames that this one does not have: that one is replaced first, and
    /// the run may have been killed in between. Players may know them, and their files are whole.
    mutating func takeSegments(namedBy iFrames: LivePlaylist) {
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

    /// The media sequence number of the segment that comes next.
    var nextSequence: UInt64 { sequence &+ UInt64(entries.count) }

    /// How long the segments last together, in seconds.
    var duration: Double { entries.reduce(0) { $0 + $1.duration } }

    /// Adds a segment.
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Counts on behind a segment that has a number: the one after has that number as its media sequence number.
    mutating func goOn(behind number: UInt64) { sequence = number - min(number, UInt64(entries.count)) }

    /// Removes so many segments at the beginning.
    mutating func removeFirst(_ count: Int) -> [Entry] {
        let removed = Array(entries.prefix(count))
        entries.removeFirst(removed.count)
        sequence &+= UInt64(removed.count)
        discontinuitySequence &+= UInt64(removed.count { $0.isDiscontinuity })
        return removed
    }

    /// Says that no segment will be added.
    mutating func end() { isEnded = true }

    /// How many segments are more than a window has. Never so many that less than three Target Durations stay
    /// (RFC 8216bis, 6.2.2).
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
    /// The playlist as it is now.
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
            if entry.keys != keys { keyTags = entry.keys.isEmpty ? [.key(.none)] : entry.keys.map { .key($0) } }
            let mapTags: [SegmentTag] = entry.map == map ? [] : entry.map.map { [.map($0)] } ?? []
            (keys, map) = (entry.keys, entry.map)
            var tags = hasClearMap ? mapTags + keyTags : keyTags + mapTags
            if !isIFramesOnly, let count = entry.byteCount {
                tags += bitRate.tags(byteCount: count, duration: entry.duration)
            }
            return HLSPlaylist.MediaSegment(
                uri: entry.uri,
                duration: entry.duration,
                byteRange: entry.byteRange,
                programDateTime: entry.date,
                isDiscontinuity: entry.isDiscontinuity,
                tags: tags
            )
        }
        // Durations get a decimal point, which version 3 has.
        let wanted = version ?? max(3, playlist.neededVersion ?? 3)
        if !entries.isEmpty { version = wanted }
        playlist.version = wanted
        playlist.marksExactDurations = true
        return playlist
    }
}
