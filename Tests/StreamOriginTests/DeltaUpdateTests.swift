import HLSPlaylist
import Testing

@testable import StreamOrigin

@Suite("Playlist delta updates (RFC 8216bis, 6.2.5.1)")
struct DeltaUpdateTests {
    private func update(
        _ window: LiveWindow,
        _ segments: Int,
        _ parts: Int,
        skipping: DeltaUpdates.DateRanges? = nil
    ) throws -> MediaPlaylist? {
        let text = Array(window.text(segments: segments, parts: parts).utf8)
        let playlist = try MediaPlaylist(strictlyParsing: text)
        return try DeltaUpdates.update(of: playlist, text: text, skipping: skipping).map {
            try MediaPlaylist(strictlyParsing: $0)
        }
    }

    @Test("Segments that end at or before the Skip Boundary are skipped")
    func boundary() throws {
        // 12 segments of 2 s and two parts of 0.5 s are 25 s; those before 13 s are skipped.
        let update = try #require(try update(LiveWindow(), 100, 2))
        #expect(update.skip?.skippedSegments == 6)
        #expect(update.segments.count == 6)
        #expect(update.segments.first?.uri == "segment-94.m4s")
        #expect(update.mediaSequence == 88)
        #expect(update.version == 9)
        #expect(update.upcoming.parts.count == 2)
        #expect(update.skip?.recentlyRemovedDateRanges == nil)
    }

    @Test("A playlist that is not longer than the Skip Boundary is sent as a whole")
    func short() throws {
        #expect(try update(LiveWindow(length: 6), 100, 0) == nil)
        #expect(try update(LiveWindow(length: 6), 100, 3) == nil)
        #expect(try update(LiveWindow(length: 6), 100, 4) != nil)
        let text = Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na\n#EXTINF:2,\nb\n".utf8)
        #expect(DeltaUpdates.update(of: try MediaPlaylist(parsing: text), text: text) == nil)
    }

    @Test("The version is at least 9, and 10 if Date Ranges are skipped")
    func versions() throws {
        var text = LiveWindow().text(segments: 100, parts: 0)
        text = text.replacing("#EXT-X-VERSION:9\n", with: "")
        let bytes = Array(text.utf8)
        let playlist = try MediaPlaylist(parsing: bytes)
        let plain = try #require(DeltaUpdates.update(of: playlist, text: bytes))
        #expect(try MediaPlaylist(strictlyParsing: plain).version == 9)
        let window = LiveWindow(canSkipDateRanges: true)
        let skipping = DeltaUpdates.DateRanges(removed: ["a", "b"])
        let update = try #require(try update(window, 100, 0, skipping: skipping))
        #expect(update.version == 10)
        #expect(update.skip?.recentlyRemovedDateRanges == ["a", "b"])
        // Without CAN-SKIP-DATERANGES, v2 is answered like YES.
        #expect(try self.update(LiveWindow(), 100, 0, skipping: skipping)?.skip?.recentlyRemovedDateRanges == nil)
    }

    @Test("Date Ranges of skipped segments are kept, or left out unless they are recent")
    func dateRanges() throws {
        let window = LiveWindow(dateRanges: [89, 91, 99], canSkipDateRanges: true)
        let all = try #require(try update(window, 100, 0))
        #expect(Set(all.segments.flatMap(\.dateRanges).map(\.id)) == ["break-89", "break-91", "break-99"])
        let some = try #require(try update(window, 100, 0, skipping: .init(recent: ["break-91"])))
        #expect(Set(some.segments.flatMap(\.dateRanges).map(\.id)) == ["break-91", "break-99"])
    }

    @Test("Removed and recent Date Ranges follow from the versions of a playlist")
    func history() throws {
        let window = LiveWindow(dateRanges: [90, 99], canSkipDateRanges: true)
        var history = DateRangeHistory()
        let first = history.record(try window.playlist(segments: 100, parts: 0), now: .seconds(0))
        #expect(first == DeltaUpdates.DateRanges(recent: ["break-90", "break-99"]))
        let later = history.record(try window.playlist(segments: 102, parts: 0), now: .seconds(13))
        #expect(later == DeltaUpdates.DateRanges())
        let removed = history.record(try window.playlist(segments: 103, parts: 0), now: .seconds(15))
        #expect(removed == DeltaUpdates.DateRanges(removed: ["break-90"]))
        let forgotten = history.record(try window.playlist(segments: 104, parts: 0), now: .seconds(28))
        #expect(forgotten == DeltaUpdates.DateRanges())
    }

    @Test("A client that applies an update has the whole playlist", arguments: 1...200)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let total = Int.random(in: 8...60, using: &random)
        let window = LiveWindow(
            length: Int.random(in: 7...20, using: &random),
            keyPeriod: Int.random(in: 1...9, using: &random),
            dateRanges: Set((0..<5).map { _ in Int.random(in: 0...total + 4, using: &random) }),
            canSkipDateRanges: Bool.random(using: &random)
        )
        var history = DateRangeHistory()
        var base = try window.playlist(segments: total, parts: 0)
        _ = history.record(base, now: .zero)
        // The client reloads at most half a Skip Boundary after its last playlist.
        for step in 1...8 {
            let (segments, parts) = (total + step / 4 * 2, step % 4)
            let now = Duration.milliseconds(segments * 2000 - total * 2000 + parts * 500)
            let full = try window.playlist(segments: segments, parts: parts)
            let dateRanges = history.record(full, now: now)
            let skipping = Bool.random(using: &random) ? dateRanges : nil
            guard let update = try update(window, segments, parts, skipping: skipping) else {
                base = full
                continue
            }
            let result = try base.applying(update)
            #expect(Facts(result) == Facts(full))
            if Bool.random(using: &random) { base = result }
        }
    }
}

/// The parts of a playlist that a player uses. The parts of old segments and the place of Date Ranges may differ.
private struct Facts: Hashable {
    let first: UInt64?
    let segments: [[String]]
    let dateRanges: Set<DateRangeTag>
    let upcoming: [PartTag]
    let hints: [PreloadHintTag]

    init(_ playlist: MediaPlaylist) {
        first = playlist.mediaSequence
        var (key, map) = ("", "")
        segments = playlist.segments.map { segment in
            for tag in segment.tags {
                switch tag {
                case .key(let tag): key = tag.uri ?? ""
                case .map(let tag): map = tag.uri
                default: break
                }
            }
            return [segment.uri, "\(segment.duration)", "\(segment.programDateTime as Any)", key, map]
        }
        dateRanges = Set(playlist.segments.flatMap(\.dateRanges) + playlist.upcoming.dateRanges)
        upcoming = playlist.upcoming.parts
        hints = playlist.preloadHints
    }
}
