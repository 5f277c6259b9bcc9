import HLSPlaylist

/// Finds what is new in each snapshot of a live Media Playlist: segments, Partial Segments, and removed segments.
struct SegmentTracker {
    /// A segment with the values that apply to it.
    struct Segment: Sendable {
        /// The segment without a measurement.
        var measured: MeasuredSegment
        var resource: SegmentReader.Resource
        var map: SegmentReader.Resource?
        /// True if the segment is encrypted as a whole.
        var isSealed: Bool
    }

    /// A Partial Segment with the values that apply to it.
    struct Part: Sendable {
        /// The Media Sequence Number of its segment.
        var sequence: UInt64
        /// The index in its segment, from 0.
        var index: Int
        var tag: PartTag
        var resource: SegmentReader.Resource
        var map: SegmentReader.Resource?
        /// The keys that apply.
        var keys: KeyContext
        var isSealed: Bool { keys.isWholeSegment }
    }

    /// The differences between a snapshot and the ones before.
    struct Changes {
        var segments: [Segment] = []
        var parts: [Part] = []
        /// A Partial Segment other than the one that was hinted; nil if the hint was right, or there was none.
        var unexpectedPart: Part?
        /// The first Partial Segment with another init segment than the one that was hinted; nil without a wrong hint.
        var unexpectedMap: Part?
        /// The resource of a new hint at a Partial Segment; a range without a known length ends at the maximum.
        var hint: SegmentReader.Resource?
        /// The last segment that was removed from the start.
        var removed: Segment?
        /// The oldest listed segment that is not a gap.
        var oldest: Segment?
        /// The number of segments before the first new one that no snapshot contained.
        var missed: UInt64 = 0
        /// True if the numbers begin again, because the encoder was restarted.
        var isRestart = false
    }

    /// The resolved URI of the playlist.
    let base: String
    /// The number of segments and parts of the first snapshot that are new.
    let initialSegments: Int
    private var next: UInt64?
    private var oldest: Segment?
    private var first: UInt64 = 0
    private var lastPart: (sequence: UInt64, index: Int)?
    private var hint: SegmentReader.Resource?
    private var mapHint: SegmentReader.Resource?
    private var lastMap: SegmentReader.Resource?
    /// The resources of the last segments, by number.
    private var recent: [UInt64: SegmentReader.Resource] = [:]

    /// The number of segments after which an outdated copy of the playlist is no longer recognized.
    private static let recentCount: UInt64 = 512

    init(base: String, initialSegments: Int) { (self.base, self.initialSegments) = (base, initialSegments) }

    /// Takes the next snapshot, in which delta updates are merged.
    mutating func take(_ playlist: MediaPlaylist) -> Changes {
        var changes = Changes()
        guard let resolved = try? playlist.resolvedSegments() else { return changes }
        let start = playlist.mediaSequence ?? 0
        let end = start &+ UInt64(resolved.count)
        if let next, end < next {
            // The rules for reloads report it. An outdated copy contains nothing new.
            guard let last = resolved.last.map({ Segment($0, base: base) }) else { return changes }
            guard recent[last.measured.sequence] != last.resource else { return changes }
            (self.next, oldest, lastPart, hint, recent) = (nil, nil, nil, nil, [:])
            (mapHint, lastMap) = (nil, nil)
            changes.isRestart = true
        }
        let isFirst = next == nil
        let from = next ?? (playlist.isEnded ? start : max(start, end - min(end, UInt64(initialSegments))))
        changes.missed = from < start ? start - from : 0
        for segment in resolved.dropFirst(Int(clamping: max(from, start) - start)) {
            let new = Segment(segment, base: base)
            changes.segments.append(new)
            recent[new.measured.sequence] = new.resource
        }
        if recent.count > 2 * Self.recentCount { recent = recent.filter { $0.key &+ Self.recentCount >= end } }
        if let oldest, start > first { changes.removed = oldest }
        (first, next) = (start, end)
        oldest = resolved.first { !$0.segment.isGap }.map { Segment($0, base: base) }
        changes.oldest = oldest
        takeParts(playlist, resolved, end, isFirst, &changes)
        return changes
    }

    private mutating func takeParts(
        _ playlist: MediaPlaylist,
        _ resolved: ResolvedSegments,
        _ end: UInt64,
        _ isFirst: Bool,
        _ changes: inout Changes
    ) {
        guard playlist.partInf != nil else { return }
        let start = playlist.mediaSequence ?? 0
        var listed: [Part] = []
        // Only segments near the end have parts.
        let from = lastPart.map { $0.sequence } ?? (end - min(end, UInt64(initialSegments)))
        var lastCount: [UInt64: Int] = [:]
        for segment in resolved.dropFirst(Int(clamping: max(from, start) - start)) where !segment.segment.parts.isEmpty
        {
            listed += parts(segment.segment.parts, segment.mediaSequenceNumber, segment.initialization, segment.keys)
            lastCount[segment.mediaSequenceNumber] = segment.segment.parts.count
        }
        let last = playlist.openSegment ?? resolved.last
        listed += parts(playlist.upcoming.parts, end, last?.initialization, last?.keys ?? KeyContext())
        let new = listed.filter { part in
            guard let known = lastPart else { return true }
            return (part.sequence, part.index) > (known.sequence, known.index)
        }
        if !isFirst, let hint, let known = lastPart, let part = new.first {
            let isNext =
                part.sequence == known.sequence
                ? part.index == known.index + 1
                : part.sequence == known.sequence + 1 && part.index == 0
                    && lastCount[known.sequence] == known.index + 1
            if isNext, !hint.announces(part.resource) { changes.unexpectedPart = part }
        }
        if !isFirst, let mapHint, let part = new.first(where: { $0.map != nil && $0.map != lastMap }),
            !mapHint.announces(part.map ?? mapHint)
        {
            changes.unexpectedMap = part
        }
        if let part = listed.last { (lastPart, lastMap) = ((part.sequence, part.index), part.map) }
        // Parts of the first snapshot may be about to be removed.
        changes.parts = isFirst ? [] : new
        mapHint = resource(of: .map, playlist)
        let next = resource(of: .part, playlist)
        if next != hint { changes.hint = next }
        hint = next
    }

    /// Returns the resource of the first hint of a type.
    private func resource(of kind: PreloadHintTag.Kind, _ playlist: MediaPlaylist) -> SegmentReader.Resource? {
        playlist.preloadHints.first { $0.kind == kind }.map { tag in
            let url = URIReference.resolve(tag.uri, against: base)
            guard tag.byteRangeStart != nil || tag.byteRangeLength != nil else { return .init(url: url) }
            let start = tag.byteRangeStart ?? 0
            let end = tag.byteRangeLength.map { start.addingReportingOverflow($0).partialValue } ?? .max
            return .init(url: url, byteRange: start < end ? start..<end : nil)
        }
    }

    private func parts(
        _ tags: [PartTag],
        _ sequence: UInt64,
        _ initialization: ResolvedInitialization?,
        _ keys: KeyContext
    ) -> [Part] {
        var previous: (uri: String, end: UInt64)?
        return tags.enumerated().map { index, tag in
            var range: Range<UInt64>?
            if let own = tag.byteRange {
                let start = own.offset ?? (previous?.uri == tag.uri ? previous?.end ?? 0 : 0)
                let (end, overflow) = start.addingReportingOverflow(own.length)
                range = start..<(overflow ? .max : end)
            }
            previous = range.map { (tag.uri, $0.upperBound) }
            return Part(
                sequence: sequence,
                index: index,
                tag: tag,
                resource: .init(url: URIReference.resolve(tag.uri, against: base), byteRange: range),
                map: initialization.flatMap { $0.keys.isWholeSegment ? nil : .init($0, base: base) },
                keys: keys
            )
        }
    }
}

extension SegmentTracker.Segment {
    init(_ segment: ResolvedSegment, base: String) {
        measured = MeasuredSegment(segment, line: 0)
        resource = .init(
            url: URIReference.resolve(segment.segment.uri, against: base),
            byteRange: segment.byteRange
        )
        map = segment.initialization.flatMap { $0.keys.isWholeSegment ? nil : .init($0, base: base) }
        isSealed = segment.keys.isWholeSegment
    }
}

extension SegmentReader.Resource {
    /// Returns whether a hint announces a resource. The end of a hinted range may be unknown.
    fileprivate func announces(_ other: Self) -> Bool {
        guard url == other.url, (byteRange?.lowerBound ?? 0) == (other.byteRange?.lowerBound ?? 0) else { return false }
        guard let end = byteRange?.upperBound, end != .max, let otherEnd = other.byteRange?.upperBound else {
            return true
        }
        return end == otherEnd
    }
}

extension MediaPlaylist {
    /// The segment that is still being written, with the keys and the init segment that apply to its parts; nil if those of the
    /// last segment do.
    fileprivate var openSegment: ResolvedSegment? {
        let tags = upcoming.tags.filter { tag in
            switch tag {
            case .key, .map: true
            case .bitrate, .dateRange, .part, .other: false
            }
        }
        guard !tags.isEmpty, let first = upcoming.parts.first else { return nil }
        var playlist = self
        playlist.segments.append(MediaSegment(uri: first.uri, duration: 0, tags: tags))
        return (try? playlist.resolvedSegments())?.last
    }
}
