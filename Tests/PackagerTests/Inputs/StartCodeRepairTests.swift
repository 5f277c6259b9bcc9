import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Start codes in the samples of movies")
struct StartCodeRepairTests {
    /// Replaces the lengths of all video samples with start codes.
    ///
    /// - Parameter keepsFirst: Whether the first NAL unit keeps a length, which becomes that of the whole sample.
    private static func withStartCodes(
        _ movie: PatchedMovie,
        in folder: ScratchFolder,
        keepsFirst: Bool = false
    ) throws -> PatchedMovie {
        var changed = movie
        let input = try movie.open(in: folder)
        while case .sample(let track, let sample)? = try input.next() {
            guard input.tracks[track].kind == .video else { continue }
            var position = sample.offset
            while position < sample.offset + sample.size {
                let length = changed.number(at: position)
                let isFirst = keepsFirst && position == sample.offset
                changed.set(isFirst ? sample.size - 4 : 1, at: position)
                position += 4 + length
            }
        }
        return changed
    }

    @Test(
        "become lengths, so that the output is that of the correct file",
        arguments: ["film.mp4", "fragmented.mp4"],
        [false, true]
    )
    func repair(name: String, keepsFirst: Bool) throws {
        let folder = try ScratchFolder()
        let movie = try PatchedMovie(PipelineFixture.path(name))
        let changed = try Self.withStartCodes(movie, in: folder, keepsFirst: keepsFirst)
        #expect(changed.bytes != movie.bytes)
        for scheme in [nil, TrackProtection.Scheme.cbcs, .sampleAES] {
            var outputs: [[String: [UInt8]]] = []
            for source in [movie, changed] {
                let output = try ScratchFolder()
                let job = try source.job(in: output, scheme: scheme)
                let report = try job.run()
                let isRepaired = report.warnings.contains { $0.contains("they are split at the start codes") }
                #expect(isRepaired == (source.bytes == changed.bytes))
                let files = output.files("out")
                #expect(files.count > 5)
                outputs.append(
                    Dictionary(uniqueKeysWithValues: try files.map { ($0, try output.bytes("out/" + $0)) })
                )
            }
            #expect(outputs[0] == outputs[1], "\(scheme?.rawValue ?? "clear")")
        }
        let piped = try MediaInputs.open(Pieces(PatchedMovie(PipelineFixture.path("fragmented.mp4")).bytes))
        #expect(piped.warnings == [])
    }

    @Test("of only a part of the samples are refused")
    func mixed() throws {
        let folder = try ScratchFolder()
        let movie = try PatchedMovie()
        let changed = try Self.withStartCodes(movie, in: folder)
        let input = try movie.open(in: folder)
        var last: MediaSample?
        while case .sample(let track, let sample)? = try input.next() { if track == 0 { last = sample } }
        let range = try #require(last).range
        var mixed = changed
        mixed.bytes.replaceSubrange(range, with: movie.bytes[range])
        #expect(
            failure { _ = try mixed.open(in: folder).samples() }.contains(
                "the video sample at byte \(range.lowerBound) has no start codes like the first one"
            )
        )
    }
}
