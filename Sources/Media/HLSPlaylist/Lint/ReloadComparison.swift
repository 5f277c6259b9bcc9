/// The correspondence between the segments of two snapshots of one Media Playlist, if there is one.
struct ReloadComparison: Sendable {
    /// A reason why the segments of the snapshots cannot be compared one by one.
    enum Obstacle: Sendable {
        /// The delta update cannot be applied.
        case skipNotInBase
        /// A playlist of type VOD has changed.
        case vodChanged
        /// The Media Sequence Number of the first segment has decreased.
        case sequenceDecreased
        /// Segments were removed, but the playlist has no EXT-X-MEDIA-SEQUENCE.
        case sequenceMissing
        /// The first segment had a different Media Sequence Number in the earlier snapshot: the associated value.
        case sequenceWrong(UInt64)
    }

    /// A segment of the later snapshot with its counterpart in the earlier one.
    struct Pair {
        let before: ReloadSegment
        let after: ReloadSegment
        /// The lines of the segment in the later snapshot; nil when a delta update left the segment out.
        let lines: MediaSubject.Segment?
    }

    let obstacle: Obstacle?
    /// True if URIs are compared without their queries.
    let ignoresQueries: Bool
    /// The number of segments that were removed from the start of the playlist.
    let removed: UInt64
    /// The segments of the earlier snapshot.
    let before: [ReloadSegment]
    /// The segments of the later snapshot, including those that a delta update left out.
    let after: [ReloadSegment]
    private let lines: [MediaSubject.Segment]
    /// The number of segments that the earlier snapshot left out if it is a delta update; otherwise 0.
    private let hidden: UInt64
    /// The Media Sequence Number of the earlier snapshot.
    private let firstNumber: UInt64

    init(_ before: MediaSubject, _ after: MediaSubject, _ merged: MediaPlaylist?, ignoresQueries: Bool) {
        self.before = ReloadSegment.all(before.playlist, ignoresQueries: ignoresQueries)
        self.after = ReloadSegment.all(merged ?? after.playlist, ignoresQueries: ignoresQueries)
        self.ignoresQueries = ignoresQueries
        lines = after.segments
        hidden = before.playlist.skip?.skippedSegments ?? 0
        let first = before.playlist.mediaSequence ?? 0
        let now = after.playlist.mediaSequence ?? 0
        firstNumber = first
        removed = now > first ? now - first : 0
        if merged == nil {
            obstacle = .skipNotInBase
        } else if before.playlist.playlistType == .vod,
            !before.file.hasLines(of: after.file, ignoresQueries: ignoresQueries)
        {
            obstacle = .vodChanged
        } else if now < first {
            obstacle = .sequenceDecreased
        } else {
            obstacle = Self.obstacle(self.before, self.after.first, first &+ hidden, after.playlist.mediaSequence)
        }
    }

    /// Searches the earlier snapshot for the first segment of the later one.
    private static func obstacle(
        _ before: [ReloadSegment],
        _ first: ReloadSegment?,
        _ sequenceBefore: UInt64,
        _ sequence: UInt64?
    ) -> Obstacle? {
        guard let first else { return nil }
        let matches = before.indices.lazy.filter { before[$0].isSameResource(as: first) }.prefix(2)
        guard let match = matches.first else { return nil }
        if sequence == nil { return match > 0 ? .sequenceMissing : nil }
        let number = sequenceBefore &+ UInt64(match)
        return matches.count == 1 && number != sequence ? .sequenceWrong(number) : nil
    }

    /// The numbers of the segments that neither snapshot has, because they were added and removed between them; empty
    /// when there are none.
    var missed: Range<UInt64> {
        let end = firstNumber &+ hidden &+ UInt64(before.count)
        let next = firstNumber &+ removed
        return before.isEmpty || after.isEmpty || next <= end ? 0..<0 : end..<next
    }

    /// The segments that are in both snapshots, in order.
    var pairs: some Sequence<Pair> {
        let skipped = after.count - lines.count
        // The first segment that both snapshots list.
        let first = Int(clamping: removed > hidden ? removed - hidden : 0)
        let firstAfter = Int(clamping: hidden > removed ? hidden - removed : 0)
        let count = max(0, min(before.count.subtracting(first), after.count.subtracting(firstAfter)))
        return (0..<count).lazy.map { index in
            let indexAfter = firstAfter + index
            return Pair(
                before: before[first + index],
                after: after[indexAfter],
                lines: indexAfter >= skipped ? lines[indexAfter - skipped] : nil
            )
        }
    }

    /// The number of segments of the later snapshot after the last segment of the earlier one; negative when the later
    /// snapshot ends before it.
    var added: Int {
        // The bounds keep the sums within the range of Int.
        let end = Int(clamping: min(removed, 1 << 62)) + after.count
        return end - Int(clamping: min(hidden, 1 << 62)) - before.count
    }
}

extension URIReference {
    /// Returns a URI without its query and fragment.
    static func withoutQuery(_ uri: String) -> String {
        uri.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(uri[..<$0]) } ?? uri
    }

    /// Returns the names of the query parameters in which two URIs differ, each once, in alphabetical order.
    static func differingParameters(_ one: String, _ other: String) -> [String] {
        func parameters(_ uri: String) -> [Substring: [Substring]] {
            let query = uri.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
            return Dictionary(
                grouping: query.split(separator: "&"),
                by: { $0.prefix { $0 != "=" } }
            )
        }
        let (left, right) = (parameters(one), parameters(other))
        return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.map(String.init).sorted()
    }
}

extension LintFile {
    /// Returns whether a file has the same lines, regardless of the queries of URIs if they are ignored.
    fileprivate func hasLines(of other: LintFile, ignoresQueries: Bool) -> Bool {
        guard ignoresQueries, bytes != other.bytes else { return bytes == other.bytes }
        func shown(_ line: PlaylistLine) -> [UInt8] {
            var isQuery = false
            return line.bytes.filter { byte in
                if byte == UInt8(ascii: "?") { isQuery = true } else if byte == UInt8(ascii: "\"") { isQuery = false }
                return !isQuery
            }
        }
        return lines.count == other.lines.count && zip(lines, other.lines).allSatisfy { shown($0) == shown($1) }
    }
}

extension Int {
    /// Returns the difference, or `Int.min` on overflow.
    fileprivate func subtracting(_ other: Int) -> Int {
        let (value, overflow) = subtractingReportingOverflow(other)
        return overflow ? .min : value
    }
}

/// The properties of a Media Segment that must not change between snapshots.
struct ReloadSegment: Sendable {
    /// The URI.
    let uri: String
    /// The URI to compare, which may have no query.
    let comparableURI: String
    let range: Range<UInt64>?
    let duration: Double
    /// Its EXT-X-PROGRAM-DATE-TIME.
    let date: PlaylistDate?
    /// Its date, which may be that of a preceding segment plus durations.
    let start: PlaylistDate?
    let discontinuitySequenceNumber: UInt64
    let map: MapTag?
    /// The keys that apply to the segment.
    let keys: ReloadKeys
    /// The EXT-X-BITRATE that applies to the segment, in kilobits per second.
    let bitRate: UInt64?
    /// True if that tag is before this segment, and not before an earlier one.
    let hasBitRateTag: Bool

    /// Returns whether both segments are the same bytes of the same resource.
    func isSameResource(as other: ReloadSegment) -> Bool {
        comparableURI == other.comparableURI && range == other.range
    }

    /// Returns the segments of a playlist with the map and the keys that apply to each.
    static func all(_ playlist: MediaPlaylist, ignoresQueries: Bool) -> [ReloadSegment] {
        var result: [ReloadSegment] = []
        result.reserveCapacity(playlist.segments.count)
        var context = KeyContext()
        var keys = ReloadKeys([])
        var map: MapTag?
        var bitRate: UInt64?
        var discontinuity = playlist.discontinuitySequence ?? 0
        var previous: (uri: String, end: UInt64)?
        var clock = SegmentClock()
        func comparable(_ uri: String) -> String { ignoresQueries ? URIReference.withoutQuery(uri) : uri }
        for segment in playlist.segments {
            var hasNewKeys = false
            var hasBitRateTag = false
            for tag in segment.tags {
                switch tag {
                case .key(let key) where context.keys.count < MediaSubject.maximumKeyCount || key.method == .none:
                    context.apply(key)
                    hasNewKeys = true
                case .map(var tag):
                    tag.uri = comparable(tag.uri)
                    map = tag
                case .bitrate(let rate): (bitRate, hasBitRateTag) = (rate, true)
                default: break
                }
            }
            if hasNewKeys { keys = ReloadKeys(context.keys, ignoresQueries: ignoresQueries) }
            clock.advance(segment)
            if segment.isDiscontinuity { discontinuity &+= 1 }
            let uri = segment.uri
            var range: Range<UInt64>?
            if let own = segment.byteRange {
                let start = own.offset ?? (previous?.uri == uri ? previous?.end ?? 0 : 0)
                let (end, overflow) = start.addingReportingOverflow(own.length)
                range = start..<(overflow ? .max : end)
            }
            previous = range.map { (uri, $0.upperBound) }
            result.append(
                ReloadSegment(
                    uri: uri,
                    comparableURI: comparable(uri),
                    range: range,
                    duration: segment.duration,
                    date: segment.programDateTime,
                    start: clock.start,
                    discontinuitySequenceNumber: discontinuity,
                    map: map,
                    keys: keys,
                    bitRate: bitRate,
                    hasBitRateTag: hasBitRateTag
                )
            )
        }
        return result
    }
}

/// The keys that apply to a segment. Consecutive segments with the same keys share one instance, so that most
/// comparisons compare two references.
final class ReloadKeys: Sendable, Equatable {
    private struct Key: Hashable {
        let method: EncryptionMethod
        let uri: String?
        let iv: InitializationVector?
        let format: KeyFormat
        let versions: String
    }

    private let keys: Set<Key>

    /// Creates a set of keys. Without queries, the URIs of identity keys are compared without them too; those of DRM keys
    /// identify the key.
    init(_ keys: [KeyTag], ignoresQueries: Bool = false) {
        self.keys = Set(
            keys.map {
                Key(
                    method: $0.method,
                    uri: ignoresQueries && $0.isIdentity ? $0.uri.map(URIReference.withoutQuery) : $0.uri,
                    iv: $0.iv,
                    format: $0.keyFormat,
                    versions: $0.keyFormatVersions ?? "1"
                )
            }
        )
    }

    var isEmpty: Bool { keys.isEmpty }

    static func == (left: ReloadKeys, right: ReloadKeys) -> Bool { left === right || left.keys == right.keys }
}
