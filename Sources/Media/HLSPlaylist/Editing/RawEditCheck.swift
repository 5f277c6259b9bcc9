/// Finds changes of ``MediaPlaylist/segments`` by which a segment that was read loses a key, a Media Initialization
/// Section, a date or its initialization vector, because these are tags of a segment that was removed or moved.
///
/// A segment is checked only if it follows another segment than when it was read, or than after an edit by the editing
/// functions. Its own tags may be changed in any way.
struct RawEditCheck {
    private let playlist: MediaPlaylist
    private let reader: TemplateReader

    init(_ playlist: MediaPlaylist, _ reader: TemplateReader) {
        self.playlist = playlist
        self.reader = reader
    }

    /// - Throws: ``PlaylistError`` with ``RuleID/lostSegmentState``.
    func check() throws(PlaylistError) {
        let moved = movedSegments()
        guard let last = moved.last else { return }
        var sources = SourceStates(reader)
        for index in moved {
            if let origin = playlist.segments[index].origin { sources.add(origin.source, Int(origin.start)) }
            if index > 0, let origin = playlist.segments[index - 1].origin {
                sources.add(origin.source, Int(origin.end))
            }
        }
        sources.read()
        var state = SegmentState()
        let isDated = playlist.segments.contains { $0.programDateTime != nil }
        var isRenumbered = false
        var next = moved[...]
        for index in playlist.segments.indices where index <= last || isRenumbered {
            let segment = playlist.segments[index]
            if next.first == index, let source = sources.position(before: segment) {
                let known = index > 0 ? sources.position(after: playlist.segments[index - 1], for: segment) : nil
                try checkKeys(index, source.state, known?.state, state, segment.tags)
                try checkSection(index, source.state, known?.state, state, segment.tags)
                if source.date != nil, !isDated { throw failure(index, "its date (EXT-X-PROGRAM-DATE-TIME)") }
                isRenumbered = source.number != number(index)
            }
            if next.first == index { next.removeFirst() }
            state.apply(segment.tags)
            if isRenumbered, segment.origin != nil, state.keys.keys.contains(where: \.hasImplicitVector) {
                throw failure(index, "its initialization vector, which is its Media Sequence Number")
            }
        }
    }

    private func number(_ index: Int) -> UInt64 {
        (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0) &+ UInt64(index)
    }

    private func movedSegments() -> [Int] {
        var result: [Int] = []
        for index in playlist.segments.indices {
            let previous = index > 0 ? playlist.segments[index - 1] : nil
            if !playlist.segments[index].follows(previous, header: playlist.origin) { result.append(index) }
        }
        return result
    }

    /// Checks that the keys before the segment's own tags are the same as in the source, except those that the tags
    /// replace. Nothing is checked if the keys after the preceding segment were the same in the source.
    private func checkKeys(
        _ index: Int,
        _ source: SegmentState,
        _ known: SegmentState?,
        _ state: SegmentState,
        _ tags: [SegmentTag]
    ) throws(PlaylistError) {
        let own = tags.compactMap { if case .key(let key) = $0 { key } else { nil } }
        guard !own.contains(where: { $0.method == .none }) else { return }
        if known?.keys != source.keys {
            let formats = Set(own.map(\.keyFormat))
            let others = { (keys: KeyContext) in Set(keys.keys.filter { !formats.contains($0.keyFormat) }) }
            let (before, now) = (others(source.keys), others(state.keys))
            if !before.isSubset(of: now) { throw failure(index, "its key (EXT-X-KEY)") }
            if !now.isSubset(of: before) { throw failure(index, "an EXT-X-KEY tag that ends an earlier key") }
        }
        for line in source.unreadable where !state.unreadable.contains(line) && !tags.contains(.other(line)) {
            throw failure(index, "a tag that could not be parsed, but may be its key or Media Initialization Section")
        }
    }

    private func checkSection(
        _ index: Int,
        _ source: SegmentState,
        _ known: SegmentState?,
        _ state: SegmentState,
        _ tags: [SegmentTag]
    ) throws(PlaylistError) {
        guard let section = source.initialization, known?.initialization != section else { return }
        if state.initialization?.map != section.map, !tags.contains(where: \.isMap) {
            throw failure(index, "its Media Initialization Section (EXT-X-MAP)")
        }
    }

    private func failure(_ index: Int, _ value: String) -> PlaylistError {
        PlaylistError(
            Diagnostic(
                rule: .lostSegmentState,
                severity: .error,
                line: playlist.segments[index].line,
                message:
                    "because of a change of the list of segments, the segment of this line, now number \(index + 1) "
                    + "of the list, loses \(value): remove segments with removeFirst(), trim(to:) or "
                    + "replaceSegments(), or add the tag to the segment"
            )
        )
    }
}

/// The values that apply at positions of sources from which segments were read.
private struct SourceStates {
    struct Position {
        var state = SegmentState()
        /// The last date.
        var date: PlaylistDate?
        /// The Media Sequence Number of the next segment.
        var number: UInt64 = 0
    }

    private struct Key: Hashable {
        let source: ObjectIdentifier
        let offset: Int
    }

    private let reader: TemplateReader
    private var offsets: [ObjectIdentifier: (source: PlaylistSource, offsets: Set<Int>)] = [:]
    private var positions: [Key: Position] = [:]

    init(_ reader: TemplateReader) { self.reader = reader }

    /// Returns the position before a segment in its source.
    func position(before segment: MediaSegment) -> Position? {
        segment.origin.flatMap { positions[Key(source: ObjectIdentifier($0.source), offset: Int($0.start))] }
    }

    /// Returns the position after a segment, if its source is also that of the other segment.
    func position(after segment: MediaSegment, for other: MediaSegment) -> Position? {
        guard let origin = segment.origin, origin.source === other.origin?.source else { return nil }
        return positions[Key(source: ObjectIdentifier(origin.source), offset: Int(origin.end))]
    }

    mutating func add(_ source: PlaylistSource, _ offset: Int) {
        offsets[ObjectIdentifier(source), default: (source, [])].offsets.insert(offset)
    }

    /// Reads each source once, up to its last position.
    mutating func read() {
        for (id, (source, offsets)) in offsets {
            var position = Position()
            var start = 0
            for offset in offsets.sorted() {
                for line in reader.lines(of: source, start..<offset) { Self.apply(line, to: &position) }
                positions[Key(source: id, offset: offset)] = position
                start = offset
            }
        }
    }

    private static func apply(_ line: TemplateLine, to position: inout Position) {
        guard case .item(_, let item) = line.role else { return }
        switch item {
        case .uri: position.number &+= 1
        case .other(let text): position.state.apply(.other(text))
        case .tag(.key(let key)): position.state.apply(.key(key))
        case .tag(.map(let map)): position.state.apply(.map(map))
        case .tag(.bitrate(let rate)): position.state.apply(.bitrate(rate))
        case .tag(.programDateTime(let date)): position.date = date
        case .tag(.mediaSequence(let number)): position.number &+= number
        case .tag(.skip(let skip)): position.number &+= skip.skippedSegments
        case .tag: break
        }
    }
}
