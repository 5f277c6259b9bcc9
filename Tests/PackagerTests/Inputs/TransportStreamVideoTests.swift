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
        #expect(ours.map(\.bytes) == theirs.map { withoutDelimiters($0.bytes) })
        #expect(ours.map(\.isSync) == theirs.map(\.isSync))
        // The movie begins with its first picture; the stream with its audio, which has priming before that.
        let scale = Int64(movie.tracks[0].timescale)
        let shift = try #require(ours.first).presentation
        #expect(ours.map { $0.presentation - shift } == theirs.map { $0.presentation * 90_000 / scale })
        #expect(ours.map { $0.decode - shift } == theirs.map { $0.decode * 90_000 / scale })
        #expect(ours.map(\.duration) == theirs.map { UInt32(Int64($0.duration) * 90_000 / scale) })
        let track = stream.tracks[0]
        #expect(track.codecs == movie.tracks[0].codecs)
        #expect(track.width == movie.tracks[0].width && track.height == movie.tracks[0].height)
        #expect(track.displaySize == movie.tracks[0].displaySize)
        #expect(track.videoRange == movie.tracks[0].videoRange)
        #expect(stream.warnings == [])
    }

    /// NAL units behind lengths, without HEVC's delimiters.
    private func withoutDelimiters(_ sample: [UInt8]) -> [UInt8] {
        var left = sample[...]
        var result: [UInt8] = []
        while left.count >= 4 {
            let unit = left.prefix(4 + left.prefix(4).reduce(0) { $0 << 8 | Int($1) })
            if unit.dropFirst(4).first != 0x46 { result += unit }
            left = left.dropFirst(unit.count)
        }
        return result
    }

    @Test("has the times of ffprobe's list, and the first picture where its timestamp says")
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
}
