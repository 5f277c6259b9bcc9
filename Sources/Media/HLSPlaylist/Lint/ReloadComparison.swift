/// How the segments of two snapshots of one Media Playlist correspond, and whether they do at all.
struct ReloadComparison: Sendable {
    /// What makes it useless to compare segment by segment.
    enum Obstacle: Sendable {
        /// The delta update cannot be applied.
        case skipNotInBase
        /// A playlist of type VOD is another.
        case vodChanged
        /// The first Media Sequence Number is smaller than before.
        case sequenceDecreased
        /// Segments were removed, without EXT-X-MEDIA-SEQUENCE.
        case sequenceMissing
        /// The first segment had another Media Sequence Number, given here.
        case sequenceWrong(UInt64)
    }

    /// A segment of the later snapshot with its counterpart in the earlier one.
    struct Pair {
        let before: ReloadSegment
        let after: ReloadSegment
        /// Its lines in the later snapshot; nil when a delta update left it out.
        let lines: MediaSubject.Segment?
    }

    let obstacle: Obstacle?
    /// How many segments were removed from the beginning.
    let removed: UInt64
    /// The segments of the earlier snapshot.
    let before: [ReloadSegment]
    /// The segments of the later snapshot, those of a delta update included that it left out.
    let after: [ReloadSegment]
    private let lines: [MediaSubject.Segment]
    /// How many segments the earlier snapshot left out itself, if it is a delta update.
    private let hidden: UInt64

    init(_ before: MediaSubject, _ after: MediaSubject, _ merged: MediaPlaylist?) {
        self.before = ReloadSegment.all(before.playlist)
        self.after = ReloadSegment.all(merged ?? after.playlist)
        lines = after.segments
        hidden = before.playlist.skip?.skippedSegments ?? 0
        let first = before.playlist.mediaSequence ?? 0
        let now = after.playlist.mediaSequence ?? 0
        removed = now > first ? now - first : 0
        if merged == nil {
            obstacle = .skipNotInBase
        } else if before.playlist.playlistType == .vod, before.file.bytes != after.file.bytes {
            obstacle = .vodChanged
        } else if now < first {
            obstacle = .sequenceDecreased
        } else {
            obstacle = Self.obstacle(self.before, self.after.first, first &+ hidden, after.playlist.mediaSequence)
        }
    }

    /// Looks for the first segment of the later snapshot in the earlier one.
    private static func obstacle(
        _ before: [ReloadSegment],
        _ first: ReloadSegment?,
        _ sequenceBefore: UInt64,
        _ sequence: UInt64?
    ) -> Obstacle? {
        guard let first else { return nil }
        let places = before.indices.lazy.filter { before[$0].isSameResource(as: first) }.prefix(2)
        guard let place = places.first else { return nil }
        if sequence == nil { return place > 0 ? .sequenceMissing : nil }
        let number = sequenceBefore &+ UInt64(place)
        return places.count == 1 && number != sequence ? .sequenceWrong(number) : nil
    }

    /// The segments that are in both snapshots, in order.
    var pairs: some Sequence<Pair> {
        let skipped = after.count - lines.count
        // The first segment that both show.
        let first = Int(clamping: removed > hidden ? removed - hidden : 0)
        let firstAfter = Int(clamping: hidden > removed ? hidden - removed : 0)
        let count = max(0, min(before.count.subtracting(first), after.count.subtracting(firstAfter)))
        return (0..<count).lazy.map { index in
            let place = firstAfter + index
            return Pair(
                before: before[first + index],
                after: after[place],
                lines: place >= skipped ? lines[place - skipped] : nil
            )
        }
    }

    /// How many segments the later snapshot has behind the last one of the earlier; negative when it ends earlier.
    var added: Int {
        // All are far from the ends of the range.
        let end = Int(clamping: min(removed, 1 << 62)) + after.count
        return end - Int(clamping: min(hidden, 1 << 62)) - before.count
    }
}

extension Int {
    /// The difference; the least number where it is out of range.
    fileprivate func subtracting(_ other: Int) -> Int {
        let (value, overflow) = subtractingReportingOverflow(other)
        return overflow ? .min : value
    }
}

/// What must not change about a media segment from one snapshot to the next.
struct ReloadSegment: Sendable {
    let uri: String
    let range: Range<UInt64>?
    let duration: Double
    let date: PlaylistDate?
    let discontinuitySequenceNumber: UInt64
    let map: MapTag?
    /// The keys that apply to it, by their formats' order.
    let keys: ReloadKeys

    /// Whether both are the same bytes of the same resource.
    func isSameResource(as other: ReloadSegment) -> Bool { uri == other.uri && range == other.range }

    /// The segments of a playlist, with what applies to them.
    static func all(_ playlist: MediaPlaylist) -> [ReloadSegment] {
        var result: [ReloadSegment] = []
        result.reserveCapacity(playlist.segments.count)
        var context = KeyContext()
        var keys = ReloadKeys([])
        var map: MapTag?
        var discontinuity = playlist.discontinuitySequence ?? 0
        var previous: (uri: String, end: UInt64)?
        for segment in playlist.segments {
            var hasNewKeys = false
            for tag in segment.tags {
                switch tag {
                case .key(let key) where context.keys.count < MediaSubject.largestNumberOfKeys || key.method == .none:
                    context.apply(key)
                    hasNewKeys = true
                case .map(let tag): map = tag
                default: break
                }
            }
            if hasNewKeys { keys = ReloadKeys(context.keys) }
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
                    range: range,
                    duration: segment.duration,
                    date: segment.programDateTime,
                    discontinuitySequenceNumber: discontinuity,
                    map: map,
                    keys: keys
                )
            )
        }
        return result
    }
}

/// The keys that apply to a segment. Segments with the same keys share one, so that most comparisons are of two
/// references.
final class ReloadKeys: Sendable, Equatable {
    private struct Key: Hashable {
        let method: EncryptionMethod
        let uri: String?
        let iv: InitializationVector?
        let format: KeyFormat
        let versions: String
    }

    private let keys: Set<Key>

    init(_ keys: [KeyTag]) {
        self.keys = Set(
            keys.map {
                Key(
                    method: $0.method,
                    uri: $0.uri,
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
