import HLSPlaylist

/// A Media Playlist as a test changes it before it is served.
struct Snapshot {
    struct Part {
        var uri: String
        var duration: Double
        var isIndependent = true
    }

    struct Segment {
        var number: Int
        var uri: String
        var duration: Double
        var date: PlaylistDate?
        /// The URI of the FairPlay key; nil for a clear segment.
        var key: String?
        /// The URI of the init segment.
        var map: String?
        var isDiscontinuity = false
        var parts: [Part] = []
    }

    /// The lines before the segments.
    var header: [String] = []
    var target = 6
    var mediaSequence = 0
    var discontinuitySequence: Int?
    /// The number of segments that a delta update skips.
    var skipped = 0
    /// The number of segments that a delta update lacks without counting them.
    var lost = 0
    var segments: [Segment] = []
    var upcoming: [Part] = []
    /// The key and the init segment of the upcoming parts; nil for those of the last segment.
    var upcomingKey: String?
    var upcomingMap: String?
    var hint: String?
    /// The lines after the segments.
    var trailer: [String] = []

    var text: String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:\(target)"]
        lines += header
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(mediaSequence)")
        if let discontinuitySequence { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)") }
        if skipped > 0 { lines.append("#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped - lost)") }
        var (key, map): (String?, String?) = (nil, nil)
        // A delta update repeats no keys of the segments that it skips.
        if skipped > 0 { (key, map) = (segments[skipped - 1].key, segments[skipped - 1].map) }
        for segment in segments.dropFirst(skipped) {
            if segment.isDiscontinuity { lines.append("#EXT-X-DISCONTINUITY") }
            lines += Self.tags(segment.key, segment.map, &key, &map)
            if let date = segment.date { lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)") }
            lines += segment.parts.map(Self.line)
            lines += ["#EXTINF:\(segment.duration),", segment.uri]
        }
        if !upcoming.isEmpty, let upcomingMap { lines += Self.tags(upcomingKey, upcomingMap, &key, &map) }
        lines += upcoming.map(Self.line)
        if let hint { lines.append("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(hint)\"") }
        return (lines + trailer).joined(separator: "\n") + "\n"
    }

    /// Returns the tags for a key and an init segment that differ from the last ones.
    private static func tags(_ newKey: String?, _ newMap: String?, _ key: inout String?, _ map: inout String?)
        -> [String]
    {
        var lines: [String] = []
        if newKey != key {
            key = newKey
            lines.append(
                newKey.map {
                    "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\($0)\",KEYFORMAT=\"com.apple.streamingkeydelivery\","
                        + "KEYFORMATVERSIONS=\"1\""
                } ?? "#EXT-X-KEY:METHOD=NONE"
            )
        }
        if newMap != map, let newMap {
            map = newMap
            lines.append("#EXT-X-MAP:URI=\"\(newMap)\"")
        }
        return lines
    }

    private static func line(_ part: Part) -> String {
        "#EXT-X-PART:DURATION=\(part.duration),URI=\"\(part.uri)\"" + (part.isIndependent ? ",INDEPENDENT=YES" : "")
    }
}
