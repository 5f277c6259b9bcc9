import DRMSignaling
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Stereo and projected video")
struct StereoVideoTests {
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(8 + content.count)] + Array(type.utf8) + content
    }

    private static func eyes(_ views: UInt8) -> [UInt8] { box("eyes", box("stri", [0, 0, 0, 0, views])) }
    private static func projection(_ kind: String) -> [UInt8] {
        box("proj", box("prji", [0, 0, 0, 0] + Array(kind.utf8)))
    }

    /// Video with two layers: each slice is repeated in layer 1, as a second view would be.
    private static func stereo(usage: [UInt8]? = eyes(3)) throws -> TestTrack {
        var video = try TestTrack.clip("hevc-ac3.ts")
        video.add("lhvC", [1, 0xF0, 0, 0xFC, 0xC7, 0])
        if let usage { video.add("vexu", usage) }
        video.change { _, bytes in
            var units = LengthPrefixedNALUnits(lengthSize: 4)
            var result = bytes
            while let range = try? units.next(bytes.span.bytes) {
                guard bytes[range.lowerBound] >> 1 < 32 else { continue }
                var unit = Array(bytes[range.lowerBound - 4..<range.upperBound])
                unit[5] |= 8
                result += unit
            }
            return result
        }
        return video
    }

    @Test(
        "is signaled by REQ-VIDEO-LAYOUT",
        arguments: [
            (eyes(3), ["CH-STEREO"]), (eyes(1), []), (projection("equi"), ["PROJ-EQUI"]), (projection("rect"), []),
            (eyes(3) + projection("hequ"), ["CH-STEREO/PROJ-HEQU"]), ([], []), ([0, 0, 0, 99], []),
        ] as [([UInt8], [String])]
    )
    func layouts(usage: [UInt8], layout: [String]) throws {
        #expect(try Self.stereo(usage: usage).track.videoLayout == layout)
    }

    @Test("that is clear is packaged with both layers, in a playlist of version 12")
    func clear() throws {
        let folder = try ScratchFolder()
        let video = try Self.stereo()
        let packaged = try Packaged([try video.save("spatial.mp4", in: folder)], in: folder)
        #expect(packaged.main.variants.map(\.requiredVideoLayout) == [["CH-STEREO"]])
        #expect(packaged.main.iFrameVariants.map(\.requiredVideoLayout) == [["CH-STEREO"]])
        #expect(packaged.main.version == 12)
        let name = packaged.report.renditions[0].folder
        let written = try folder.files("out/" + name).filter { $0.hasSuffix(".m4s") }.flatMap {
            try folder.bytes("out/\(name)/\($0)")
        }
        let file = try folder.bytes("out/\(name)/init.mp4") + written
        #expect(try samples(of: file, kind: "vide").map(\.bytes) == video.samples.indices.map(video.bytes))
        #expect(try movieFile(file).movie.tracks[0].descriptions[0].boxes.first("lhvC") != nil)
    }

    @Test("is refused if it is to be encrypted, with advice", arguments: [TrackProtection.Scheme.cbcs, .cenc])
    func encrypted(scheme: TrackProtection.Scheme) throws {
        let folder = try ScratchFolder()
        let path = try Self.stereo().save("spatial.mp4", in: folder)
        let keys = try PipelineFixture.job([], to: folder.path, scheme: scheme)
        let counters = try keys.keys.withRandomIVs()
        let message = failure {
            _ = try Packaged([path], in: folder) {
                ($0.scheme, $0.systems) = (scheme, [.widevine])
                $0.keys = scheme == .cenc ? counters : keys.keys
            }
        }
        #expect(
            message.contains(
                "spatial.mp4: the video has a second HEVC layer (MV-HEVC), whose slices cannot be encrypted with "
                    + "\(scheme.rawValue): use the scheme aes-128, which encrypts whole segments, or leave the video "
                    + "clear with policy=clear"
            )
        )
        #expect(folder.files("out") == [])
    }

    @Test("without a vexu box plays with one view, with a note")
    func undescribed() throws {
        let folder = try ScratchFolder()
        let track = try Self.stereo(usage: nil).opened(in: folder).tracks[0]
        #expect(track.videoLayout == [] && track.notes.contains { $0.contains("no vexu box") })
    }
}
