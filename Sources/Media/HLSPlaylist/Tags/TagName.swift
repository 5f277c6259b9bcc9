import ByteCoding

/// The tags that the draft defines.
public enum TagName: String, CaseIterable, Sendable {
    case extM3U = "EXTM3U"
    case version = "EXT-X-VERSION"
    case independentSegments = "EXT-X-INDEPENDENT-SEGMENTS"
    case start = "EXT-X-START"
    case define = "EXT-X-DEFINE"
    case targetDuration = "EXT-X-TARGETDURATION"
    case mediaSequence = "EXT-X-MEDIA-SEQUENCE"
    case discontinuitySequence = "EXT-X-DISCONTINUITY-SEQUENCE"
    case endList = "EXT-X-ENDLIST"
    case playlistType = "EXT-X-PLAYLIST-TYPE"
    case iFramesOnly = "EXT-X-I-FRAMES-ONLY"
    case partInf = "EXT-X-PART-INF"
    case serverControl = "EXT-X-SERVER-CONTROL"
    case inf = "EXTINF"
    case byteRange = "EXT-X-BYTERANGE"
    case discontinuity = "EXT-X-DISCONTINUITY"
    case key = "EXT-X-KEY"
    case map = "EXT-X-MAP"
    case programDateTime = "EXT-X-PROGRAM-DATE-TIME"
    case gap = "EXT-X-GAP"
    case bitrate = "EXT-X-BITRATE"
    case part = "EXT-X-PART"
    case dateRange = "EXT-X-DATERANGE"
    case skip = "EXT-X-SKIP"
    case preloadHint = "EXT-X-PRELOAD-HINT"
    case renditionReport = "EXT-X-RENDITION-REPORT"
    case media = "EXT-X-MEDIA"
    case streamInf = "EXT-X-STREAM-INF"
    case iFrameStreamInf = "EXT-X-I-FRAME-STREAM-INF"
    case sessionData = "EXT-X-SESSION-DATA"
    case sessionKey = "EXT-X-SESSION-KEY"
    case contentSteering = "EXT-X-CONTENT-STEERING"

    /// The section of the draft that defines a tag, which determines the playlists in which the tag is allowed.
    public enum Family: Sendable {
        /// Sections 4.4.1 and 4.4.2: tags of every playlist.
        case any
        /// Section 4.4.3: tags that a Media Playlist may have only once.
        case mediaPlaylist
        /// Section 4.4.4: tags of Media Segments.
        case mediaSegment
        /// Section 4.4.5: tags of a Media Playlist that do not belong to a particular segment.
        case mediaMetadata
        /// Section 4.4.6: tags of a Multivariant Playlist.
        case multivariant
    }

    /// The section of the draft that defines the tag.
    public var family: Family {
        switch self {
        case .extM3U, .version, .independentSegments, .start, .define: .any
        case .targetDuration, .mediaSequence, .discontinuitySequence, .endList, .playlistType, .iFramesOnly, .partInf,
            .serverControl:
            .mediaPlaylist
        case .inf, .byteRange, .discontinuity, .key, .map, .programDateTime, .gap, .bitrate, .part: .mediaSegment
        case .dateRange, .skip, .preloadHint, .renditionReport: .mediaMetadata
        case .media, .streamInf, .iFrameStreamInf, .sessionData, .sessionKey, .contentSteering: .multivariant
        }
    }

    /// True if a playlist may have the tag only once.
    var isUnique: Bool {
        switch self {
        case .version, .independentSegments, .start, .skip, .contentSteering: true
        default: family == .mediaPlaylist
        }
    }

    /// True if the value of the tag is an attribute list.
    var hasAttributes: Bool {
        switch self {
        case .start, .define, .partInf, .serverControl, .key, .map, .part, .dateRange, .skip, .preloadHint,
            .renditionReport, .media, .streamInf, .iFrameStreamInf, .sessionData, .sessionKey, .contentSteering:
            true
        case .extM3U, .version, .independentSegments, .targetDuration, .mediaSequence, .discontinuitySequence, .endList,
            .playlistType, .iFramesOnly, .inf, .byteRange, .discontinuity, .programDateTime, .gap, .bitrate:
            false
        }
    }

    /// Finds a tag by its name. Returns nil when the draft does not define it.
    static func find(_ bytes: RawSpan, _ name: Range<Int>) -> TagName? { table.find(bytes, name) }

    private static let table = TagNameTable()
}

/// A hash table of the tags by name.
private struct TagNameTable: Sendable {
    private static let mask = 127
    private var slots: [TagName?]
    private let names: [[UInt8]]
    private let order: [TagName]
    private let index: [Int]

    init() {
        order = TagName.allCases
        names = order.map { Array($0.rawValue.utf8) }
        slots = Array(repeating: nil, count: Self.mask + 1)
        var index = Array(repeating: -1, count: Self.mask + 1)
        for (position, name) in names.enumerated() {
            var slot = Self.hash(name.span.bytes, 0..<name.count)
            while index[slot] >= 0 { slot = (slot + 1) & Self.mask }
            index[slot] = position
            slots[slot] = order[position]
        }
        self.index = index
    }

    /// Returns a hash of the length and three bytes of the name, which distinguishes most tags.
    private static func hash(_ bytes: RawSpan, _ name: Range<Int>) -> Int {
        let count = name.count
        func byte(_ offset: Int) -> Int {
            Int(bytes.unsafeLoad(fromByteOffset: name.lowerBound + offset, as: UInt8.self))
        }
        return (count &* 5 &+ byte(count - 1) &+ byte(count / 2) &* 3 &+ byte(count - 3) &* 7) & mask
    }

    func find(_ bytes: RawSpan, _ name: Range<Int>) -> TagName? {
        guard name.count >= 6 else { return nil }
        var slot = Self.hash(bytes, name)
        while index[slot] >= 0 {
            let candidate = names[index[slot]]
            if candidate.count == name.count, matches(bytes, name.lowerBound, candidate) { return slots[slot] }
            slot = (slot + 1) & Self.mask
        }
        return nil
    }

    private func matches(_ bytes: RawSpan, _ start: Int, _ candidate: [UInt8]) -> Bool {
        for offset in candidate.indices
        where bytes.unsafeLoad(fromByteOffset: start + offset, as: UInt8.self) != candidate[offset] {
            return false
        }
        return true
    }
}
