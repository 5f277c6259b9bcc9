import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Audio with sync samples")
struct SyncFrameTests {
    @Test("is cut at the first sync sample after each cut of the video")
    func follower() throws {
        // A key frame each second; audio frames of 1/10 s, a sync sample each 1.5 s.
        let video = SegmenterTests.track(0, count: 150, duration: 1, timescale: 25, every: 25)
        let audio = SegmenterTests.track(1, count: 60, duration: 1, timescale: 10, every: 15)
        let tracks = [
            SegmenterTests.video, Segmenter.Track(isVideo: false, startsWithSync: true, name: "audio"),
        ]
        let segments = try SegmenterTests.run(tracks, SegmenterTests.merged([video, audio]), target: 2)
        #expect(segments[0] == [50, 50, 50])
        #expect(segments[1] == [30, 15, 15])
        // AAC can be cut anywhere, whatever its samples are marked as.
        let other = try SegmenterTests.run(
            [SegmenterTests.video, SegmenterTests.audio],
            SegmenterTests.merged([video, audio]),
            target: 2
        )
        #expect(other[1] == [20, 20, 20])
    }

    @Test("is xHE-AAC, and no other format")
    func formats() {
        // The configuration of a file by Fraunhofer's encoder, and AAC-LC.
        let usac: [UInt8] = [
            0xF9, 0x48, 0x24, 0x21, 0x1C, 0xC0, 0x18, 0x50, 0x00, 0x20, 0x00, 0x97, 0x08, 0x47, 0x30, 0xB0,
        ]
        #expect(Renditions.audioTrack(.aac(configuration: usac)).hasSyncFrames)
        #expect(!Renditions.audioTrack().hasSyncFrames)
        #expect(!Renditions.audioTrack(.ac3).hasSyncFrames)
    }

    @Test("in a presentation starts each segment with a sync sample")
    func presentation() throws {
        let folder = try ScratchFolder()
        let film = try PipelineFixture.path("film.mp4")
        let input = try MediaInputs.open(film)
        let audio = try #require(input.tracks.firstIndex { $0.kind == .audio })
        var samples: [MediaSample] = []
        while case .sample(let index, let sample)? = try input.next() { if index == audio { samples.append(sample) } }
        let distance = 11
        for index in samples.indices { samples[index].isSync = index.isMultiple(of: distance) }
        var track = input.tracks[audio]
        let usac: [UInt8] = [
            0xF9, 0x48, 0x24, 0x21, 0x1C, 0xC0, 0x18, 0x50, 0x00, 0x20, 0x00, 0x97, 0x08, 0x47, 0x30, 0xB0,
        ]
        track.format = .aac(configuration: usac)
        let entry = try #require(track.sampleEntry)
        var descriptor = try #require(try entry.elementaryStreamDescriptor())
        descriptor.decoderSpecificInfo = usac
        track.sampleEntry?.boxes = entry.boxes.map { $0.type == "esds" ? RawBox(descriptor) : $0 }
        let path = try TestTrack(track: track, samples: samples).save("usac.mp4", in: folder)

        let packaged = try Packaged([try Self.videoOnly(film, in: folder), path], in: folder)
        #expect(packaged.main.variants.first?.codecs.contains("mp4a.40.42") == true)
        let files = try MediaPlaylist(parsing: folder.bytes("out/audio/media.m3u8")).segments.map(\.uri)
        #expect(files.count == 3)
        for file in files {
            let movie = try folder.bytes("out/audio/init.mp4") + folder.bytes("out/audio/" + file)
            #expect(try firstSample(of: movie)?.isSync == true)
        }
    }

    private static func videoOnly(_ film: String, in folder: ScratchFolder) throws -> String {
        let input = try MediaInputs.open(film)
        let video = try #require(input.tracks.firstIndex { $0.kind == .video })
        var samples: [MediaSample] = []
        while case .sample(let index, let sample)? = try input.next() { if index == video { samples.append(sample) } }
        return try TestTrack(track: input.tracks[video], samples: samples).save("video.mp4", in: folder)
    }

    @Test("and a track that starts before the leading track is cut where that one starts")
    func earlyFollower() throws {
        let video = SegmenterTests.track(0, count: 100, duration: 1, timescale: 25, every: 25, start: 125)
        let audio = SegmenterTests.track(1, count: 90, duration: 1, timescale: 10, every: 1)
        let segments = try SegmenterTests.run(
            [SegmenterTests.video, SegmenterTests.audio],
            SegmenterTests.merged([video, audio]),
            target: 2
        )
        #expect(segments == [[50, 50], [10, 20, 20, 20, 20]])
        // Another video that starts with the first one needs no key frames before it.
        let ladder = try SegmenterTests.run(
            [SegmenterTests.video, SegmenterTests.video, SegmenterTests.audio],
            SegmenterTests.merged([
                video, SegmenterTests.track(1, count: 100, duration: 1, timescale: 25, every: 25, start: 125),
                SegmenterTests.track(2, count: 90, duration: 1, timescale: 10, every: 1),
            ]),
            target: 2
        )
        #expect(ladder == [[50, 50], [50, 50], [10, 20, 20, 20, 20]])
    }
}
