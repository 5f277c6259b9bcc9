/// The values that apply to a segment because of the tags before it, and that an edit must preserve.
struct SegmentState: Hashable {
    /// The keys.
    var keys = KeyContext()
    /// The Media Initialization Section; nil without EXT-X-MAP.
    var initialization: ResolvedInitialization?
    /// The bit rate in kilobits per second.
    var bitrate: UInt64?
    /// The EXT-X-KEY and EXT-X-MAP lines that could not be parsed. They may apply, so they must not be lost.
    var unreadable: [String] = []

    /// The largest number of ``unreadable`` lines: a hostile playlist must not make an edit slow.
    private static let maximumUnreadable = 16

    /// Applies the tags of one segment.
    mutating func apply(_ tags: [SegmentTag]) { for tag in tags { apply(tag) } }

    /// Applies the next tag.
    mutating func apply(_ tag: SegmentTag) {
        switch tag {
        case .key(let key):
            keys.apply(key)
            if key.method == .none, !unreadable.isEmpty { unreadable.removeAll { Self.names(.key, $0) } }
        case .map(let map):
            initialization = ResolvedInitialization(map: map, keys: keys)
            if !unreadable.isEmpty { unreadable.removeAll { Self.names(.map, $0) } }
        case .bitrate(let rate): bitrate = rate
        case .other(let line):
            guard Self.names(.key, line) || Self.names(.map, line) else { return }
            unreadable.removeAll { $0 == line }
            unreadable.append(line)
            if unreadable.count > Self.maximumUnreadable { unreadable.removeFirst() }
        case .dateRange, .part: break
        }
    }

    private static func names(_ name: TagName, _ line: String) -> Bool {
        line.utf8.starts(with: "#\(name.rawValue):".utf8)
    }
}

extension SegmentState {
    /// Returns the tags of a segment that moves after this state, preceded by the tags that make the same keys, Media
    /// Initialization Section and bit rate apply as in the state that preceded it. Keys that a tag of the segment
    /// replaces before they are used are left out.
    ///
    /// - Parameter vectorNumber: The former Media Sequence Number if it changes: keys whose initialization vector is
    ///   the Media Sequence Number receive it as an explicit IV.
    /// - Throws: ``PlaylistError`` with ``RuleID/invalidEdit`` when the segment has no Media Initialization Section, but
    ///   would receive one.
    func tags(
        entering entry: SegmentState,
        own: [SegmentTag],
        vectorNumber: UInt64? = nil
    ) throws(PlaylistError) -> [SegmentTag] {
        if self == entry, vectorNumber == nil { return own }
        func explicit(_ keys: KeyContext) -> KeyContext { vectorNumber.map(keys.withVectors) ?? keys }
        let hasMap = own.contains(where: \.isMap)
        var carried = CarriedTags(state: self)
        if !hasMap, entry.initialization != initialization {
            guard let section = entry.initialization else {
                throw PlaylistError(
                    invalidEdit:
                        "a segment without a Media Initialization Section cannot follow segments with EXT-X-MAP, "
                        + "which applies until the next EXT-X-MAP: use segments of the same format"
                )
            }
            carried.set(section.keys)
            carried.add(.map(section.map))
        }
        carried.set(hasMap ? entry.keys : explicit(entry.keys))
        carried.removeKeys(replacedBy: own.prefix { !$0.isMap })
        let lines = entry.unreadable.filter { !unreadable.contains($0) && !own.contains(.other($0)) }
        var tags = carried.tags + lines.map { .other($0) }
        tags += own.map { tag in
            if !hasMap, let vectorNumber, case .key(let key) = tag { .key(key.withVector(vectorNumber)) } else { tag }
        }
        if let rate = entry.bitrate, rate != bitrate, !own.contains(where: \.isBitrate) {
            tags.insert(.bitrate(rate), at: tags.firstIndex { $0.rank > 2 } ?? tags.endIndex)
        }
        // After an EXT-X-MAP tag of its own, the segment may need other keys than its Media Initialization Section.
        var (actual, expected) = (self, entry)
        actual.apply(tags)
        expected.apply(own)
        var last = CarriedTags(state: actual)
        last.set(explicit(expected.keys))
        let position = tags.lastIndex { $0.rank == 1 || $0.rank == 2 }.map { $0 + 1 } ?? 0
        tags.insert(contentsOf: last.tags, at: position)
        return tags
    }
}

/// The tags that lead from one state to another.
private struct CarriedTags {
    var state: SegmentState
    private(set) var tags: [SegmentTag] = []

    init(state: SegmentState) { self.state = state }

    mutating func add(_ tag: SegmentTag) {
        tags.append(tag)
        state.apply(tag)
    }

    /// Adds EXT-X-KEY tags, so that exactly the given keys apply.
    mutating func set(_ keys: KeyContext) {
        guard state.keys != keys else { return }
        let formats = Set(keys.keys.map(\.keyFormat))
        if !state.keys.keys.allSatisfy({ formats.contains($0.keyFormat) }) { add(.key(.none)) }
        let known = state.keys.keys
        let isPrefix = keys.keys.starts(with: known)
        for key in keys.keys.dropFirst(isPrefix ? known.count : 0) { add(.key(key)) }
    }

    /// Removes the keys after the last EXT-X-MAP tag that the leading tags of the segment replace.
    mutating func removeKeys(replacedBy leading: ArraySlice<SegmentTag>) {
        let keys = leading.compactMap { if case .key(let key) = $0 { key } else { nil } }
        guard !keys.isEmpty else { return }
        let formats = Set(keys.map(\.keyFormat))
        let endsAll = keys.contains { $0.method == .none }
        let start = tags.lastIndex(where: \.isMap).map { $0 + 1 } ?? 0
        tags[start...].removeAll { tag in
            guard case .key(let key) = tag else { return false }
            return endsAll || (key.method != .none && formats.contains(key.keyFormat))
        }
    }
}

extension SegmentTag {
    var isMap: Bool { if case .map = self { true } else { false } }
    var isBitrate: Bool { if case .bitrate = self { true } else { false } }
}

extension KeyTag {
    /// Returns the key with an explicit IV if its initialization vector is the Media Sequence Number.
    func withVector(_ mediaSequenceNumber: UInt64) -> KeyTag {
        guard iv == nil, let vector = initializationVector(mediaSequenceNumber: mediaSequenceNumber) else {
            return self
        }
        var result = self
        result.iv = vector
        return result
    }

    /// True if the initialization vector is the Media Sequence Number.
    var hasImplicitVector: Bool { iv == nil && initializationVector(mediaSequenceNumber: 0) != nil }
}

extension KeyContext {
    /// Returns the keys with explicit IVs; see ``KeyTag/withVector(_:)``.
    func withVectors(_ mediaSequenceNumber: UInt64) -> KeyContext {
        var result = KeyContext()
        for key in keys { result.apply(key.withVector(mediaSequenceNumber)) }
        return result
    }
}

extension PlaylistError {
    init(invalidEdit message: String) {
        self.init(Diagnostic(rule: .invalidEdit, severity: .error, line: 0, message: message))
    }
}

extension RuleID {
    /// An edit is not possible, for example because it refers to segments that the playlist does not have.
    public static let invalidEdit: RuleID = "invalid-edit"
    /// A change of ``MediaPlaylist/segments`` removes a key, a Media Initialization Section, a date or an initialization
    /// vector that applied to a remaining segment.
    public static let lostSegmentState: RuleID = "lost-segment-state"
}
