import ByteCoding
import MediaFormats
import Testing

@testable import Packager

@Suite("Parts of transport streams")
struct TransportStreamPartTests {
    /// The bytes of all samples of a kind, in order.
    private func bytes(_ parts: [(tracks: [MediaTrack], samples: [ReadSample])], _ kind: MediaTrack.Kind) -> [[UInt8]] {
        parts.flatMap { part in part.samples.filter { part.tracks[$0.track].kind == kind }.map(\.bytes) }
    }

    private func parts(_ bytes: [UInt8], of sizes: [Int] = [1 << 20]) throws -> (
        parts: [(tracks: [MediaTrack], samples: [ReadSample])], warnings: [String]
    ) {
        let input = try TransportStreamInput(Pieces(bytes, of: sizes))
        return (try input.parts(), input.warnings)
    }

    private func count(_ parts: [(tracks: [MediaTrack], samples: [ReadSample])], _ kind: MediaTrack.Kind) -> [Int] {
        parts.map { part in part.samples.count { part.tracks[$0.track].kind == kind } }
    }

    @Test(
        "start where timestamps jump, and no sample is lost",
        arguments: [90_000_000, -90_000_000, 1_800_000, -270_000, -45_000, 1 << 32] as [Int64],
        [[1 << 20], [1000, 7, 333]]
    )
    func jump(distance: Int64, sizes: [Int]) throws {
        var first = try Remux("h264-aac.ts")
        first.shift(by: 100_000_000)
        var second = first
        let end = try #require(first.packets.compactMap(\.decode).max())
        let start = try #require(first.packets.compactMap(\.decode).min())
        second.shift(by: end - start + distance)
        let whole = try parts(first.bytes()).parts
        let found = try parts(first.bytes() + second.bytes(), of: sizes)
        #expect(found.parts.count == 2)
        for kind in [MediaTrack.Kind.video, .audio] {
            #expect(bytes(found.parts, kind) == bytes(whole, kind) + bytes(whole, kind), "\(kind)")
        }
        // Each part starts at 0, with its tracks in sync.
        for part in found.parts { #expect(part.samples.map(\.presentation).min() == 0) }
        #expect(found.parts[0].samples == whole[0].samples)
        #expect(Set(found.parts[1].samples) == Set(whole[0].samples))
        #expect(found.warnings == [])
    }

    @Test("do not start where timestamps wrap around or continue")
    func continuous() throws {
        // Video only: the audio of the clip is longer than its video, and would overlap.
        let first = try Remux("plain.ts")
        var second = first
        let frames = first.packets.compactMap(\.decode)
        let length = frames[1] - frames[0] + frames[frames.count - 1] - frames[0]
        second.shift(by: length)
        #expect(try count(parts(first.bytes() + second.bytes()).parts, .video) == [2 * frames.count])
        var (early, late) = (first, second)
        early.shift(by: (1 << 33) - length)
        late.shift(by: (1 << 33) - length)
        #expect(try count(parts(early.bytes() + late.bytes()).parts, .video) == [2 * frames.count])
    }

    @Test("start where the program map lists other streams")
    func programMap() throws {
        let first = try Remux("h264-aac.ts")
        var second = first
        // The audio has another PID and another language.
        second.streams[1].pid = 0x120
        second.streams[1].descriptors = [.init(tag: TransportDescriptor.language, content: Array("DEU".utf8) + [0])]
        for index in second.packets.indices where second.packets[index].pid == Remux.audio {
            second.packets[index].pid = 0x120
        }
        var third = first
        third.streams.removeLast()
        third.packets.removeAll { $0.pid == Remux.audio }
        let whole = try parts(first.bytes()).parts
        let found = try parts(first.bytes() + second.bytes() + third.bytes())
        #expect(found.parts.map { $0.tracks.map(\.language) } == [["und", "und"], ["und", "deu"], ["und"]])
        let video = bytes(whole, .video)
        #expect(bytes(found.parts, .video) == video + video + video)
        #expect(bytes(found.parts, .audio) == bytes(whole, .audio) + bytes(whole, .audio))
        #expect(count(found.parts, .video) == [20, 20, 20])
        #expect(found.warnings == [])
    }

    @Test(
        "lose no sample wherever a read ends near a program map",
        arguments: [
            ["h264-aac", "hevc-ac3"], ["hevc-ac3", "h264-aac"], ["plain", "h264-aac"], ["h264-aac", "plain"],
        ]
    )
    func readBoundaries(clips: [String]) throws {
        let first = try Remux(clips[0] + ".ts")
        var second = try Remux(clips[1] + ".ts")
        second.shift(by: 90_000_000)
        // The first audio frames follow the first picture, whose end only the next one shows.
        second.packets.sort { ($0.decode ?? $0.presentation ?? 0) < ($1.decode ?? $1.presentation ?? 0) }
        let wanted = try [parts(first.bytes()).parts, parts(second.bytes()).parts].joined()
        let joined = first.bytes() + second.bytes()
        for packets in 0..<40 {
            let found = try parts(joined, of: [first.bytes().count + 188 * packets, joined.count])
            #expect(found.parts.count == 2 && found.warnings == [], "\(packets)")
            for kind in [MediaTrack.Kind.video, .audio] {
                let isEqual = bytes(found.parts, kind) == bytes(Array(wanted), kind)
                #expect(isEqual, "\(packets) \(kind)")
            }
        }
    }

    @Test("start at a key frame with other parameter sets, and the audio follows")
    func parameterSets() throws {
        var remux = try Remux("h264-aac.ts")
        let keys = remux.packets.indices.filter { index in
            let payload = remux.packets[index].payload
            return remux.packets[index].pid == Remux.video
                && payload.indices.dropLast(4).contains { payload[$0...].starts(with: [0, 0, 1, 0x67]) }
        }
        let whole = try parts(remux.bytes()).parts
        #expect(keys.count == 4)
        for key in keys[2...] {
            let payload = remux.packets[key].payload
            let start = try #require(
                payload.indices.dropLast(4).first { payload[$0...].starts(with: [0, 0, 1, 0x67]) }
            )
            // Another level.
            remux.packets[key].payload[start + 6] += 1
        }
        let found = try parts(remux.bytes())
        #expect(count(found.parts, .video) == [10, 10])
        #expect(bytes(found.parts, .video) == bytes(whole, .video))
        #expect(bytes(found.parts, .audio) == bytes(whole, .audio))
        #expect(Set(found.parts.map { $0.tracks[0].codecs }).count == 2)
        // The audio is divided at the time of the key frame.
        let start = try #require(found.parts[1].samples.first { $0.track == 1 }?.presentation)
        #expect(start < 1024)
        #expect(found.warnings == [])
    }

    @Test("are recognized if the tables are late, or a packet is truncated or has the same counter as the last one")
    func damagedSplices() throws {
        let bytes = try Remux("h264-aac.ts").bytes()
        let whole = try parts(bytes).parts
        let video = self.bytes(whole, .video)
        let audio = self.bytes(whole, .audio)
        // Without tables.
        let late = try parts(bytes + bytes[(2 * 188)...]).parts
        #expect(self.bytes(late, .video) == video + video && self.bytes(late, .audio) == audio + audio)
        // The first packets of the second copy follow a part of a packet.
        let truncated = try parts(bytes + bytes[..<100] + bytes).parts
        #expect(self.bytes(truncated, .video) == video + video && self.bytes(truncated, .audio) == audio + audio)
        // The end of the first copy is missing: at most its last picture, or the frames of its last audio packet.
        let cut = try parts(Array(bytes.dropLast(188)) + bytes).parts
        #expect(self.bytes(cut, .video).suffix(video.count) == video[...])
        #expect(self.bytes(cut, .audio).suffix(audio.count) == audio[...])
        // Every counter of the second copy, so that one of them equals the last one of the first copy in each stream.
        for counter in 0..<16 as Range<UInt8> {
            var second = bytes
            for place in stride(from: 0, to: second.count, by: 188) {
                second[place + 3] = second[place + 3] & 0xF0 | (second[place + 3] + counter) & 0x0F
            }
            let found = try parts(bytes + second).parts
            #expect(self.bytes(found, .video) == video + video, "counter \(counter)")
            #expect(self.bytes(found, .audio) == audio + audio, "counter \(counter)")
        }
    }

    @Test("do not start at a jump of one stream, or between key frames: the timestamps are shifted")
    func shifts() throws {
        let plain = try Remux("h264-aac.ts")
        let whole = try parts(plain.bytes()).parts
        var audio = plain
        audio.shift(by: 90_000_000) { _, packet in packet.pid == Remux.audio && packet.presentation ?? 0 >= 90_000 }
        let keys = plain.packets.filter { $0.pid == Remux.video }.enumerated().filter { $0.offset.isMultiple(of: 5) }
        var between = plain
        let time = try #require(keys[2].element.decode) + 1
        between.shift(by: 90_000_000) { _, packet in packet.decode ?? 0 >= time }
        for remux in [audio, between] {
            let found = try parts(remux.bytes())
            #expect(found.parts.count == 1)
            #expect(bytes(found.parts, .video) == bytes(whole, .video))
            #expect(bytes(found.parts, .audio) == bytes(whole, .audio))
            #expect(found.warnings.count == 1 && found.warnings[0].contains("timestamps are discontinuous 1 time"))
        }
    }

    @Test("do not start before the first key frame if reading starts shortly before a jump", arguments: [1 << 20, 188])
    func startWithoutKeyFrame(size: Int) throws {
        let whole = try Remux("h264-aac.ts")
        var tail = whole
        let keys = whole.packets.filter { $0.pid == Remux.video }.enumerated().filter { $0.offset.isMultiple(of: 5) }
        let time = try #require(keys.last?.element.decode)
        tail.packets.removeAll { $0.decode ?? 0 <= time }
        #expect(tail.packets.contains { $0.pid == Remux.video } && tail.packets.contains { $0.pid == Remux.audio })
        var second = whole
        second.shift(by: 90_000_000)
        let expected = try parts(second.bytes()).parts
        let found = try parts(tail.bytes() + second.bytes(), of: [size])
        #expect(found.parts.count == 1)
        for kind in [MediaTrack.Kind.video, .audio] {
            #expect(bytes(found.parts, kind) == bytes(expected, kind), "\(kind)")
        }
        #expect(found.warnings.count { $0.contains("starts without a key frame") } == 1)
    }

    @Test("end with the samples of streams that do not continue")
    func endOfAudio() throws {
        let first = try Remux("h264-aac.ts")
        var second = first
        second.shift(by: 90_000_000)
        second.packets.removeAll { $0.pid == Remux.audio }
        let whole = try parts(first.bytes()).parts
        let found = try parts(first.bytes() + second.bytes()).parts
        #expect(found.map { $0.tracks.map(\.kind) } == [[.video, .audio], [.video]])
        #expect(bytes(found, .video) == bytes(whole, .video) + bytes(whole, .video))
        #expect(bytes(found, .audio) == bytes(whole, .audio))
    }
}
