import MediaFormats
import Packager
import Testing

@Suite("Audio inputs")
struct AudioInputTests {
    @Test("have the frames that ffprobe lists", arguments: ["audio.aac", "audio.ac3", "audio.eac3"])
    func elementary(name: String) throws {
        let input = try MediaInputs.open(Clip.path(name))
        let packets = try Clip.packets(name)
        let samples = try input.samples()
        let header = name == "audio.aac" ? 7 : 0
        #expect(samples.count == packets.count && samples.count > 10)
        #expect(samples.map(\.bytes.count) == packets.map { $0.size - header })
        let duration: UInt32 = name == "audio.aac" ? 1024 : 1536
        #expect(samples.map(\.decode) == samples.indices.map { Int64($0) * Int64(duration) })
        #expect(samples.allSatisfy { $0.duration == duration && $0.isSync && $0.presentation == $0.decode })
        #expect(input.warnings == [])
        #expect(input.position == input.byteCount)
        let track = input.tracks[0]
        #expect(track.timescale == (name == "audio.aac" ? 22_050 : 48_000) && track.sampleRate == Int(track.timescale))
        let expected = ["audio.aac": "mp4a.40.2 1 mp4a", "audio.ac3": "ac-3 2 ac-3", "audio.eac3": "ec-3 2 ec-3"]
        #expect("\(track.codecs) \(track.channels ?? "") \(track.sampleEntry?.format ?? "    ")" == expected[name])
    }

    @Test("are the same in chunks of any size, with ID3 tags before, and with damage counted")
    func pieces() throws {
        for name in ["audio.aac", "audio.ac3", "audio.eac3"] {
            let bytes = try Clip.bytes(name)
            let whole = try MediaInputs.open(Pieces(bytes)).samples()
            for sizes in [[1], [7, 100, 3], [255]] {
                #expect(try MediaInputs.open(Pieces(bytes, of: sizes)).samples() == whole)
            }
            // A tag with 5,000 bytes of content is larger than the bytes inspected first.
            let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 39, 8] + [UInt8](repeating: 0xFF, count: 5000)
            #expect(try MediaInputs.open(Pieces(tag + bytes, of: [333])).samples() == whole)
            let half = try #require(Clip.packets(name).dropFirst(10).first.map { _ in 10 })
            let cut = try Clip.packets(name).prefix(half).reduce(0) { $0 + $1.size }
            let damaged = try MediaInputs.open(Pieces(bytes[..<cut] + [UInt8](repeating: 1, count: 50) + bytes[cut...]))
            #expect(try damaged.samples().count == whole.count)
            #expect(damaged.warnings == ["test input: 1 byte sequence skipped outside of audio frames"])
        }
    }

    @Test("whose sample rate or channels change have a part for each configuration")
    func change() throws {
        let aac = try Clip.bytes("audio.aac")
        let whole = try MediaInputs.open(Pieces(aac)).samples()
        var stereo = aac
        var offset = 0
        for packet in try Clip.packets("audio.aac") {
            stereo[offset + 3] ^= 0xC0
            offset += packet.size
        }
        for sizes in [[1 << 20], [100, 3]] {
            let input = try MediaInputs.open(Pieces(aac + stereo + aac, of: sizes))
            let parts = try input.parts()
            #expect(parts.map(\.samples.count) == [whole.count, whole.count, whole.count])
            #expect(parts.allSatisfy { $0.samples.map(\.decode) == whole.map(\.decode) })
            #expect(parts[0].tracks[0].channels != parts[1].tracks[0].channels)
            #expect(input.warnings == [])
        }
        // A single frame is regarded as damaged.
        let size = try #require(Clip.packets("audio.aac").first).size
        let damaged = try MediaInputs.open(Pieces(aac + stereo[..<size] + aac))
        #expect(try damaged.parts().map(\.samples.count) == [2 * whole.count])
        #expect(damaged.warnings.contains { $0.contains("1 frame skipped, because sample rate") })
    }

    @Test(
        "in a transport stream have the frames and times of the same encode in MP4",
        arguments: ["h264-aac", "hevc-ac3"]
    )
    func transportStream(name: String) throws {
        let stream = try TransportStreamInput(Pieces(Clip.bytes(name + ".ts")))
        let movie = try MovieFileInput(MappedFile(path: Clip.path(name + ".mp4")))
        let ours = try stream.samples(of: 1)
        let theirs = try movie.samples(of: 1)
        #expect(ours.map(\.bytes) == theirs.map(\.bytes) && ours.count > 10)
        // The first frame, which is priming, is the start of the presentation.
        #expect(ours.first?.presentation == 0)
        let shift = try #require(theirs.first).presentation
        #expect(ours.map(\.presentation) == theirs.map { $0.presentation - shift })
        let (track, other) = (stream.tracks[1], movie.tracks[1])
        #expect(track.timescale == other.timescale && track.codecs == other.codecs)
        #expect(track.channels == (name == "h264-aac" ? "1" : "2"))
        #expect(track.format == other.format || name == "h264-aac")
        #expect(track.sampleEntry?.format == other.sampleEntry?.format)
        // The offset between audio and video is that in ffprobe's list.
        let packets = try Clip.packets(name + ".ts")
        let video = try #require(packets.first { $0.stream == 0 }).presentation
        let audio = try #require(packets.first { $0.stream == 1 }).presentation
        let picture = try #require(TransportStreamInput(Pieces(Clip.bytes(name + ".ts"))).samples(of: 0).first)
        #expect(picture.presentation == video - audio)
    }

    @Test("of DVB and of ATSC are identified by descriptors and stream types")
    func kinds() throws {
        let remux = try Remux("hevc-ac3.ts")
        let audio = try #require(remux.streams.firstIndex { $0.pid == Remux.audio })
        let signals: [(TransportStreamType, [TransportDescriptor])] = [
            (.ac3, []), (.privatePES, [.init(tag: 0x6A, content: [0])]),
            (.privatePES, [.init(tag: TransportDescriptor.registration, content: Array("AC-3".utf8))]),
            (.eac3, []), (.privatePES, [.init(tag: 0x7A, content: [0])]),
        ]
        for (type, descriptors) in signals {
            var changed = remux
            changed.streams[audio].type = type
            changed.streams[audio].descriptors = descriptors
            let input = try changed.open()
            #expect(input.tracks.map(\.codecs).last == "ac-3")
            #expect(try input.samples(of: 1).count == 16)
        }
    }
}
