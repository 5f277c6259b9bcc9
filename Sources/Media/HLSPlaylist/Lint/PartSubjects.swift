/// The Partial Segments of one Media Segment, which may still be incomplete.
struct PartGroup {
    /// The tags with their lines. The array is never empty.
    var parts: [(tag: PartTag, line: PlaylistLine)]
    /// The end of the segment, in seconds from the start of the playlist.
    var end: Double
    /// The byte offset of each part; nil for a part without a byte range, and for one whose offset is unknown.
    var offsets: [UInt64?] {
        var next: (uri: String, offset: UInt64)?
        return parts.map { tag, _ in
            guard let range = tag.byteRange else {
                next = nil
                return nil
            }
            let offset = range.offset ?? (next?.uri == tag.uri ? next?.offset : nil)
            next = offset.map { (tag.uri, $0 &+ range.length) }
            return offset
        }
    }
}

extension MediaSubject {
    /// The EXT-X-PART tags, grouped by segment. Segments without parts are left out.
    var partGroups: [PartGroup] {
        var groups: [PartGroup] = []
        var end = 0.0
        func parts(_ lines: [PlaylistLine]) -> [(tag: PartTag, line: PlaylistLine)] {
            lines.compactMap { line in if case .tag(.part(let tag)) = line.content { (tag, line) } else { nil } }
        }
        for segment in segments {
            end += segment.segment.duration
            let parts = parts(segment.tagLines)
            if !parts.isEmpty { groups.append(PartGroup(parts: parts, end: end)) }
        }
        let last = parts(rest)
        end += last.reduce(0) { $0 + $1.tag.duration }
        if !last.isEmpty { groups.append(PartGroup(parts: last, end: end)) }
        return groups
    }

    /// The end of the last segment or Partial Segment, in seconds from the start of the playlist.
    var end: Double { playlist.duration + playlist.upcoming.parts.reduce(0) { $0 + $1.duration } }
}
