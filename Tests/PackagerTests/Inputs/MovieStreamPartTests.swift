import Foundation
import MediaFormats
import Packager
import Testing

@Suite("Parts of MP4 files from a pipe")
struct MovieStreamPartTests {
    private func parts(_ bytes: [UInt8], of sizes: [Int] = [1 << 20]) throws -> [(
        tracks: [MediaTrack], samples: [ReadSample]
    )] {
        try MovieStreamInput(Pieces(bytes, of: sizes)).parts()
    }

    @Test("start where the times jump, and no sample is lost", arguments: [[1 << 20], [1000, 7]])
    func jump(sizes: [Int]) throws {
        let bytes = try Clip.bytes("h264-aac-fragmented.mp4")
        let whole = try parts(bytes)
        // The second copy, with the same moov box, starts at 0 again.
        let found = try parts(bytes + bytes, of: sizes)
        #expect(whole.count == 1 && found.count == 2)
        for part in found {
            #expect(Set(part.samples) == Set(whole[0].samples))
            for track in 0...1 {
                let own = part.samples.filter { $0.track == track }
                #expect(own == whole[0].samples.filter { $0.track == track })
            }
        }
    }

    @Test("start with a moov box that describes other tracks")
    func otherTracks() throws {
        let first = try Clip.bytes("h264-aac-fragmented.mp4")
        let path = try PipelineFixture.path("fragmented.mp4")
        let second = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let expected = [try parts(first)[0], try parts(second)[0], try parts(first)[0]]
        let found = try parts(first + second + first)
        #expect(found.count == 3)
        for (own, other) in zip(found, expected) {
            #expect(own.tracks.map(\.codecs) == other.tracks.map(\.codecs))
            for track in own.tracks.indices {
                let samples = own.samples.filter { $0.track == track }
                #expect(samples.map(\.bytes) == other.samples.filter { $0.track == track }.map(\.bytes))
            }
        }
    }
}
