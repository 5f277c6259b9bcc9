import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("The segment timeline with parts")
struct TimelinePartTests {
    /// A playlist of segments of two seconds, each of four parts; every second part is independent.
    ///
    /// - Parameters:
    ///   - open: The number of parts of the segment after the last one.
    ///   - listed: The number of segments at the end whose parts are listed.
    private static func playlist(
        _ numbers: Range<Int>,
        open: Int,
        listed: Int = 2,
        isEnded: Bool = false,
        map: String = "#EXT-X-MAP:URI=\"init.mp4\""
    ) throws -> MediaPlaylist {
        func parts(_ number: Int, _ count: Int) -> [String] {
            (0..<count).map { index in
                "#EXT-X-PART:URI=\"\(number).m4s\",DURATION=0.5\(index % 2 == 0 ? ",INDEPENDENT=YES" : "")"
                    + ",BYTERANGE=\"100\(index == 0 ? "@0" : "")\""
            }
        }
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-TARGETDURATION:2", "#EXT-X-PART-INF:PART-TARGET=0.5",
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5",
            "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)", map,
        ]
        for number in numbers {
            if number >= numbers.upperBound - listed { lines += parts(number, 4) }
            lines += ["#EXTINF:2,", "\(number).m4s"]
        }
        lines += parts(numbers.upperBound, open)
        if isEnded { lines.append("#EXT-X-ENDLIST") }
        return try MediaPlaylist(parsing: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private func name(_ step: TimelineStep) -> String {
        guard case .segment(let segment) = step.outcome, let part = segment.part else { return step.name }
        return step.name + " part \(part.index) \(segment.byteRange.map { "\($0)" } ?? "")"
    }

    private func take(_ timeline: inout SegmentTimeline) -> String {
        let step = timeline.next()
        if case .segment(let segment) = step.outcome { timeline.advance(past: segment) }
        return name(step)
    }

    @Test("playback starts at an independent part that is PART-HOLD-BACK before the end")
    func start() throws {
        // The end is at 9 s; 1.5 s before it, part 3 of segment 3 starts, and part 2 is independent.
        var timeline = try SegmentTimeline(Self.playlist(0..<4, open: 2), usesParts: true)
        #expect(timeline.holdBackDistance == 1.5)
        let taken = (0..<6).map { _ in take(&timeline) }
        #expect(
            taken == [
                "3@7.0 part 2 200..<300", "3@7.5 part 3 300..<400", "4@8.0 part 0 0..<100", "4@8.5 part 1 100..<200",
                "-",
                "-",
            ]
        )
        #expect(timeline.nextTime == 9)
    }

    @Test("the parts of a segment are played across its completion, and what follows is not played twice")
    func completion() throws {
        var timeline = try SegmentTimeline(Self.playlist(0..<4, open: 2), usesParts: true)
        while take(&timeline) != "-" {}
        try timeline.update(Self.playlist(0..<5, open: 1))
        #expect(
            (0..<4).map { _ in take(&timeline) }.map { $0.prefix(12) } == [
                "4@9.0 part 2", "4@9.5 part 3", "5@10.0 part ", "-",
            ]
        )
        // The last part of the open segment was played; the segment is then complete with exactly these parts.
        try timeline.update(Self.playlist(0..<5, open: 4))
        for _ in 0..<3 { _ = take(&timeline) }
        #expect(take(&timeline) == "-")
        try timeline.update(Self.playlist(0..<6, open: 0))
        #expect(take(&timeline) == "-")
        try timeline.update(Self.playlist(0..<7, open: 0))
        #expect(take(&timeline) == "6@12.0", "a whole segment, because none of its parts has been played")
        #expect(timeline.counts == TimelineCounts())
    }

    @Test("the rest of a segment whose parts are no longer listed is missed, once")
    func late() throws {
        var timeline = try SegmentTimeline(Self.playlist(0..<4, open: 2), usesParts: true)
        while take(&timeline) != "-" {}
        try timeline.update(Self.playlist(0..<8, open: 0))
        #expect(take(&timeline) == "5@10.0 gap 4-4 1.0")
        #expect(timeline.counts.gaps == 1 && timeline.counts.missedSeconds == 1)
    }

    @Test("without parts, playback is that of whole segments")
    func wholeSegments() throws {
        var timeline = try SegmentTimeline(Self.playlist(0..<5, open: 2))
        #expect((0..<4).map { _ in take(&timeline) } == ["2@4.0", "3@6.0", "4@8.0", "-"])
    }

    @Test("parts of segments without an init segment are not played")
    func transportStreams() throws {
        var timeline = try SegmentTimeline(
            Self.playlist(0..<4, open: 2, map: "#EXT-X-INDEPENDENT-SEGMENTS"),
            usesParts: true
        )
        var taken: [String] = []
        while taken.last != "-" { taken.append(take(&timeline)) }
        #expect(taken == ["3@6.0", "-"])
    }

    @Test("a playlist that ends between parts ends playback after the last part")
    func end() throws {
        var timeline = try SegmentTimeline(Self.playlist(0..<4, open: 2), usesParts: true)
        while take(&timeline) != "-" {}
        try timeline.update(Self.playlist(0..<5, open: 0, isEnded: true))
        #expect((0..<3).map { _ in take(&timeline) }.map { $0.prefix(12) } == ["4@9.0 part 2", "4@9.5 part 3", "."])
    }

    @Test("another rendition is continued at the part after those that were played")
    func change() throws {
        var timeline = try SegmentTimeline(Self.playlist(0..<4, open: 2), usesParts: true)
        while take(&timeline) != "-" {}
        try timeline.change(to: Self.playlist(0..<4, open: 3))
        #expect((0..<2).map { _ in take(&timeline) } == ["4@9.0 part 2 200..<300", "-"])
    }
}
