import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Rotated video")
struct RotationTests {
    /// A matrix with these values of a, b, c and d.
    private static func matrix(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> [UInt8] {
        [a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30].flatMap { number in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// The matrices that ffmpeg's documentation of `display_rotation` and phones use.
    @Test(
        "keeps its matrix, and RESOLUTION is that of the displayed picture",
        arguments: [
            (matrix(0, 1, -1, 0), "rotated by 90°", true), (matrix(0, -1, 1, 0), "rotated by 270°", true),
            (matrix(-1, 0, 0, -1), "rotated by 180°", false), (matrix(-1, 0, 0, 1), "mirrored", false),
            (matrix(0, 1, 1, 0), "mirrored", true),
        ]
    )
    func rotations(matrix: [UInt8], words: String, swaps: Bool) throws {
        let folder = try ScratchFolder()
        var video = try TestTrack.clip("h264-aac.mp4")
        video.track.matrix = matrix
        let packaged = try Packaged([try video.save("phone.mp4", in: folder)], in: folder, segments: 1)
        let resolution = try #require(packaged.main.variants.first?.resolution)
        #expect([resolution.width, resolution.height] == (swaps ? [48, 64] : [64, 48]))
        #expect(packaged.report.warnings.contains { $0.contains("the picture is \(words) for display") })
        let header = try movieFile(folder.bytes("out/\(packaged.report.renditions[0].folder)/init.mp4")).movie.tracks[0]
            .header
        #expect(header.matrix == matrix)
        #expect([header.width, header.height] == [64 << 16, 48 << 16])
    }

    @Test("is refused in transport streams, which cannot signal it")
    func transportStream() throws {
        let folder = try ScratchFolder()
        var video = try TestTrack.clip("h264-aac.mp4")
        video.track.matrix = Self.matrix(0, 1, -1, 0)
        let path = try video.save("phone.mp4", in: folder)
        let message = failure {
            _ = try Packaged([path], in: folder) {
                $0.container = .ts
                $0.manifests = [.hls]
            }
        }
        #expect(
            message.contains("phone.mp4: the picture is rotated by 90° for display, which transport streams cannot")
        )
    }

    @Test(
        "with any other matrix is not rotated",
        arguments: [matrix(1, 0, 0, 1), matrix(0, 0, 0, 0), matrix(2, 0, 0, 1)]
    )
    func plain(matrix: [UInt8]) throws {
        let folder = try ScratchFolder()
        var video = try TestTrack.clip("h264-aac.mp4")
        video.track.matrix = matrix
        let track = try video.opened(in: folder).tracks[0]
        #expect(track.matrix == nil && track.notes == [] && track.width == 64)
    }
}
