import DASHManifest
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Dolby Vision")
struct DolbyVisionTests {
    /// HDR10 video with a Dolby Vision configuration of level 1.
    private static func video(_ profile: UInt8, _ compatibility: UInt8, entry: FourCC) throws -> TestTrack {
        var video = try TestTrack.clip("hevc-ac3.ts")
        let configuration = DolbyVisionConfigurationBox(
            profile: profile,
            level: 1,
            baseLayerCompatibility: compatibility
        )
        video.add(configuration.boxType, RawBox(configuration).content)
        video.track.sampleEntry?.format = entry
        return video
    }

    /// The table in the appendixes of Apple's HLS authoring specification.
    @Test(
        "is signaled by profile, whatever the sample entry of the input is",
        arguments: [
            (5, 0, "dvh1", "dvh1.05.01", nil, "PQ", ["dby1"]), (20, 0, "dvh1", "dvh1.20.01", nil, "PQ", ["dby1"]),
            (8, 1, "hvc1", "hvc1.2.", "dvh1.08.01/db1p", "PQ", ["dby1", "db1p"]),
            (8, 2, "hvc1", "hvc1.2.", "dvh1.08.01/db2g", "SDR", ["dby1", "db2g"]),
            (8, 4, "hvc1", "hvc1.2.", "dvh1.08.01/db4h", "HLG", ["dby1", "db4h"]),
            (7, 6, "hvc1", "hvc1.2.", nil, "PQ", []),
        ] as [(UInt8, UInt8, FourCC, String, String?, String, [FourCC])],
        ["hvc1", "hev1", "dvh1", "dvhe"] as [FourCC]
    )
    func profiles(
        row: (UInt8, UInt8, FourCC, String, String?, String, [FourCC]),
        entry: FourCC
    ) throws {
        let folder = try ScratchFolder()
        let video = try Self.video(row.0, row.1, entry: entry)
        let track = try #require(try video.opened(in: folder).tracks.first)
        #expect(track.sampleEntry?.format == row.2)
        #expect(track.codecs.hasPrefix(row.3))
        #expect(track.supplementalCodecs == row.4.map { [$0] } ?? [])
        #expect(track.videoRange?.rawValue == row.5)
        #expect(track.brands == row.6)
        #expect(track.notes.contains { $0.contains("profile 7") } == (row.0 == 7))
    }

    @Test("with a displayable base layer is supplemental in playlists, manifest and brands")
    func supplemental() throws {
        let folder = try ScratchFolder()
        let input = try Self.video(8, 4, entry: "dvhe").save("film.mp4", in: folder)
        let packaged = try Packaged([input], in: folder)
        let variant = try #require(packaged.main.variants.first)
        #expect(variant.codecs.first?.hasPrefix("hvc1.2.4.") == true)
        #expect(variant.supplementalCodecs == ["dvh1.08.01/db4h"] && variant.videoRange == .hlg)
        let iFrames = try #require(packaged.main.iFrameVariants.first)
        #expect(iFrames.supplementalCodecs == variant.supplementalCodecs && iFrames.videoRange == .hlg)

        let manifest = try MPD(folder.bytes("out/main.mpd"))
        let representation = try #require(manifest.periods.first?.adaptationSets.first?.representations.first)
        #expect(representation.codecs == variant.codecs.first)
        #expect(representation.supplementalCodecs == "dvh1.08.01" && representation.supplementalProfiles == "db4h")
        // The attributes of Shaka Packager and of the DASH-IF test vectors.
        let text = try packaged.text("main.mpd")
        #expect(text.contains(#"xmlns:scte214="urn:scte:dash:scte214-extensions""#))
        #expect(text.contains(#"scte214:supplementalCodecs="dvh1.08.01" scte214:supplementalProfiles="db4h""#))

        let file = try movieFile(folder.bytes("out/\(packaged.report.renditions[0].folder)/init.mp4"))
        #expect(file.fileType?.compatibleBrands.suffix(2) == ["dby1", "db4h"])
        #expect(file.movie.tracks.first?.descriptions.first?.format == "hvc1")
    }

    @Test("is kept when the video is encrypted")
    func encrypted() throws {
        let folder = try ScratchFolder()
        let input = try Self.video(5, 0, entry: "hvc1").save("film.mp4", in: folder)
        let keys = try PipelineFixture.job([], to: folder.path, scheme: .cbcs)
        let packaged = try Packaged([input], in: folder) {
            $0.manifests = [.hls]
            ($0.scheme, $0.systems, $0.keys) = (.cbcs, keys.systems, keys.keys)
        }
        #expect(packaged.main.variants.first?.codecs == ["dvh1.05.01"])
        let entry = try movieFile(folder.bytes("out/\(packaged.report.renditions[0].folder)/init.mp4")).movie.tracks[0]
            .descriptions[0]
        #expect(entry.format == "encv" && entry.originalFormat == "dvh1")
        #expect(entry.boxes.first("dvcC") != nil)
    }

    @Test("without a configuration is signaled as HEVC, with a note")
    func unlabeled() throws {
        let folder = try ScratchFolder()
        var video = try TestTrack.clip("hevc-ac3.ts")
        video.track.sampleEntry?.format = "dvh1"
        let track = try #require(try video.opened(in: folder).tracks.first)
        #expect(track.sampleEntry?.format == "hvc1" && track.codecs.hasPrefix("hvc1."))
        #expect(track.notes.contains { $0.contains("has no configuration box") })
    }

    @Test("of a transport stream is read from its descriptor, also if the stream is private")
    func transportStream() throws {
        var remux = try Remux("hevc-ac3.ts")
        // Version 1.0, profile 5 (0000101), level 1 (000001), RPU and base layer; compatibility 0.
        let registration = TransportDescriptor(tag: TransportDescriptor.registration, content: Array("DOVI".utf8))
        let content: [UInt8] = [1, 0, 0b0000_1010, 0b0000_1101, 0x00]
        remux.streams[0].type = .privatePES
        remux.streams[0].descriptors = [registration, TransportDescriptor(tag: 0xB0, content: content)]
        let track = try #require(try remux.open().tracks.first)
        #expect(track.codecs == "dvh1.05.01" && track.videoRange == .pq)
        #expect(track.sampleEntry?.format == "dvh1" && track.dolbyVision?.hasMetadata == true)

        remux.streams[0].type = .hevc
        remux.streams[0].descriptors = [
            TransportDescriptor(tag: 0xB0, content: [1, 0, 0b0001_0000, 0b0000_1101, 0x40])
        ]
        let other = try #require(try remux.open().tracks.first)
        #expect(other.codecs.hasPrefix("hvc1.2.") && other.supplementalCodecs == ["dvh1.08.01/db4h"])
    }
}
