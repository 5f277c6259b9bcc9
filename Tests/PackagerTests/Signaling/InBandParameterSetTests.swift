import ByteCoding
import MediaFormats
import Testing

@testable import Packager

@Suite("Parameter sets in samples")
struct InBandParameterSetTests {
    /// HEVC whose key frames begin with all parameter sets, as hev1.
    private static func hevc() throws -> TestTrack {
        var video = try TestTrack.clip("hevc-ac3.mp4")
        video.track.sampleEntry?.format = "hev1"
        return video
    }

    private static func types(_ units: [[[UInt8]]]) -> Set<UInt8> { Set(units.flatMap { $0.map { $0[0] >> 1 & 63 } }) }

    @Test("that equal those of the configuration are removed: hev1 becomes hvc1", arguments: [false, true])
    func equal(isPiped: Bool) throws {
        let folder = try ScratchFolder()
        let video = try Self.hevc()
        let before = try MediaInputs.open(Clip.path("hevc-ac3.mp4")).units()
        #expect(Self.types(before).isSuperset(of: [32, 33, 34]))
        let input: any MediaInput = isPiped ? try video.piped() : try video.opened(in: folder)
        let track = input.tracks[0]
        #expect(track.sampleEntry?.format == "hvc1" && track.codecs.hasPrefix("hvc1.2.4."))
        let configuration = try #require(track.hevc)
        #expect(configuration.arrays.prefix(3).allSatisfy { $0.isComplete && $0.units.count == 1 })
        let box: HEVCConfigurationBox? = try track.sampleEntry?.boxes.first("hvcC")?.parse(
            as: HEVCConfigurationBox.self
        )
        #expect(box == configuration)
        // Nothing but the parameter sets is removed.
        #expect(try input.units() == before.map { $0.filter { !(32...34).contains($0[0] >> 1 & 63) } })
        #expect(input.warnings == [] && track.notes == [])
    }

    @Test("that the configuration lacks are moved to it")
    func missing() throws {
        let folder = try ScratchFolder()
        var video = try Self.hevc()
        var configuration = try #require(video.track.hevc)
        let complete = configuration
        configuration.arrays = []
        video.track.format = .hevc(configuration)
        let boxes = video.track.sampleEntry?.boxes ?? []
        video.track.sampleEntry?.boxes = boxes.map { $0.type == "hvcC" ? RawBox(configuration) : $0 }
        let track = try video.opened(in: folder).tracks[0]
        #expect(track.sampleEntry?.format == "hvc1")
        let found = try #require(track.hevc)
        for type in [HEVCNALUnitType.videoParameterSet, .sequenceParameterSet, .pictureParameterSet] {
            #expect(found.units(type) == complete.units(type))
        }
        // A stream cannot be read ahead.
        let piped = try video.piped().tracks[0]
        #expect(piped.sampleEntry?.format == "hev1")
        #expect(piped.notes.contains { $0.contains("are only in the samples") && $0.contains("Apple") })
    }

    @Test("of H.264 likewise: avc3 becomes avc1")
    func avc3() throws {
        let folder = try ScratchFolder()
        var video = try TestTrack.clip("h264-aac.mp4")
        video.track.sampleEntry?.format = "avc3"
        let configuration = try #require(video.track.h264)
        let before = try MediaInputs.open(Clip.path("h264-aac.mp4")).units()
        var sets: [UInt8] = []
        for set in configuration.sequenceParameterSets + configuration.pictureParameterSets {
            sets += [0, 0, 0, UInt8(set.count)] + set
        }
        let isSync = video.samples.map(\.isSync)
        video.change { index, bytes in isSync[index] ? sets + bytes : bytes }
        for input in [try video.opened(in: folder), try video.piped()] as [any MediaInput] {
            #expect(input.tracks[0].sampleEntry?.format == "avc1" && input.tracks[0].codecs.hasPrefix("avc1."))
            #expect(try input.units() == before)
        }
    }

    @Test("that change are kept in a file, with a note, and start a part of a stream")
    func changed() throws {
        let folder = try ScratchFolder()
        var video = try Self.hevc()
        // Another value of the reserved level byte in the last VPS.
        let last = try #require(video.samples.lastIndex { $0.isSync })
        video.change { index, bytes in
            guard index == last, let place = Self.range(of: 32, in: bytes) else { return bytes }
            var bytes = bytes
            bytes[place.lowerBound + 18] ^= 3
            return bytes
        }
        let file = try video.opened(in: folder)
        #expect(file.tracks[0].sampleEntry?.format == "hev1" && file.tracks[0].codecs.hasPrefix("hev1."))
        #expect(
            file.tracks[0].notes == [
                "the sample entry hev1 is kept, because the parameter sets change within the video, but Apple's devices "
                    + "do not play it: encode the video again with one configuration, for example with ffmpeg and "
                    + "-tag:v hvc1"
            ]
        )
        #expect(Self.types(try file.units()).isSuperset(of: [32, 33, 34]))

        // In a stream, a part starts where they change, with the new sets in its configuration.
        let parts = try video.piped().parts()
        try #require(parts.count == 2)
        #expect(parts[0].samples.count == last && parts[1].samples.count == video.samples.count - last)
        #expect(parts.allSatisfy { $0.tracks[0].sampleEntry?.format == "hvc1" })
        let levels = try parts.map { part in
            let configuration = try #require(part.tracks[0].hevc)
            return try #require(configuration.units(.videoParameterSet).first)[18]
        }
        #expect(levels[0] ^ levels[1] == 3)
        #expect(try Self.types(video.piped().units()).isDisjoint(with: [32, 33, 34]))
    }

    private static func range(of type: UInt8, in sample: [UInt8]) -> Range<Int>? {
        var units = LengthPrefixedNALUnits(lengthSize: 4)
        while let range = try? units.next(sample.span.bytes) {
            if sample[range.lowerBound] >> 1 & 63 == type { return range }
        }
        return nil
    }
}
