import HLSPlaylist
import StreamPlayer
import TextCoding

/// A Media Playlist of a live stream while it is recorded: collects the segments of its reloads in a local playlist.
///
/// | The reloaded playlist | Effect |
/// |---|---|
/// | has new segments | they are appended |
/// | begins after the next segment | the segments in between were missed; the next one has a discontinuity |
/// | ends before the next segment, and is a copy of an earlier one | ignored |
/// | ends before the next segment, with other segments, or repeatedly | the encoder was restarted: all segments are new, after a discontinuity |
struct RecordedTrack: Sendable {
    /// The name of the track and of its folder, such as `variant-1`.
    let name: String
    /// The local playlist, without EXT-X-ENDLIST.
    private(set) var playlist: MediaPlaylist
    /// The media sequence number of the next segment on the server; nil before the first load.
    private(set) var next: UInt64?
    /// The recorded duration in seconds.
    private(set) var duration: Double
    /// True if the server's playlist has ended.
    private(set) var isEnded = false
    /// The number of consecutive loads that ended before the next segment.
    private var outdatedLoads = 0
    /// The URLs of recorded segments without queries, by their media sequence numbers.
    private var known: [UInt64: Substring] = [:]
    private var keys: [KeyTag] = []
    private var map: MapTag?
    /// The local names of init segments.
    private var maps: [ResourceReference: String] = [:]
    private var fileCount: Int

    /// An outdated copy of a playlist, for example in a cache, is replaced sooner than this number of loads.
    private static let maximumOutdatedLoads = 4
    /// The number of segments whose URLs are compared.
    private static let knownSegments: UInt64 = 1000

    /// The result of a load.
    struct Addition {
        var resources: [BundleResource] = []
        var keys = KeyGroups()
        /// Descriptions of what is missing in the recording.
        var missing: [String] = []
        var segmentCount = 0
    }

    /// Creates a track without segments.
    init(name: String) {
        self.name = name
        playlist = MediaPlaylist(version: 6, targetDuration: 1)
        (duration, fileCount) = (0, 0)
    }

    /// Resumes a track.
    ///
    /// - Parameters:
    ///   - playlist: The local playlist.
    ///   - next: The media sequence number of the next segment on the server.
    ///   - resources: The files of the bundle; segments in other files were not recorded completely.
    init(name: String, resuming playlist: MediaPlaylist, next: UInt64?, resources: [BundleResource]) {
        self.init(name: name)
        let files = Dictionary(resources.map { ($0.file, $0) }) { first, _ in first }
        self.playlist = playlist
        let end = playlist.segments.firstIndex { !$0.isGap && files[$0.uri] == nil } ?? playlist.segments.count
        self.playlist.segments.removeSubrange(end...)
        self.playlist.isEnded = false
        self.next = next
        duration = self.playlist.duration
        fileCount = resources.count { $0.file.hasPrefix("media/\(name)/") }
        let resolved = (try? self.playlist.resolvedSegments()).map(Array.init) ?? []
        keys = resolved.last?.keys.keys ?? []
        if let tag = resolved.last?.initialization?.map, let resource = files[tag.uri] {
            map = tag
            maps[ResourceReference(url: resource.url, range: resource.range)] = tag.uri
        }
        var number = next ?? 0
        for segment in self.playlist.segments.reversed() where number > 0 {
            number -= 1
            known[number] = files[segment.uri].map { URLAddress.withoutQuery($0.url) }
            if segment.isDiscontinuity { break }
        }
    }

    /// Adds the new segments of a loaded playlist.
    ///
    /// - Parameters:
    ///   - loaded: The playlist as loaded.
    ///   - url: Its URL.
    ///   - maximumDuration: The duration after which no segment is added, in seconds.
    /// - Throws: ``DownloadError`` `playlist`.
    mutating func add(
        _ loaded: MediaPlaylist,
        url: String,
        maximumDuration: Double
    ) throws(DownloadError) -> Addition {
        var addition = Addition()
        guard loaded.skip == nil, !loaded.segments.isEmpty else { return addition }
        let first = loaded.mediaSequence ?? 0
        guard first <= UInt64(Int64.max) else {
            throw DownloadError(.playlist, url: url, "the media sequence number is too large")
        }
        let segments = try Self.resolved(loaded, url)
        guard let start = position(first, segments, url, loaded, &addition) else { return addition }
        let isBreak = next != nil && (start.isRestart || !addition.missing.isEmpty)
        if start.isRestart { (known, maps, map) = ([:], [:], nil) }
        playlist.targetDuration = max(playlist.targetDuration, min(loaded.targetDuration, 86_400))
        playlist.version = max(playlist.version ?? 6, loaded.version ?? 6)
        playlist.isIndependentSegments = loaded.isIndependentSegments
        playlist.isIFramesOnly = loaded.isIFramesOnly
        if playlist.segments.isEmpty { playlist.mediaSequence = start.number }
        for segment in segments where segment.mediaSequenceNumber >= start.number {
            guard duration < maximumDuration else { break }
            try append(segment, url, isBreak: isBreak && addition.segmentCount == 0, &addition)
        }
        isEnded = loaded.isEnded
        return addition
    }

    /// Returns the media sequence number of the first segment to add; nil for an outdated copy of the playlist.
    private mutating func position(
        _ first: UInt64,
        _ segments: [ResolvedSegment],
        _ url: String,
        _ loaded: MediaPlaylist,
        _ addition: inout Addition
    ) -> (number: UInt64, isRestart: Bool)? {
        guard let next else { return (first + UInt64(Self.liveStart(loaded)), false) }
        let end = first + UInt64(segments.count)
        let isOther = segments.contains { segment in
            guard let recorded = known[segment.mediaSequenceNumber] else { return false }
            return recorded != Self.address(segment, url)
        }
        if isOther || end < next {
            outdatedLoads += 1
            guard isOther || outdatedLoads >= Self.maximumOutdatedLoads else { return nil }
            outdatedLoads = 0
            addition.missing.append("\(name): the encoder was restarted, media before its first segment may be missing")
            return (first, true)
        }
        outdatedLoads = 0
        if first > next {
            let count = first - next
            addition.missing.append(
                "\(name): \(counted(count, "segment")) before segment \(first): no longer in the playlist"
            )
        }
        return (max(first, next), false)
    }

    /// Returns the index of the first segment to record: at least three target durations before the end, where players
    /// start (section 6.3.3).
    private static func liveStart(_ playlist: MediaPlaylist) -> Int {
        guard !playlist.isEnded else { return 0 }
        var seconds = 3 * Double(min(playlist.targetDuration, 86_400))
        for index in playlist.segments.indices.reversed() {
            seconds -= playlist.segments[index].duration
            if seconds <= 0 { return index }
        }
        return 0
    }

    private mutating func append(
        _ segment: ResolvedSegment,
        _ url: String,
        isBreak: Bool,
        _ addition: inout Addition
    ) throws(DownloadError) {
        let original = segment.segment
        let number = segment.mediaSequenceNumber
        var tags: [SegmentTag] = []
        addition.keys.add(segment.keys, base: url)
        if let section = segment.initialization, !original.isGap {
            let reference = try Self.reference(section.map.uri, section.byteRange, url)
            let file = maps[reference] ?? self.file(reference, &addition)
            maps[reference] = file
            if map?.uri != file {
                addition.keys.add(section.keys, base: url)
                change(keys: section.keys, number, url, &tags)
                let tag = MapTag(uri: file)
                tags.append(.map(tag))
                map = tag
            }
        }
        change(keys: segment.keys, number, url, &tags)
        for tag in original.tags {
            switch tag {
            case .dateRange: tags.append(tag)
            case .other(let line) where !line.hasPrefix("#EXT"): tags.append(tag)
            case .key, .map, .part, .bitrate, .other: continue
            }
        }
        var uri = "gap"
        if !original.isGap {
            uri = file(try Self.reference(original.uri, segment.byteRange, url), &addition)
        } else {
            playlist.version = max(playlist.version ?? 8, 8)
            addition.missing.append("\(name): segment \(number): missing on the server")
        }
        playlist.segments.append(
            MediaSegment(
                uri: uri,
                duration: original.duration,
                title: original.title,
                programDateTime: isBreak ? segment.programDateTime : original.programDateTime,
                isDiscontinuity: original.isDiscontinuity || isBreak,
                isGap: original.isGap,
                tags: tags
            )
        )
        duration += original.duration > 0 ? original.duration : Double(playlist.targetDuration)
        known[number] = Self.address(segment, url)
        if number >= Self.knownSegments { known[number - Self.knownSegments] = nil }
        next = number + 1
        addition.segmentCount += 1
    }

    /// Adds EXT-X-KEY tags if the keys of a segment differ from those of the previous one.
    private mutating func change(
        keys context: KeyContext,
        _ number: UInt64,
        _ url: String,
        _ tags: inout [SegmentTag]
    ) {
        let localNumber = (playlist.mediaSequence ?? 0) + UInt64(playlist.segments.count)
        let new = context.keys.map { key in
            var key = key
            key.uri = KeyGroups.identifier(of: key, base: url)
            // Without an IV, the media sequence number is the IV, which is another one in the local playlist.
            if localNumber != number { key.iv = key.initializationVector(mediaSequenceNumber: number) }
            return key
        }
        guard new != keys else { return }
        let formats = Set(new.map(\.keyFormat))
        if !keys.allSatisfy({ formats.contains($0.keyFormat) }) { tags.append(.key(.none)) }
        tags += new.map { .key($0) }
        keys = new
    }

    private mutating func file(_ reference: ResourceReference, _ addition: inout Addition) -> String {
        fileCount += 1
        let file = ResourceTable.file(fileCount, in: name, url: reference.url)
        addition.resources.append(BundleResource(file: file, url: reference.url, range: reference.range))
        return file
    }

    private static func address(_ segment: ResolvedSegment, _ url: String) -> Substring {
        URLAddress.withoutQuery(URIReference.resolve(segment.segment.uri, against: url))
    }

    private static func reference(
        _ uri: String,
        _ range: Range<UInt64>?,
        _ url: String
    ) throws(DownloadError) -> ResourceReference {
        if let range, range.isEmpty || range.upperBound > UInt64(Int64.max) {
            throw DownloadError(.playlist, url: url, "a byte range is empty or too large")
        }
        return ResourceReference(url: try URIReference.web(uri, against: url), range: range)
    }

    private static func resolved(_ playlist: MediaPlaylist, _ url: String) throws(DownloadError) -> [ResolvedSegment] {
        do throws(PlaylistError) {
            return Array(try playlist.resolvedSegments())
        } catch {
            throw DownloadError(.playlist, url: url, "\(error)")
        }
    }
}
