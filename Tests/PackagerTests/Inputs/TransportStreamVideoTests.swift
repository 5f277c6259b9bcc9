import MediaFormats
import Packager
import Testing

@Suite("Video of transport streams")
struct TransportStreamVideoTests {
    private func open(_ name: String, pieces: [Int] = [1 << 20]) throws -> TransportStreamInput {
        try TransportStreamInput(Pieces(Clip.bytes(name), of: pieces))
    }

    @Test("has the samples and times of the same encode in MP4", arguments: ["h264-aac", "hevc-ac3"])
    func sameAsMP4(name: String) throws {
        let stream = try open(name + ".ts")
        let movie = try MovieFileInput(MappedFile(path: Clip.path(name + ".mp4")))
        let ours = try stream.samples(of: 0)
        let theirs = try movie.samples(of: 0)
        #expect(ours.count == theirs.count && ours.count >= 10)
        #expect(ours.map(\.bytes) == theirs.map { withoutSets($0.bytes) })
        #expect(ours.map(\.isSync) == theirs.map(\.isSync))
        // The movie starts with its first picture; the stream with its audio, which has priming before that.
        let scale = Int64(movie.tracks[0].timescale)
        let shift = try #require(ours.first).presentation
        let start = try #require(theirs.first).presentation
        #expect(ours.map { $0.presentation - shift } == theirs.map { ($0.presentation - start) * 90_000 / scale })
        #expect(ours.map { $0.decode - shift } == theirs.map { ($0.decode - start) * 90_000 / scale })
        #expect(ours.map(\.duration) == theirs.map { UInt32(Int64($0.duration) * 90_000 / scale) })
        let track = stream.tracks[0]
        #expect(track.codecs == movie.tracks[0].codecs)
        #expect(track.width == movie.tracks[0].width && track.height == movie.tracks[0].height)
        #expect(track.displaySize == movie.tracks[0].displaySize)
        #expect(track.videoRange == movie.tracks[0].videoRange)
        #expect(stream.warnings == [])
    }

    /// Returns NAL units after length fields, without HEVC parameter sets and delimiters, which ffmpeg keeps.
    private func withoutSets(_ sample: [UInt8]) -> [UInt8] {
        var left = sample[...]
        var result: [UInt8] = []
        while left.count >= 4 {
            let unit = left.prefix(4 + left.prefix(4).reduce(0) { $0 << 8 | Int($1) })
            left = left.dropFirst(unit.count)
            var content = unit.dropFirst(4)
            guard ![0x40, 0x42, 0x44, 0x46].contains(content.first) else { continue }
            // The zero byte of the next 4-byte start code, which is not part of a NAL unit.
            while content.last == 0 { content.removeLast() }
            result += [0, 0, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        }
        return result
    }

    @Test("has the times in ffprobe's list, and the first picture at its timestamp")
    func times() throws {
        for name in ["h264-aac.ts", "hevc-ac3.ts", "wrap.ts"] {
            let packets = try Clip.packets(name)
            let origin = try #require(packets.map(\.presentation).min())
            let video = packets.filter { $0.stream == 0 }
            let stream = try open(name)
            let samples = try stream.samples(of: 0)
            #expect(samples.map(\.presentation) == video.map { $0.presentation - origin })
            #expect(samples.map(\.decode) == video.map { $0.decode - origin })
            #expect(samples.map(\.isSync) == video.map(\.isKey))
            let timing = FragmentTiming(stream.tracks[0].timing, kind: "vide", firstCompositionOffset: 18000)
            #expect(timing.editList == nil)
        }
    }

    @Test("is described by its parameter sets and SEI messages")
    func description() throws {
        let hevc = try open("hevc-ac3.ts").tracks[0]
        let entry = try #require(hevc.sampleEntry)
        #expect(entry.format == "hvc1" && entry.boxes.map(\.type) == ["hvcC", "colr", "clli", "mdcv"])
        let color = try entry.boxes[1].parse(as: ColorInformationBox.self)
        #expect(color.description == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
        let light = try entry.boxes[2].parse(as: ContentLightLevelBox.self)
        #expect(light == ContentLightLevelBox(maximum: 1000, maximumAverage: 400))
        #expect(try entry.boxes[3].parse(as: MasteringDisplayBox.self).maximumLuminance == 10_000_000)
        #expect(hevc.videoRange == .pq)
        guard case .hevc(let configuration) = hevc.format else {
            Issue.record("it is HEVC")
            return
        }
        #expect(configuration.arrays.map(\.isComplete) == [true, true, true] && configuration.lengthSize == 4)
        let h264 = try open("h264-aac.ts").tracks[0]
        #expect(h264.sampleEntry?.format == "avc1" && h264.width == 64 && h264.height == 48)
        #expect(h264.displaySize == MediaTrack.DisplaySize(width: 64 << 16, height: 48 << 16))
    }
}
