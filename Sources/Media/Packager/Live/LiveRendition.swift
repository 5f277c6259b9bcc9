import DASHManifest
import HLSPlaylist

/// What is to be done with the files of a live presentation, in this order.
enum LiveAction: Sendable {
    /// A Media Playlist is to be replaced; its path below the presentation's folder.
    case replace(String, MediaPlaylist)
    /// The Multivariant Playlist is to be replaced.
    case replaceMain(MultivariantPlaylist)
    /// The DASH manifest is to be replaced.
    case replaceManifest(MPD)
    /// A file is to be deleted.
    case delete(String)
}

/// A segment whose file is written.
struct LiveSegment: Sendable {
    /// A key frame in it.
    struct Frame: Sendable {
        /// Its bytes.
        var range: Range<Int>
        /// How long it stays on the screen, in seconds.
        var duration: Double
    }

    /// Where it lies in the media, which a DASH manifest says.
    struct Place: Sendable {
        /// The number of its file.
        var number: UInt64
        /// When it begins, in the timescale of its track.
        var start: MediaTime
        /// How long it is, in units of that timescale.
        var duration: UInt64
        /// Counts the stretches of a run.
        var stretch: Int
        /// The number of its key period.
        var period: Int
        /// Whether it lies in the clear lead.
        var isInLead = false
        /// How it is encrypted; nil: it is clear.
        var protection: TrackProtection?
    }

    /// What the playlist says of it.
    var entry: LivePlaylist.Entry
    /// Its key frames, where the playlist of I-frames names them.
    var frames: [Frame] = []
    /// Where it lies in the media; nil: no manifest is written.
    var place: Place?
}

/// The files of one rendition of a live presentation: a state machine without I/O. Segments go in with the time of day, and
/// out comes what to write and what to delete.
///
/// A segment's file outlives its place in the playlist by its own duration and that of the longest playlist that named it
/// (RFC 8216bis, 6.2.2), and as long as a DASH manifest promises (ISO/IEC 23009-1, 5.3.1.2). An init segment lives as long
/// as a segment that needs it.
struct LiveRendition: Sendable {
    /// A file that no playlist names any more.
    private struct Retired {
        var uri: String
        var map: String?
        var until: PlaylistDate
    }

    /// Its folder below the presentation's.
    let folder: String
    private let names: PackagingJob.FileNames
    private let window: LiveOptions.Window?
    /// Whether it has playlists; with DASH alone it has none.
    private let hasPlaylists: Bool
    /// How long a manifest promises segments once they have been presented, in seconds; nil: there is none.
    private let timeShift: Double?
    private(set) var media: LivePlaylist
    private(set) var iFrames: LivePlaylist?
    private var retired: [Retired] = []
    private var longest = 0.0
    /// The peak that was measured so far, and all bytes and seconds.
    private var rate = LiveBitRate()
    private var iFrameRate = LiveBitRate()

    /// Begins without segments, or where playlists are that were read.
    init(
        folder: String,
        names: PackagingJob.FileNames,
        window: LiveOptions.Window?,
        media: LivePlaylist,
        iFrames: LivePlaylist?,
        hasPlaylists: Bool = true,
        timeShift: Double? = nil
    ) {
        self.folder = folder
        self.names = names
        self.window = window
        self.media = media
        self.iFrames = iFrames
        self.hasPlaylists = hasPlaylists
        self.timeShift = timeShift
        longest = media.duration
    }

    /// Takes files that a run before this one left: they are deleted when it is certain that nobody wants them.
    mutating func retire(_ uris: [String], map: String? = nil, now: PlaylistDate) {
        let until = now.advanced(by: longest + (timeShift ?? 0) + Double(media.targetDuration))
        retired += uris.map { Retired(uri: $0, map: map, until: until) }
    }

    /// Takes the next segment. What is to be deleted then, ``expire(_:)`` says.
    mutating func append(_ segment: LiveSegment, now: PlaylistDate) -> [LiveAction] {
        media.append(segment.entry)
        rate.append(duration: segment.entry.duration, byteCount: segment.entry.byteCount ?? 0, media.targetDuration)
        appendFrames(of: segment)
        longest = max(longest, media.duration)
        removeExcess(now)
        return replacements()
    }

    /// Says that no segment will be added.
    mutating func end() -> [LiveAction] {
        guard !media.entries.isEmpty else { return [] }
        media.end()
        iFrames?.end()
        return replacements()
    }

    /// The keys that its segments in the window have.
    var keys: [KeyTag] {
        var keys: [KeyTag] = []
        for entry in media.entries where keys.last != entry.keys.last || keys.isEmpty { keys += entry.keys }
        return keys
    }

    /// Its bit rates, and those of its I-frames.
    var bitRates: (media: BitRate, iFrames: BitRate) { (rate.stated, iFrameRate.stated) }

    private mutating func appendFrames(of segment: LiveSegment) {
        var isFirst = true
        for frame in segment.frames {
            var entry = segment.entry
            entry.duration = frame.duration
            entry.byteRange = ByteRange(frame.range)
            entry.byteCount = frame.range.count
            if !isFirst { (entry.isDiscontinuity, entry.date) = (false, nil) }
            isFirst = false
            iFrames?.append(entry)
            iFrameRate.append(duration: frame.duration, byteCount: frame.range.count, media.targetDuration)
        }
    }

    private mutating func removeExcess(_ now: PlaylistDate) {
        for entry in media.removeFirst(media.excess(over: window)) {
            var until = now.advanced(by: entry.duration + longest)
            if let date = entry.date, let timeShift {
                until = max(until, date.advanced(by: 2 * entry.duration + timeShift))
            }
            retired.append(Retired(uri: entry.uri, map: entry.map?.uri, until: until))
            let frames = iFrames?.entries.prefix { $0.uri == entry.uri }.count ?? 0
            _ = iFrames?.removeFirst(frames)
        }
    }

    private mutating func replacements() -> [LiveAction] {
        guard hasPlaylists else { return [] }
        var actions: [LiveAction] = []
        // I-frames first: who knows the media playlist may look for them.
        if let name = names.iFrames, let playlist = iFrames?.entries.isEmpty == false ? iFrames?.playlist() : nil {
            actions.append(.replace(folder + "/" + name, playlist))
        }
        actions.append(.replace(folder + "/" + names.media, media.playlist()))
        return actions
    }

    /// Deletes what nobody can want any more.
    mutating func expire(_ now: PlaylistDate) -> [LiveAction] {
        let count = retired.prefix { $0.until <= now }.count
        guard count > 0 else { return [] }
        let expired = Array(retired.prefix(count))
        retired.removeFirst(count)
        var actions = expired.map { LiveAction.delete(folder + "/" + $0.uri) }
        var maps: [String] = []
        for case let map? in expired.map(\.map) where !maps.contains(map) { maps.append(map) }
        for map in maps where !isNeeded(map) { actions.append(.delete(folder + "/" + map)) }
        return actions
    }

    private func isNeeded(_ map: String) -> Bool {
        media.entries.contains { $0.map?.uri == map } || retired.contains { $0.map == map }
    }
}
