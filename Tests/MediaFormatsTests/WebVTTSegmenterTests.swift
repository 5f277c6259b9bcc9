import ByteCoding
import MediaFormats
import Testing

@Suite("WebVTT segments")
struct WebVTTSegmenterTests {
    private func text(_ segment: [UInt8]) -> String { String(decoding: segment, as: UTF8.self) }

    @Test("Times relative to the start of the first segment")
    func relativeTimes() throws {
        let document = try WebVTTDocument(
            "WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:05.000 --> 00:07.500\ntwo\n\n00:09.000 --> 00:09.500\nthree"
        )
        var segmenter = WebVTTSegmenter(
            document,
            map: WebVTTTimestampMap(mpegTS: 0),
            from: 6006,
            timescale: 1000,
            isRelative: true
        )
        let text = text(segmenter.segment(until: 12, timescale: 1))
        #expect(
            text.hasSuffix("\n\n00:00:00.000 --> 00:00:01.494\ntwo\n\n00:00:02.994 --> 00:00:03.494\nthree\n\n")
        )
        #expect(!text.contains("one"))
    }

    /// Derived manually from RFC 8216bis, 3.1.4, and the structure of a file in W3C WebVTT, 4.1.
    @Test("Header, definitions, and the cues of each segment")
    func segments() throws {
        let document = try WebVTTDocument(
            """
            WEBVTT Title
            Kind: captions

            STYLE
            ::cue { color: lime }

            NOTE gone

            REGION
            id:fred

            first
            00:01.000-->00:02.000   region:fred
            <i>one</i>

            00:00:05.000 --> 00:00:07.000 line:0
            spans <00:00:06.500>the cut

            00:00:20.000 --> 00:00:21.000
            late
            """
        )
        var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 900_000))
        let head = """
            WEBVTT
            X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000

            STYLE
            ::cue { color: lime }

            REGION
            id:fred


            """
        let spanning = "00:00:05.000 --> 00:00:07.000 line:0\nspans <00:00:06.500>the cut\n\n"
        let first = "first\n00:00:01.000 --> 00:00:02.000 region:fred\n<i>one</i>\n\n"
        #expect(text(segmenter.segment(until: 6, timescale: 1)) == head + first + spanning)
        #expect(text(segmenter.segment(until: 12, timescale: 1)) == head + spanning)
        #expect(text(segmenter.segment(until: 18, timescale: 1)) == head)
        #expect(segmenter.hasCuesLeft)
        let last = "00:00:20.000 --> 00:00:21.000\nlate\n\n"
        #expect(text(segmenter.lastSegment()) == head + last)
        #expect(!segmenter.hasCuesLeft)
        #expect(text(segmenter.lastSegment()) == head)
    }

    @Test("A cue that ends at a cut is only in the segment before it, a cue that starts there only in the next")
    func borders() throws {
        let document = try WebVTTDocument("WEBVTT\n\n00:04.000 --> 00:06.000\na\n\n00:06.000 --> 00:08.000\nb\n")
        var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0))
        #expect(try WebVTTDocument(segmenter.segment(until: 540_000, timescale: 90_000)).spoken.map(\.text) == ["a"])
        #expect(segmenter.hasCuesLeft)
        #expect(try WebVTTDocument(segmenter.segment(until: 8, timescale: 1)).spoken.map(\.text) == ["b"])
        #expect(!segmenter.hasCuesLeft)
    }

    /// 6.006 s is 540,540 ticks. One tick more or less is not a whole millisecond, so rounding would be wrong.
    @Test("Cuts are compared exactly")
    func exactness() throws {
        let document = try WebVTTDocument("WEBVTT\n\n00:06.000 --> 00:06.006\na\n\n00:06.006 --> 00:07.000\nb\n")
        func cues(_ cut: Int64) throws -> [[String]] {
            var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0))
            return try [segmenter.segment(until: cut, timescale: 90_000), segmenter.lastSegment()]
                .map { try WebVTTDocument($0).spoken.map(\.text) }
        }
        #expect(try cues(540_540) == [["a"], ["b"]])
        #expect(try cues(540_541) == [["a", "b"], ["b"]])
        #expect(try cues(540_539) == [["a"], ["a", "b"]])
    }

    @Test("Times of any size do not overflow")
    func extremes() throws {
        let document = try WebVTTDocument("WEBVTT\n\n00:00.000 --> 1000000000000:00:00.000\na\n")
        var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: .max), from: .min, timescale: .max)
        let head = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:8589934591,LOCAL:00:00:00.000\n\n"
        #expect(text(segmenter.segment(until: 0, timescale: .max)) == head)
        for end in [1, Int64.max - 1, .max] {
            let segment = try WebVTTDocument(segmenter.segment(until: end, timescale: .max))
            #expect(segment.spoken == document.spoken)
        }
        #expect(segmenter.hasCuesLeft)
        // A cut that is not later than the previous one returns an empty segment and changes nothing.
        #expect(try WebVTTDocument(segmenter.segment(until: 7, timescale: .max)).cues.isEmpty)
        #expect(try WebVTTDocument(segmenter.lastSegment()).spoken == document.spoken)
    }

    @Test("Segments that start later do not contain cues that have ended")
    func lateStart() throws {
        let document = try WebVTTDocument(
            "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n00:01.500 --> 00:09.000\nb\n\n00:20.000 --> 00:21.000\nc\n"
        )
        var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0), from: 2, timescale: 1)
        #expect(try WebVTTDocument(segmenter.segment(until: 6, timescale: 1)).spoken.map(\.text) == ["b"])
    }

    @Test("X-TIMESTAMP-MAP is written as it is read")
    func map() throws {
        let map = WebVTTTimestampMap(mpegTS: 12_345, local: 3_723_004)
        var segmenter = WebVTTSegmenter(try WebVTTDocument("WEBVTT"), map: map)
        let segment = segmenter.lastSegment()
        #expect(text(segment) == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:12345,LOCAL:01:02:03.004\n\n")
        #expect(try WebVTTDocument(segment).timestampMap == map)
    }

    /// A comparison with the definition: each cue with each segment, in integers.
    @Test("Every segment contains exactly the cues that are visible in it")
    func againstDefinition() throws {
        var random = SeededGenerator(state: 4)
        for _ in 0..<40 {
            let cues = (0..<Int.random(in: 0...60, using: &random)).map { number in
                let start = Int64.random(in: 0...60_000, using: &random)
                let length = Int64.random(in: 1...(number.isMultiple(of: 5) ? 40_000 : 3000), using: &random)
                return SpokenCue(start: start, end: start + length, identifier: "\(number)", text: "text \(number)")
            }
            let timescale = UInt32.random(in: 1...48_000, using: &random)
            let perSecond = Int64(timescale)
            var file = "WEBVTT\n\n"
            for cue in cues {
                file += "\(cue.identifier)\n\(written(cue.start)) --> \(written(cue.end))\n\(cue.text)\n\n"
            }
            let document = try WebVTTDocument(file)
            try #require(document.cues.count == cues.count)
            var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0))
            var start: Int64 = 0
            while start < 70 * perSecond {
                let end = start + Int64.random(in: 1...12 * perSecond, using: &random)
                let seen = cues.filter { $0.start * perSecond < end * 1000 && $0.end * perSecond > start * 1000 }
                let segment = try WebVTTDocument(segmenter.segment(until: end, timescale: timescale))
                #expect(Set(segment.spoken) == Set(seen))
                #expect(segment.cues.count == seen.count)
                start = end
            }
        }
    }

    /// Minutes and seconds, formatted independently of the library.
    private func written(_ milliseconds: Int64) -> String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: count - digits.count) + digits
        }
        let minutes = milliseconds / 60_000
        let rest = milliseconds - minutes * 60_000
        return "\(padded(minutes, 2)):\(padded(rest / 1000, 2)).\(padded(rest % 1000, 3))"
    }
}
