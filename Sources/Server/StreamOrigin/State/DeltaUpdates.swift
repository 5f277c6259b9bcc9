package import HLSPlaylist

/// Playlist delta updates: the text of a playlist in which EXT-X-SKIP replaces old segments (RFC 8216bis, sections
/// 4.4.5.2 and 6.2.5.1).
package enum DeltaUpdates {
    /// The Date Ranges that an update with `_HLS_skip=v2` leaves out.
    package struct DateRanges: Hashable, Sendable {
        /// The identifiers that were removed from the playlist within the last CAN-SKIP-UNTIL seconds.
        package var removed: [String]
        /// The identifiers whose tags changed within that time, and are therefore not left out.
        package var recent: Set<String>

        /// Creates the lists.
        package init(removed: [String] = [], recent: Set<String> = []) {
            self.removed = removed
            self.recent = recent
        }
    }

    /// Returns the number of segments that an update of the playlist can skip: those that end at or before the Skip
    /// Boundary. 0 if the playlist permits no delta updates.
    package static func skippedSegments(of playlist: MediaPlaylist) -> Int {
        guard let boundary = playlist.serverControl?.canSkipUntil, boundary > 0, playlist.skip == nil else { return 0 }
        var rest = playlist.duration
        for (index, segment) in playlist.segments.enumerated() {
            rest -= segment.duration
            // Sums of decimal fractions are not exact.
            if rest < boundary - 1e-6 { return index }
        }
        return playlist.segments.count
    }

    /// Returns the delta update of a playlist; nil if no segment can be skipped, so that the whole playlist is sent.
    ///
    /// - Parameters:
    ///   - playlist: The playlist.
    ///   - text: The text that was parsed to the playlist.
    ///   - dateRanges: The Date Ranges that are left out too; nil keeps all.
    package static func update(
        of playlist: MediaPlaylist,
        text: [UInt8],
        skipping dateRanges: DateRanges? = nil
    ) -> [UInt8]? {
        let count = skippedSegments(of: playlist)
        guard count > 0 else { return nil }
        let dateRanges = playlist.serverControl?.canSkipDateRanges == true ? dateRanges : nil
        let version = max(playlist.version ?? 0, dateRanges == nil ? 9 : 10)
        var kept = KeptDateRanges(playlist, count, dateRanges)
        var header: [ArraySlice<UInt8>] = []
        var rest: ArraySlice<UInt8> = []
        var skipped = 0
        var lines = text[...]
        while skipped < count, let line = popLine(&lines) {
            switch Line(line, isInSegments: skipped > 0) {
            case .uri: skipped += 1
            case .dateRange: if let range = kept.next() { header.append(range ? line : []) }
            case .segment, .version, .blank: break
            case .playlist: header.append(line)
            }
            rest = lines
        }
        guard skipped == count else { return nil }
        return assemble(header, version: version, skipTag(count, dateRanges), rest)
    }

    private static func skipTag(_ count: Int, _ dateRanges: DateRanges?) -> String {
        let removed = dateRanges.map { ",RECENTLY-REMOVED-DATERANGES=\"\($0.removed.joined(separator: "\t"))\"" }
        return "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(count)\(removed ?? "")\n"
    }

    /// Writes the update: the first line, the version, the other lines of the header, EXT-X-SKIP, and the rest.
    private static func assemble(
        _ header: [ArraySlice<UInt8>],
        version: UInt64,
        _ skip: String,
        _ rest: ArraySlice<UInt8>
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(rest.count + header.reduce(0) { $0 + $1.count } + skip.utf8.count + 64)
        result += header.first ?? []
        result += Array("#EXT-X-VERSION:\(version)\n".utf8)
        let lines = header.dropFirst()
        // EXT-X-SKIP comes after the tags of the playlist, and before the Date Ranges of the skipped segments.
        for line in lines where !line.starts(with: Line.dateRangePrefix) { result += line }
        result += Array(skip.utf8)
        for line in lines where line.starts(with: Line.dateRangePrefix) { result += line }
        return result + rest
    }

    private static func popLine(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !text.isEmpty else { return nil }
        let end = text.firstIndex(of: 0x0A).map { $0 + 1 } ?? text.endIndex
        defer { text = text[end...] }
        return text[..<end]
    }
}

/// Decides for each Date Range tag of the skipped segments, in order, whether the update contains it.
private struct KeptDateRanges {
    private var decisions: [Bool]

    init(_ playlist: MediaPlaylist, _ count: Int, _ skipping: DeltaUpdates.DateRanges?) {
        decisions = playlist.segments.prefix(count).flatMap(\.dateRanges).map { tag in
            skipping.map { $0.recent.contains(tag.id) } ?? true
        }
        decisions.reverse()
    }

    /// Returns the decision for the next tag; nil for a line that is not a valid tag.
    mutating func next() -> Bool? { decisions.popLast() }
}

/// The role of a line in a delta update.
private enum Line {
    case uri, blank, version, dateRange
    /// A tag or a comment of a segment.
    case segment
    /// A tag of the playlist.
    case playlist

    static let dateRangePrefix = Array("#EXT-X-DATERANGE:".utf8)
    private static let versionPrefix = Array("#EXT-X-VERSION:".utf8)
    private static let segmentTags = [
        "#EXTINF", "#EXT-X-BYTERANGE", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY", "#EXT-X-MAP", "#EXT-X-PROGRAM-DATE-TIME",
        "#EXT-X-GAP", "#EXT-X-BITRATE", "#EXT-X-PART",
    ].map { Array($0.utf8) }
    /// Tags of the playlist that begin like tags of segments.
    private static let playlistTags = ["#EXT-X-DISCONTINUITY-SEQUENCE", "#EXT-X-PART-INF"].map { Array($0.utf8) }
    /// Tags of the playlist; other tags after the first segment belong to a segment.
    private static let known = [
        "#EXTM3U", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-START", "#EXT-X-DEFINE", "#EXT-X-TARGETDURATION",
        "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-PLAYLIST-TYPE", "#EXT-X-I-FRAMES-ONLY", "#EXT-X-SERVER-CONTROL",
        "#EXT-X-PRELOAD-HINT", "#EXT-X-RENDITION-REPORT", "#EXT-X-ENDLIST",
    ].map { Array($0.utf8) }

    init(_ line: ArraySlice<UInt8>, isInSegments: Bool) {
        let content = line.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        func begins(_ names: [[UInt8]]) -> Bool { names.contains { content.starts(with: $0) } }
        if content.isEmpty {
            self = .blank
        } else if content.first != UInt8(ascii: "#") {
            self = .uri
        } else if content.starts(with: Self.versionPrefix) {
            self = .version
        } else if content.starts(with: Self.dateRangePrefix) {
            self = .dateRange
        } else if begins(Self.playlistTags) {
            self = .playlist
        } else if begins(Self.segmentTags) {
            self = .segment
        } else {
            self = isInSegments && !begins(Self.known) ? .segment : .playlist
        }
    }
}
