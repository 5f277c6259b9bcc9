import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 edit lists")
struct MP4TimingTests {
    func timing(_ edits: [EditListBox.Entry]) throws -> TrackTiming {
        var movie = TestMovie(tables: MP4TableTests.tables())
        movie.edits = edits
        // The timescale is 1000 for the movie and 100 for the media.
        return try MovieFile(reading: movie.bytes.span.bytes).movie.tracks[0].timing()
    }

    @Test("none, priming, delay, both")
    func plain() throws {
        #expect(try timing([]).presentationOffset == 0)
        #expect(try timing([.init(segmentDuration: 0, mediaTime: 21)]).presentationOffset == -21)
        let delayed = try timing([
            .init(segmentDuration: 500, mediaTime: nil), .init(segmentDuration: 900, mediaTime: 3),
        ])
        #expect(delayed.delay == 50)
        #expect(delayed.mediaTime == 3)
        #expect(delayed.presentationOffset == 47)
        #expect(delayed.movieDuration == 900)
        let twice = try timing([
            .init(segmentDuration: 500, mediaTime: nil), .init(segmentDuration: 504, mediaTime: nil),
            .init(segmentDuration: 900, mediaTime: 0), .init(segmentDuration: 900, mediaTime: nil),
        ])
        #expect(twice.delay == 100)
    }

    @Test("edits that present consecutive ranges of the media are one edit")
    func consecutive() throws {
        let parts = try timing([
            .init(segmentDuration: 500, mediaTime: nil), .init(segmentDuration: 300, mediaTime: 3),
            .init(segmentDuration: 201, mediaTime: 33), .init(segmentDuration: 100, mediaTime: 53),
        ])
        #expect(parts.delay == 50 && parts.mediaTime == 3 && parts.movieDuration == 601)
        let open = try timing([.init(segmentDuration: 300, mediaTime: 0), .init(segmentDuration: 0, mediaTime: 30)])
        #expect(open.mediaTime == 0 && open.movieDuration == nil)
    }

    @Test(
        "the error for an unsupported edit list contains the track",
        arguments: [
            [EditListBox.Entry(segmentDuration: 1, mediaTime: 0), .init(segmentDuration: 1, mediaTime: 50)],
            [EditListBox.Entry(segmentDuration: 300, mediaTime: 0), .init(segmentDuration: 1, mediaTime: 33)],
            [EditListBox.Entry(segmentDuration: 300, mediaTime: 0), .init(segmentDuration: 1, mediaTime: 27)],
            [EditListBox.Entry(segmentDuration: 0, mediaTime: 0), .init(segmentDuration: 1, mediaTime: 0)],
            [
                EditListBox.Entry(segmentDuration: 300, mediaTime: 0), .init(segmentDuration: 5, mediaTime: nil),
                .init(segmentDuration: 1, mediaTime: 30),
            ],
            [EditListBox.Entry(segmentDuration: 1, mediaTime: 0, mediaRate: 0x0002_0000)],
            [EditListBox.Entry(segmentDuration: 1, mediaTime: 0, mediaRate: 0)],
            [EditListBox.Entry(segmentDuration: 1, mediaTime: nil)],
            [EditListBox.Entry(segmentDuration: 1, mediaTime: -5)],
            [EditListBox.Entry(segmentDuration: .max, mediaTime: nil), .init(segmentDuration: 1, mediaTime: 0)],
            [
                EditListBox.Entry(segmentDuration: .max, mediaTime: nil), .init(segmentDuration: .max, mediaTime: nil),
                .init(segmentDuration: 1, mediaTime: 0),
            ], [EditListBox.Entry(segmentDuration: 1, mediaTime: .max)],
        ]
    )
    func unsupported(edits: [EditListBox.Entry]) throws {
        let error = #expect(throws: ParseError.self) { try timing(edits) }
        #expect(error?.code == .notSupported)
        #expect(error?.description.contains("track 1") == true)
    }

    @Test("an edit list that is written again has the same meaning")
    func equivalent() throws {
        let edits: [EditListBox.Entry] = [
            .init(segmentDuration: 500, mediaTime: nil), .init(segmentDuration: 900, mediaTime: 3),
        ]
        let first = try timing(edits)
        #expect(first.editList(movieTimescale: 1000, isFragmented: false)?.entries == edits)
        #expect(try timing([]).editList(movieTimescale: 1000, isFragmented: false) == nil)
        let fragmented = try #require(first.editList(movieTimescale: 1000, isFragmented: true))
        #expect(try timing(fragmented.entries).presentationOffset == first.presentationOffset)
    }

    @Test("in fragments, video has negative composition offsets and audio has an edit list")
    func fragments() throws {
        let timing = try timing([
            .init(segmentDuration: 500, mediaTime: nil), .init(segmentDuration: 900, mediaTime: 20),
        ])
        let video = FragmentTiming(timing, kind: "vide", firstCompositionOffset: 20)
        #expect(video.decodeTimeShift == 50)
        #expect(video.compositionShift == -20)
        #expect(video.editList == nil)
        // A cut at 15 after the first frame: the remainder is still removed.
        let cut = FragmentTiming(timing, kind: "vide", firstCompositionOffset: 5)
        #expect(cut.compositionShift == -5)
        #expect(cut.editList?.entries.first?.mediaTime == 15)
        let audio = FragmentTiming(timing, kind: "soun", firstCompositionOffset: 0)
        #expect(audio.compositionShift == 0)
        #expect(audio.editList?.entries.first?.mediaTime == 20)
    }
}
