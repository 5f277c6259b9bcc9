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
    private(set) var media: RenditionPlaylist
    private(set) var iFrames: RenditionPlaylist?
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
        media: RenditionPlaylist,
        iFrames: RenditionPlaylist?,
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

    /// Offers parts and blocking reload, unless the playlists that are continued do so already.
    ///
    /// - Parameters:
    ///   - target: The Part Target Duration in seconds.
    ///   - control: The features of the server.
    mutating func offerParts(target: Double, control: ServerControlTag) {
        media.serverControl = media.serverControl ?? control
        iFrames?.serverControl = media.serverControl
        if media.lowLatency == nil { media.lowLatency = RenditionPlaylist.LowLatency(partTarget: target) }
    }

    /// Schedules the deletion of files that an earlier run left, for when no client can need them.
    mutating func retire(_ uris: [String], map: String? = nil, now: PlaylistDate) {
        let until = now.advanced(by: longest + (timeShift ?? 0) + Double(media.targetDuration))
        retired += uris.map { Retired(uri: $0, map: map, until: until) }
    }

    /// The report about the end of the Media Playlist for that of another rendition (EXT-X-RENDITION-REPORT); nil if the
    /// playlist is empty.
    var report: RenditionReportTag? {
        guard let last = media.last else { return nil }
        return RenditionReportTag(
            uri: "../\(folder)/\(names.media)",
            lastMediaSequenceNumber: last.sequence,
            lastPart: last.part
        )
    }

    /// Adds the next segment. Files to delete are returned by ``expire(_:)``.
    ///
    /// - Parameters:
    ///   - nextURI: The URI of the segment after it, for a preload hint; nil if it is not known.
    ///   - reports: The ends of the other renditions.
    mutating func append(
        _ segment: Rendition.Segment,
        nextURI: String? = nil,
        reports: [RenditionReportTag] = [],
        now: PlaylistDate
    ) -> [LiveAction] {
        media.lowLatency?.nextURI = nextURI
        media.lowLatency?.reports = reports
        let listed = media.append(segment)
        let frames = iFrames?.appendKeyFrames(of: segment) ?? []
        if !segment.isGap {
            rate.append(listed, media.targetDuration)
            for frame in frames { iFrameRate.append(frame, media.targetDuration) }
        }
        longest = max(longest, media.duration)
        removeExcess(now)
        return replacements()
    }

    /// Replaces the segment of which parts are available, but not all.
    ///
    /// - Parameter nextMap: The URI of the init segment of the next segment, if it has another one.
    mutating func update(open: Rendition.Segment, nextMap: String?) {
        media.lowLatency?.open = open
        media.lowLatency?.nextMap = nextMap
    }

    /// Returns the replacement of the Media Playlist, with the ends of the other renditions.
    mutating func replacement(_ reports: [RenditionReportTag]) -> [LiveAction] {
        media.lowLatency?.reports = reports
        return hasPlaylists ? [.replace(folder + "/" + names.media, media.playlist())] : []
    }

    /// Marks the playlists as complete.
    mutating func end() -> [LiveAction] {
        guard !media.segments.isEmpty else { return [] }
        media.end()
        iFrames?.end()
        return replacements()
    }

    /// The bit rates of the media and of the I-frames.
    var bitRates: (media: BitRate, iFrames: BitRate) { (rate.published, iFrameRate.published) }

    private mutating func removeExcess(_ now: PlaylistDate) {
        for segment in media.removeFirst(media.excess(over: window)) {
            let (uri, duration) = (segment.resource.uri, segment.duration.seconds)
            var until = now.advanced(by: duration + longest)
            if let date = segment.date, let timeShift {
                until = max(until, date.advanced(by: 2 * duration + timeShift))
            }
            if !segment.isGap { retired.append(Retired(uri: uri, map: segment.initialization?.uri, until: until)) }
            let frames = iFrames?.segments.prefix { $0.resource.uri == uri }.count ?? 0
            _ = iFrames?.removeFirst(frames)
        }
    }

    private mutating func replacements() -> [LiveAction] {
        guard hasPlaylists else { return [] }
        var actions: [LiveAction] = []
        // I-frames first: a client that has the media playlist may request them.
        if let name = names.iFrames, let playlist = iFrames?.segments.isEmpty == false ? iFrames?.playlist() : nil {
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
        media.segments.contains { $0.initialization?.uri == map } || retired.contains { $0.map == map }
    }
}
