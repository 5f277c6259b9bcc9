import HLSPlaylist

/// The mapping from complete files to loaded time ranges, as AVAssetDownloadTask reports them.
///
/// A time is loaded if all playlists have their segments at this time: all selected variants and renditions. After the
/// end of a shorter playlist, and in its gaps, the time counts as loaded for it.
struct BundleTimeline: Sendable {
    private struct Span {
        let range: Range<Double>
        let track: Int
        /// The number of its files that are missing.
        var missing: Int
    }

    private var spans: [Span] = []
    /// The spans that need a file, by the file's index in the resources.
    private var spansOf: [[Int]]
    private var tracks: [LoadedTimeRanges] = []
    private var isThere: [Bool]
    /// The duration of the longest playlist, in seconds.
    let duration: Double

    /// - Parameters:
    ///   - playlists: The local Media Playlists.
    ///   - resources: The names of the files.
    init(_ playlists: [MediaPlaylist], resources: [String]) {
        let places = Dictionary(resources.enumerated().map { ($1, $0) }) { first, _ in first }
        spansOf = Array(repeating: [], count: resources.count)
        isThere = Array(repeating: false, count: resources.count)
        duration = playlists.map(\.duration).max() ?? 0
        for playlist in playlists {
            var loaded = LoadedTimeRanges()
            var start = 0.0
            var map: Int?
            for segment in playlist.segments {
                if let tag = segment.map { map = places[tag.uri] }
                let end = start + segment.duration
                let files = segment.isGap ? [] : Set([places[segment.uri], map].compactMap { $0 })
                if files.isEmpty { loaded.insert(start..<max(start, end)) }
                for file in files { spansOf[file].append(spans.count) }
                spans.append(Span(range: start..<max(start, end), track: tracks.count, missing: files.count))
                start = max(start, end)
            }
            loaded.insert(start..<max(start, duration))
            tracks.append(loaded)
        }
    }

    /// Marks a file as complete.
    mutating func add(_ file: Int) {
        guard isThere.indices.contains(file), !isThere[file] else { return }
        isThere[file] = true
        for index in spansOf[file] {
            spans[index].missing -= 1
            if spans[index].missing == 0 { tracks[spans[index].track].insert(spans[index].range) }
        }
    }

    /// The time ranges that can be played.
    var loaded: LoadedTimeRanges {
        guard let first = tracks.first else { return LoadedTimeRanges() }
        return tracks.dropFirst().reduce(first) { $0.intersection($1) }
    }
}
