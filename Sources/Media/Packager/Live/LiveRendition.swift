import DASHManifest
import HLSPlaylist

/// A change to the files of a live presentation; changes are performed in order.
enum LiveAction: Sendable {
    /// Replace a Media Playlist at a path relative to the presentation's folder.
    case replace(String, MediaPlaylist)
    /// Replace the Multivariant Playlist.
    case replaceMain(MultivariantPlaylist)
    /// Replace the DASH manifest.
    case replaceManifest(MPD)
    /// Delete a file.
    case delete(String)
}

/// A segment whose file has been written.
struct LiveSegment: Sendable {
    /// A key frame of the segment.
    struct Frame: Sendable {
        /// The byte range of the key frame.
        var range: Range<Int>
        /// The duration for which it is shown in an I-frame playlist, in seconds.
        var duration: Double
    }

    /// The position of a segment in the media, for a DASH manifest.
    struct Position: Sendable {
        /// The number in the name of its file.
        var number: UInt64
        /// The start in the timescale of the track.
        var start: RationalTime
        /// The duration in units of the timescale.
        var duration: UInt64
        /// The number of discontinuities of the run before the segment.
        var epoch: Int
        /// The number of the key period.
        var period: Int
        /// True if the segment is in the clear lead.
        var isInClearLead = false
        /// The encryption; nil if the segment is clear.
        var protection: TrackProtection?
    }

    /// The playlist entry.
    var entry: LivePlaylist.Entry
    /// The key frames, if there is an I-frame playlist.
    var frames: [Frame] = []
    /// The position in the media; nil if no manifest is written.
    var position: Position?
}

/// The playlists and files of one rendition of a live presentation. A state machine without I/O: it receives segments
/// with the current time, and returns the files to write and delete.
///
/// A segment file is kept after its removal from the playlist for its own duration plus that of the longest playlist
/// that listed it (RFC 8216bis, 6.2.2), and for the time shift buffer of a DASH manifest (ISO/IEC 23009-1, 5.3.1.2). An
/// init segment is kept as long as a segment that needs it.
struct LiveRendition: Sendable {
    /// A file that is no longer listed in a playlist.
    private struct Retired {
        var uri: String
        var map: String?
        var until: PlaylistDate
    }

    /// The name of its folder in the presentation's folder.
    let folder: String
    private let names: PackagingJob.FileNames
    private let window: LiveOptions.Window?
    /// True if it has playlists; with only DASH it has none.
    private let hasPlaylists: Bool
    /// The time shift buffer depth of the DASH manifest in seconds; nil if there is no manifest.
    private let timeShift: Double?
    private(set) var media: LivePlaylist
    private(set) var iFrames: LivePlaylist?
    private var retired: [Retired] = []
    private var longest = 0.0
    /// The measured bit rate.
    private var rate = LiveBitRate()
    private var iFrameRate = LiveBitRate()

    /// Creates a rendition without segments, or one that continues parsed playlists.
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

    /// Schedules the deletion of files that an earlier run left, for when no client can need them.
    mutating func retire(_ uris: [String], map: String? = nil, now: PlaylistDate) {
        let until = now.advanced(by: longest + (timeShift ?? 0) + Double(media.targetDuration))
        retired += uris.map { Retired(uri: $0, map: map, until: until) }
    }

    /// Adds the next segment. Files to delete are returned by ``expire(_:)``.
    mutating func append(_ segment: LiveSegment, now: PlaylistDate) -> [LiveAction] {
        media.append(segment.entry)
        if segment.entry.isGap {
            iFrames?.append(segment.entry)
            longest = max(longest, media.duration)
            removeExcess(now)
            return replacements()
        }
        rate.append(duration: segment.entry.duration, byteCount: segment.entry.byteCount ?? 0, media.targetDuration)
        appendFrames(of: segment)
        longest = max(longest, media.duration)
        removeExcess(now)
        return replacements()
    }

    /// Marks the playlists as complete.
    mutating func end() -> [LiveAction] {
        guard !media.entries.isEmpty else { return [] }
        media.end()
        iFrames?.end()
        return replacements()
    }

    /// The keys of the segments in the window.
    var keys: [KeyTag] {
        var keys: [KeyTag] = []
        for entry in media.entries where keys.last != entry.keys.last || keys.isEmpty { keys += entry.keys }
        return keys
    }

    /// The bit rates of the media and of the I-frames.
    var bitRates: (media: BitRate, iFrames: BitRate) { (rate.published, iFrameRate.published) }

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
            if !entry.isGap { retired.append(Retired(uri: entry.uri, map: entry.map?.uri, until: until)) }
            let frames = iFrames?.entries.prefix { $0.uri == entry.uri }.count ?? 0
            _ = iFrames?.removeFirst(frames)
        }
    }

    private mutating func replacements() -> [LiveAction] {
        guard hasPlaylists else { return [] }
        var actions: [LiveAction] = []
        // I-frames first: a client that has the media playlist may request them.
        if let name = names.iFrames, let playlist = iFrames?.entries.isEmpty == false ? iFrames?.playlist() : nil {
            actions.append(.replace(folder + "/" + name, playlist))
        }
        actions.append(.replace(folder + "/" + names.media, media.playlist()))
        return actions
    }

    /// Returns the deletions of files that no client can need any more.
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
