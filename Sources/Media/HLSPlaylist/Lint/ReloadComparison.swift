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
    /// The number of segments that were removed from the start of the playlist.
    let removed: UInt64
    /// The segments of the earlier snapshot.
    let before: [ReloadSegment]
    /// The segments of the later snapshot, including those that a delta update left out.
    let after: [ReloadSegment]
    private let lines: [MediaSubject.Segment]
    /// The number of segments that the earlier snapshot left out if it is a delta update; otherwise 0.
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

extension Int {
    /// Returns the difference, or `Int.min` on overflow.
    fileprivate func subtracting(_ other: Int) -> Int {
        let (value, overflow) = subtractingReportingOverflow(other)
        return overflow ? .min : value
    }
}

/// The properties of a Media Segment that must not change between snapshots.
struct ReloadSegment: Sendable {
    let uri: String
    let range: Range<UInt64>?
    let duration: Double
    let date: PlaylistDate?
    let discontinuitySequenceNumber: UInt64
    let map: MapTag?
    /// The keys that apply to the segment.
    let keys: ReloadKeys

    /// Returns whether both segments are the same bytes of the same resource.
    func isSameResource(as other: ReloadSegment) -> Bool { uri == other.uri && range == other.range }

    /// Returns the segments of a playlist with the map and the keys that apply to each.
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
                case .key(let key) where context.keys.count < MediaSubject.maximumKeyCount || key.method == .none:
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
