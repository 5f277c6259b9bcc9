import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Truncated movies")
struct TruncatedMovieTests {
    private static func front() throws -> PatchedMovie {
        var movie = try PatchedMovie()
        try movie.moveMovieToFront()
        return movie
    }

    /// The offset of the first byte of each sample, in the order of the file.
    private static func samples(_ movie: PatchedMovie, in folder: ScratchFolder) throws -> [(track: Int, offset: Int)] {
        let input = try movie.open(in: folder)
        var samples: [(track: Int, offset: Int)] = []
        while case .sample(let track, let sample)? = try input.next() { samples.append((track, sample.offset)) }
        return samples.sorted { $0.offset < $1.offset }
    }

    @Test("with all samples are packaged with a warning")
    func longBox() throws {
        let folder = try ScratchFolder()
        var movie = try Self.front()
        let expected = try movie.open(in: folder).samples()
        let box = try movie.offset(of: "mdat") - 4
        movie.set(movie.number(at: box) + 5, at: box)
        let input = try movie.open(in: folder)
        #expect(try input.samples() == expected)
        #expect(
            input.warnings == [
                "\(folder.path)/patched.mp4: the file is truncated: the mdat box at byte \(box) ends 5 bytes behind the "
                    + "end of the file; all samples are complete"
            ]
        )
        #expect(input.omissions == [])
        let piped = try MediaInputs.open(Pieces(movie.bytes))
        #expect(try piped.samples().count == expected.count)
    }

    @Test("that lack less than a second are packaged up to there")
    func shortTail() throws {
        let folder = try ScratchFolder()
        var movie = try Self.front()
        let samples = try Self.samples(movie, in: folder)
        let cut = samples[samples.count - 3].offset + 1
        let lost = samples.suffix(3).map(\.track)
        movie.bytes.removeSubrange(cut...)
        let input = try movie.open(in: folder)
        #expect(try input.samples().count == samples.count - 3)
        for track in Set(lost) {
            let count = lost.count(where: { $0 == track })
            let total = samples.count(where: { $0.track == track })
            #expect(
                input.warnings.contains {
                    $0.contains("track \(track + 1) ends early")
                        && $0.contains(" (samples \(total - count + 1) to \(total))")
                },
                "\(input.warnings)"
            )
        }
        #expect(input.omissions == [])
        try PipelineFixture.package(movie.job(in: folder))
    }

    @Test("that lack more are an error, unless the job skips what is missing")
    func longTail() throws {
        let folder = try ScratchFolder()
        var movie = try Self.front()
        let samples = try Self.samples(movie, in: folder)
        movie.bytes.removeSubrange((samples[samples.count / 2].offset)...)
        var job = try movie.job(in: folder)
        let failure = #expect(throws: OmissionFailure.self) { try job.run() }
        let reason = failure?.reason ?? ""
        #expect(reason.contains("track 1 ends early: the last 1.") && reason.contains("in the truncated file"))
        #expect(reason.hasSuffix("; copy the file again"))
        job.skipsUnsupported = true
        let report = try job.run()
        #expect(report.warnings.contains { $0.contains("track 1 ends early") && $0.hasSuffix("it is left out") })
    }

    @Test("with a track that starts behind the end lack the track")
    func missingTrack() throws {
        let folder = try ScratchFolder()
        var movie = try Self.front()
        // All chunks of the audio move behind the video.
        let table = try movie.offset(of: "stco", number: 1)
        for index in 0..<movie.number(at: table + 8) {
            movie.set(movie.number(at: table + 12 + index * 4) + movie.bytes.count, at: table + 12 + index * 4)
        }
        let box = try movie.offset(of: "mdat") - 4
        movie.set(movie.number(at: box) + movie.bytes.count, at: box)
        let input = try movie.open(in: folder)
        #expect(input.tracks.map(\.kind) == [.video])
        let missing = "track 2 is missing: the file is truncated before its first sample"
        #expect(input.omissions.map(\.description) == [missing])
    }

    @Test("whose samples in the middle are missing are refused")
    func middle() throws {
        let folder = try ScratchFolder()
        var movie = try Self.front()
        let table = try movie.offset(of: "stco", number: 0)
        movie.set(movie.bytes.count + 1, at: table + 12)
        let input = try movie.open(in: folder)
        #expect(failure { _ = try input.samples() }.contains("extend beyond the file"))
    }

    @Test("in fragments are packaged up to the last complete sample")
    func fragments() throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie(PipelineFixture.path("fragmented.mp4"))
        let whole = try movie.open(in: folder).samples()
        let last = try #require(movie.offsets(of: Array("moof".utf8)).last)
        var cut = movie
        cut.bytes.removeSubrange((last + 20)...)
        let input = try cut.open(in: folder)
        let samples = try input.samples()
        #expect(samples.count < whole.count && samples.count > whole.count / 2)
        #expect(input.omissions.map(\.reason).contains { $0.contains("the last fragment is missing") })

        let random = try movie.offset(of: "mfra") - 4
        movie.bytes.removeSubrange((random - 3)...)
        let nearly = try movie.open(in: folder)
        #expect(try nearly.samples().count == whole.count - 1)
        #expect(nearly.warnings.contains { $0.contains("ends early: the last 0.0") }, "\(nearly.warnings)")
    }

    @Test("are those whose tables lack the durations or the places of the last samples")
    func shortTables() throws {
        let folder = try ScratchFolder()
        let movie = try PatchedMovie()
        let pictures = try movie.open(in: folder).samples(of: 0)
        var durations = movie
        let table = try movie.offset(of: "stts")
        try #require(movie.number(at: table + 8) == 1)
        durations.set(movie.number(at: table + 12) - 3, at: table + 12)
        let input = try durations.open(in: folder)
        #expect(try input.samples(of: 0) == pictures)
        #expect(input.warnings.map { $0.contains("track 1 has no durations from sample 34 on; the last") } == [true])

        let expected = try movie.open(in: folder).samples(of: 1)
        var places = movie
        let chunks = try movie.offset(of: "stco", number: 1)
        places.set(movie.number(at: chunks + 8) - 1, at: chunks + 8)
        let short = try places.open(in: folder)
        let samples = try short.samples(of: 1)
        #expect(samples == Array(expected.prefix(samples.count)) && samples.count < expected.count)
        let lost = "(samples \(samples.count + 1) to \(expected.count)) are missing in the file"
        #expect((short.warnings + short.omissions.map(\.reason)).contains { $0.hasSuffix(lost) })
    }

    @Test("are those with bytes behind the last box, which are ignored")
    func trailing() throws {
        let folder = try ScratchFolder()
        var movie = try PatchedMovie()
        let expected = try movie.open(in: folder).samples()
        movie.bytes += [0, 0, 0, 3] + Array("junk and more of it".utf8)
        let input = try movie.open(in: folder)
        #expect(try input.samples() == expected)
        #expect(input.warnings.map { $0.hasSuffix("at the end of the file are not a box; they are ignored") } == [true])
    }
}
