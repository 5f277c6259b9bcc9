import HLSPlaylist
import Testing

@testable import StreamPlayer

extension TimelineStep {
    /// The step in short form: a number, `-` for not yet, `.` for the end; then the skipped segments.
    var name: String {
        let step =
            switch outcome {
            case .segment(let segment): "\(segment.number)@\(segment.start)"
            case .notYet: "-"
            case .ended: "."
            }
        return notices.reduce(step) { text, notice in
            switch notice {
            case .gap(let numbers, let seconds):
                "\(text) gap \(numbers.lowerBound)-\(numbers.upperBound) \(seconds)"
            case .fellOutOfWindow(let next, let place, let seconds): "\(text) fell \(next)>\(place) \(seconds)"
            }
        }
    }
}

extension SegmentTimeline {
    /// Returns the next segment, if there is one, and advances past it.
    mutating func take() -> String {
        let step = next()
        if case .segment(let segment) = step.outcome { advance(past: segment) }
        return step.name
    }
}

@Suite("The segment timeline")
struct SegmentTimelineTests {
    @Test("a playlist that has ended is played from its start to its end")
    func onDemand() throws {
        var timeline = try SegmentTimeline(live(0..<3, isEnded: true))
        #expect((0..<5).map { _ in timeline.take() } == ["0@0.0", "1@6.0", "2@12.0", ".", "."])
        #expect(timeline.counts == TimelineCounts())
        #expect(timeline.behindLiveEdge(0) == 0)
    }

    @Test("reading the next segment does not change the position, advancing does")
    func asking() throws {
        var timeline = try SegmentTimeline(live(0..<3, isEnded: true))
        #expect(timeline.next().name == "0@0.0")
        #expect(timeline.next().name == "0@0.0")
        #expect(timeline.take() == "0@0.0")
        #expect(timeline.next().name == "1@6.0")
    }

    @Test("segments keep their time across reloads, and removed ones are not stored")
    func reloads() throws {
        var timeline = try SegmentTimeline(live(10..<15))
        #expect(timeline.nextNumber == 12)
        #expect((0..<4).map { _ in timeline.take() } == ["12@12.0", "13@18.0", "14@24.0", "-"])
        try timeline.update(live(11..<16))
        #expect(timeline.take() == "15@30.0")
        for second in UInt64(0)..<200 {
            try timeline.update(live((12 + second)..<(17 + second)))
            #expect(timeline.take() == "\(16 + second)@\(Double(36 + 6 * second))")
            #expect(timeline.segments.count == 5)
        }
        #expect(timeline.startTime == 12 + 6 * 199)
        try timeline.update(live(211..<217, isEnded: true))
        #expect(timeline.take() == "216@1236.0")
        #expect(timeline.take() == ".")
        #expect(timeline.counts == TimelineCounts())
    }

    @Test("a position that was removed from the playlist is replaced by one near the live edge, and counted")
    func falling() throws {
        var timeline = try SegmentTimeline(live(10..<20))
        #expect(timeline.take() == "17@42.0")
        try timeline.update(live(19..<29))
        // The playlist ends at 114, and playback stays 18 seconds before that.
        #expect(timeline.next().name == "26@96.0 fell 18>26 48.0")
        #expect(timeline.next().name == "26@96.0")
        #expect(timeline.counts == TimelineCounts(gaps: 0, jumps: 1, missedSeconds: 48))
        try timeline.update(live(40..<44, isEnded: true))
        #expect(timeline.take() == "40@180.0 fell 26>40 84.0")
    }

    @Test("between two playlists without common segments, dates determine the time, or else the target duration")
    func unseen() throws {
        var dated = live(10..<15)
        dated.segments[0].programDateTime = PlaylistDate(seconds: 1000)
        var later = live(20..<25)
        later.segments[0].programDateTime = PlaylistDate(seconds: 1100)
        var timeline = try SegmentTimeline(dated)
        try timeline.update(later)
        #expect(timeline.startTime == 100)
        var undated = try SegmentTimeline(live(10..<15, duration: 4))
        try undated.update(live(20..<25))
        #expect(undated.startTime == 20 + 5 * 6)
        // A date that goes back is ignored.
        later.segments[0].programDateTime = PlaylistDate(seconds: 500)
        var confused = try SegmentTimeline(dated)
        try confused.update(later)
        #expect(confused.startTime == 60)
        var far = try SegmentTimeline(live(0..<5))
        try far.update(live((.max - 5)..<(.max)))
        #expect(far.startTime == 30 + PlaybackTime.maximum)
        #expect(far.take().contains("fell 2>"))
    }

    @Test("consecutive segments with EXT-X-GAP are skipped together")
    func gaps() throws {
        var timeline = try SegmentTimeline(live(0..<6, isEnded: true, gaps: [1, 2, 5]))
        #expect((0..<4).map { _ in timeline.take() } == ["0@0.0", "3@18.0 gap 1-2 12.0", "4@24.0", ". gap 5-5 6.0"])
        #expect(timeline.counts == TimelineCounts(gaps: 3, jumps: 0, missedSeconds: 18))
        var running = try SegmentTimeline(live(0..<3, gaps: [0, 1, 2]))
        #expect((0..<2).map { _ in running.take() } == ["- gap 0-2 18.0", "-"])
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let error: TimelineError
        let change: @Sendable (inout MediaPlaylist) -> Void
        var testDescription: String { name }
    }

    static let refusals: [Refusal] = [
        Refusal(name: "no segments", error: .noSegments) { $0.segments = [] },
        Refusal(name: "a delta update", error: .deltaUpdate) { $0.skip = SkipTag(skippedSegments: 1) },
        Refusal(name: "past 2^64", error: .sequenceOverflow(first: .max - 3)) { $0.mediaSequence = .max - 3 },
        Refusal(name: "no number", error: .unusableDuration(mediaSequenceNumber: 12)) {
            $0.segments[2].duration = .nan
        },
        Refusal(name: "endless", error: .unusableDuration(mediaSequenceNumber: 11)) {
            $0.segments[1].duration = .infinity
        },
        Refusal(name: "below zero", error: .unusableDuration(mediaSequenceNumber: 13)) { $0.segments[3].duration = -1 },
        Refusal(name: "too long together", error: .unusableDuration(mediaSequenceNumber: 12)) { playlist in
            for index in playlist.segments.indices { playlist.segments[index].duration = 4e7 }
        },
        Refusal(name: "a range without a beginning", error: .byteRange(line: 0)) {
            $0.segments[1].byteRange = ByteRange(length: 5, offset: nil)
        },
    ]

    @Test("a playlist without a timeline is rejected with the reason, and has no effect", arguments: refusals)
    func refusal(row: Refusal) throws {
        var playlist = live(10..<15)
        row.change(&playlist)
        #expect(throws: row.error) { try SegmentTimeline(playlist) }
        var timeline = try SegmentTimeline(live(10..<15))
        #expect(timeline.take() == "12@12.0")
        #expect(throws: row.error) { try timeline.update(playlist) }
        #expect(throws: row.error) { try timeline.change(to: playlist) }
        #expect(timeline.take() == "13@18.0")
    }

    @Test("a playlist that goes back is rejected")
    func goingBack() throws {
        var timeline = try SegmentTimeline(live(10..<15))
        #expect(throws: TimelineError.sequenceWentBack(from: 10, to: 9)) { try timeline.update(live(9..<15)) }
    }

    @Test("the maximum sequence number does not trap")
    func lastNumber() throws {
        var timeline = try SegmentTimeline(live((.max - 2)..<(.max), isEnded: true))
        #expect((0..<3).map { _ in timeline.take() } == ["\(UInt64.max - 2)@0.0", "\(UInt64.max - 1)@6.0", "."])
    }

    @Test("the playlist of a restarted encoder follows the end of the previous one")
    func restart() throws {
        var timeline = try SegmentTimeline(live(10..<15))
        for _ in 0..<3 { _ = timeline.take() }
        #expect(timeline.take() == "-")
        try timeline.restart(with: live(0..<2))
        #expect((0..<3).map { _ in timeline.take() } == ["0@30.0", "1@36.0", "-"])
        try timeline.update(live(1..<3))
        #expect(timeline.take() == "2@42.0")
    }

    @Test("segments without duration are played, also after a switch to another variant")
    func withoutDurations() throws {
        var timeline = try SegmentTimeline(live(0..<4, duration: 0, isEnded: true))
        #expect((0..<2).map { _ in timeline.take() } == ["0@0.0", "1@0.0"])
        try timeline.change(to: live(0..<4, duration: 0, isEnded: true))
        #expect((0..<3).map { _ in timeline.take() } == ["2@0.0", "3@0.0", "."])
    }
}
