package import HLSPlaylist

/// The files that a Media Playlist lists or hints at.
package struct PlaylistFiles: Sendable {
    /// A file, and how many of its bytes are listed.
    package struct Listed: Hashable, Sendable {
        /// The path in the served folder.
        package let path: String
        /// The number of listed bytes of a segment that is not complete; nil for a complete file.
        package let count: Int?
    }

    /// The listed files, oldest first, each once.
    package private(set) var listed: [Listed] = []
    /// The files that EXT-X-PRELOAD-HINT names with TYPE=MAP, which may exist already.
    package private(set) var hintedMaps: [String] = []
    /// The files that EXT-X-PRELOAD-HINT names.
    package private(set) var hinted: Set<String> = []

    /// Creates an empty list.
    init() {}

    /// Collects the files of a playlist at a path.
    package init(_ playlist: MediaPlaylist, at path: String) {
        var found: [String: Int] = [:]
        func add(_ uri: String, _ count: Int?) {
            guard let file = ChannelPath.resolve(uri, against: path) else { return }
            if let index = found[file] {
                // A file is complete if it is listed as a whole anywhere.
                guard let known = listed[index].count else { return }
                listed[index] = Listed(path: file, count: count.map { max($0, known) })
            } else {
                found[file] = listed.count
                listed.append(Listed(path: file, count: count))
            }
        }
        func addTags(_ tags: [SegmentTag], segment: String?) {
            // Parts without an offset continue at the end of the previous part of the same file.
            var ends: [String: UInt64] = [:]
            for tag in tags {
                switch tag {
                case .map(let map) where map.byteRange == nil: add(map.uri, nil)
                case .part(let part) where !part.isGap && part.uri != segment:
                    guard let range = part.byteRange else {
                        add(part.uri, nil)
                        continue
                    }
                    let (end, isTooLarge) = (range.offset ?? ends[part.uri] ?? 0)
                        .addingReportingOverflow(range.length)
                    guard !isTooLarge, end <= UInt64(Int.max) else { continue }
                    ends[part.uri] = end
                    // Parts of complete segments are in the segment.
                    if segment == nil { add(part.uri, Int(end)) }
                default: break
                }
            }
        }
        for segment in playlist.segments {
            addTags(segment.tags, segment: segment.uri)
            // A file of which segments are byte ranges is not read into memory.
            if segment.byteRange == nil, !segment.isGap { add(segment.uri, nil) }
        }
        addTags(playlist.upcoming.tags, segment: nil)
        for hint in playlist.preloadHints {
            guard let file = ChannelPath.resolve(hint.uri, against: path) else { continue }
            hinted.insert(file)
            if hint.kind == .map, (hint.byteRangeStart ?? 0) == 0, hint.byteRangeLength == nil {
                hintedMaps.append(file)
            }
        }
    }
}
