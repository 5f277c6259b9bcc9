/// Segments that an edit inserts.
struct NewSegments {
    var segments: [MediaSegment] = []
    /// True if the segments are from another playlist, so that only their own tags apply to them.
    var isForeign = false
    /// The Media Sequence Number of the first segment in the other playlist.
    var firstNumber: UInt64 = 0
    /// The date of the first segment in the other playlist.
    var date: PlaylistDate?

    /// No segments.
    init() {}

    /// Segments to which the state at their new position applies.
    init(_ segments: [MediaSegment]) { self.segments = segments }

    /// The segments of another playlist, whose URIs are resolved against its URL.
    init(_ other: MediaPlaylist, _ url: String?) {
        isForeign = true
        firstNumber = other.mediaSequence ?? 0
        date = MediaPlaylist.date(of: 0, in: other.segments)
        segments = other.segments.map { segment in
            var result = segment
            result.detach()
            if !result.parts.isEmpty { result.parts = [] }
            guard let url else { return result }
            result.uri = URIReference.resolve(result.uri, against: url)
            if !result.tags.isEmpty { result.tags = result.tags.map { Self.resolved($0, url) } }
            return result
        }
    }

    private static func resolved(_ tag: SegmentTag, _ url: String) -> SegmentTag {
        switch tag {
        case .key(var key):
            key.uri = key.uri.map { URIReference.resolve($0, against: url) }
            return .key(key)
        case .map(var map):
            map.uri = URIReference.resolve(map.uri, against: url)
            return .map(map)
        case .bitrate, .dateRange, .part, .other: return tag
        }
    }
}
