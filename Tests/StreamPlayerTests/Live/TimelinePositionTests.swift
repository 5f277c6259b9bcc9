import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("Positions on the timeline")
struct TimelinePositionTests {
    struct Start: Sendable, CustomTestStringConvertible {
        let name: String
        // 100 seconds in segments of 10 seconds; the target duration is 10.
        var isEnded = false
        var holdBack: Double?
        var offset: Double?
        var isPrecise: Bool?
        let number: UInt64
        let time: Double
        let reason: TimelinePosition.Reason
        var isClamped = false
        var testDescription: String { name }
    }

    static let starts: [Start] = [
        Start(name: "ended", isEnded: true, number: 0, time: 0, reason: .beginning),
        Start(name: "live", number: 7, time: 70, reason: .holdBack),
        Start(name: "hold-back", holdBack: 45, number: 5, time: 50, reason: .holdBack),
        Start(name: "hold-back too small", holdBack: 1, number: 7, time: 70, reason: .holdBack),
        Start(name: "hold-back too large", holdBack: 1e300, number: 0, time: 0, reason: .holdBack),
        Start(name: "hold-back no number", holdBack: .nan, number: 7, time: 70, reason: .holdBack),
        Start(name: "offset", isEnded: true, offset: 25, number: 2, time: 20, reason: .startTag),
        Start(name: "precise", isEnded: true, offset: 25, isPrecise: true, number: 2, time: 25, reason: .startTag),
        Start(name: "not precise", isEnded: true, offset: 25, isPrecise: false, number: 2, time: 20, reason: .startTag),
        Start(name: "from the end", isEnded: true, offset: -25, number: 7, time: 70, reason: .startTag),
        Start(
            name: "before the beginning",
            isEnded: true,
            offset: -101,
            number: 0,
            time: 0,
            reason: .startTag,
            isClamped: true
        ),
        Start(
            name: "after the end",
            isEnded: true,
            offset: 101,
            number: 10,
            time: 100,
            reason: .startTag,
            isClamped: true
        ),
        Start(name: "live, offset", offset: 25, isPrecise: true, number: 2, time: 25, reason: .startTag),
        Start(
            name: "live, too near the edge",
            offset: -12,
            isPrecise: true,
            number: 7,
            time: 70,
            reason: .startTag,
            isClamped: true
        ),
        Start(name: "live, far from the edge", offset: -42, number: 5, time: 50, reason: .startTag),
        Start(name: "offset no number", offset: .nan, number: 7, time: 70, reason: .holdBack),
        Start(name: "offset without end", offset: -.infinity, number: 7, time: 70, reason: .holdBack),
    ]

    @Test("playback starts where the playlist specifies, and not too near the live edge", arguments: starts)
    func start(row: Start) throws {
        var playlist = live(0..<10, target: 10, duration: 10, isEnded: row.isEnded)
        if let holdBack = row.holdBack { playlist.serverControl = ServerControlTag(holdBack: holdBack) }
        let tag = row.offset.map { StartTag(timeOffset: $0, isPrecise: row.isPrecise) }
        playlist.start = tag
        var timeline = try SegmentTimeline(playlist)
        #expect(timeline.nextNumber == row.number)
        let expected = TimelinePosition(
            number: row.number,
            time: row.time,
            reason: row.reason,
            isClamped: row.isClamped
        )
        #expect(timeline.start() == expected)
        // The Multivariant Playlist's tag has the same effect, but the Media Playlist's tag takes precedence.
        playlist.start = nil
        var other = try SegmentTimeline(playlist, start: tag)
        #expect(other.start() == expected)
        if let tag {
            playlist.start = tag
            var both = try SegmentTimeline(playlist, start: StartTag(timeOffset: 1))
            #expect(both.start() == expected)
        }
    }

    @Test(
        "a seek goes to the segment at a time, or to the nearest playable time",
        arguments: [
            (0.0, 0 as UInt64, 0.0, false), (9.99, 0, 9.99, false), (10, 1, 10, false), (69.5, 6, 69.5, false),
            (70, 7, 70, false), (71, 7, 70, true), (-1, 0, 0, true), (1e300, 7, 70, true), (.infinity, 7, 70, true),
            (-.infinity, 0, 0, true),
        ]
    )
    func seek(to time: Double, number: UInt64, place: Double, isClamped: Bool) throws {
        var timeline = try SegmentTimeline(live(0..<10, target: 10, duration: 10))
        let position = timeline.seek(to: time)
        #expect(position == TimelinePosition(number: number, time: place, reason: .seek, isClamped: isClamped))
        #expect(timeline.nextNumber == number)
    }

    @Test("a seek to the end of a playlist that has ended ends playback; a seek to NaN goes to the start")
    func seekEnd() throws {
        var timeline = try SegmentTimeline(live(0..<10, target: 10, duration: 10, isEnded: true))
        #expect(timeline.seek(to: 100).number == 10)
        #expect(timeline.take() == ".")
        #expect(timeline.seek(to: 99.9).number == 9)
        #expect(timeline.seek(to: .nan).number == 0)
    }

    @Test("the distance from the live edge grows with the playlist")
    func edge() throws {
        var timeline = try SegmentTimeline(live(0..<10))
        #expect(timeline.behindLiveEdge(40) == 20)
        try timeline.update(live(1..<11))
        #expect(timeline.behindLiveEdge(40) == 26)
        #expect(timeline.behindLiveEdge(70) == 0)
        #expect(timeline.behindLiveEdge(.nan) == 0)
        #expect(timeline.liveLimit == 48)
    }
}

@Suite("The timeline after a variant switch")
struct TimelineChangeTests {
    @Test("VOD playlists are aligned by their starts, regardless of their numbers and durations")
    func films() throws {
        var timeline = try SegmentTimeline(live(0..<10, isEnded: true))
        for _ in 0..<4 { _ = timeline.take() }
        try timeline.change(to: live(100..<130, duration: 2, isEnded: true))
        #expect(timeline.take() == "112@24.0")
        // In the middle of a segment: that segment is loaded.
        _ = timeline.take()
        try timeline.change(to: live(0..<10, isEnded: true))
        #expect(timeline.take() == "4@24.0")
    }

    @Test("live streams are aligned by dates")
    func dates() throws {
        var own = live(10..<15)
        own.segments[0].programDateTime = PlaylistDate(seconds: 1000)
        var other = live(510..<515)
        other.segments[0].programDateTime = PlaylistDate(seconds: 1006, nanoseconds: 100_000_000)
        var timeline = try SegmentTimeline(own)
        #expect(timeline.take() == "12@12.0")
        try timeline.change(to: other)
        // 18 seconds match 18.1 seconds in 512: such small differences are ignored.
        guard case .segment(let segment) = timeline.next().outcome else {
            Issue.record("no segment")
            return
        }
        #expect(segment.number == 512)
        #expect(abs(segment.start - 18.1) < 1e-6)
    }

    @Test("live streams without dates are aligned by numbers, or else by their ends")
    func numbers() throws {
        var timeline = try SegmentTimeline(live(10..<15))
        #expect(timeline.take() == "12@12.0")
        try timeline.change(to: live(9..<14))
        #expect(timeline.startTime == -6)
        #expect(timeline.take() == "13@18.0")
        try timeline.change(to: live(11..<16))
        #expect(timeline.take() == "14@24.0")
        try timeline.change(to: live(900..<905))
        #expect(timeline.endTime == 36)
        #expect(timeline.take() == "904@30.0")
        #expect(timeline.take() == "-")
    }

    @Test("a live stream that lost segments and then ended is not aligned by its start")
    func lateFilm() throws {
        var timeline = try SegmentTimeline(live(10..<15))
        try timeline.update(live(12..<17, isEnded: true))
        #expect(timeline.take() == "12@12.0")
        try timeline.change(to: live(11..<17, isEnded: true))
        #expect(timeline.startTime == 6)
        #expect(timeline.take() == "13@18.0")
    }

    @Test("a segment is not loaded for a very short remainder")
    func rest() throws {
        var timeline = try SegmentTimeline(live(0..<10, isEnded: true))
        for _ in 0..<2 { _ = timeline.take() }
        // Two segments end at 12.3 and 12.6; playback continues at 12.
        try timeline.change(to: live(0..<10, duration: 6.15, isEnded: true))
        #expect(timeline.nextNumber == 2)
        _ = timeline.seek(to: 0)
        try timeline.change(to: live(0..<10, isEnded: true))
        for _ in 0..<2 { _ = timeline.take() }
        try timeline.change(to: live(0..<10, duration: 6.3, isEnded: true))
        #expect(timeline.nextNumber == 1)
    }

    @Test("extreme dates are ignored")
    func absurd() throws {
        var own = live(10..<15)
        own.segments[0].programDateTime = PlaylistDate(seconds: .min)
        var other = live(10..<15)
        other.segments[0].programDateTime = PlaylistDate(seconds: .max)
        var timeline = try SegmentTimeline(own)
        try timeline.change(to: other)
        #expect(timeline.take() == "12@12.0")
    }
}
