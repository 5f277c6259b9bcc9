import MediaFormats
import Packager
import Testing

@Suite("Times of transport streams")
struct TransportStreamTimeTests {
    /// The bytes and times of a sample, independent of the track's timescale.
    private func samples(_ remux: Remux) throws -> (samples: [ReadSample], warnings: [String]) {
        let input = try remux.open()
        return (try input.samples(), input.warnings)
    }

    @Test("are the same if timestamps wrap around, in all streams or first in one")
    func wrap() throws {
        let plain = try Remux("h264-aac.ts")
        let expected = try samples(plain).samples
        #expect(expected.count == 20 + (try Clip.packets("h264-aac.ts").filter { $0.stream == 1 }.count))
        // Video starts at 0 + 18000, audio at 13820: with these shifts, one, the other or none wraps around at the
        // start.
        for start in [-18_001, -18_000, -15_000, -13_000, -90_000, -1] as [Int64] {
            var moved = plain
            moved.shift(by: start)
            let (samples, warnings) = try samples(moved)
            #expect(samples == expected, "\(start)")
            #expect(warnings == [])
        }
        let wrapped = try TransportStreamInput(Pieces(Clip.bytes("wrap.ts")))
        // The rounding of timestamps differs by one unit.
        let found = try wrapped.samples()
        #expect(found.map(\.bytes) == expected.map(\.bytes))
        #expect(zip(found, expected).allSatisfy { abs($0.presentation - $1.presentation) <= 1 })
    }

    @Test("of pictures without timestamps are derived from the previous ones")
    func severalPicturesInAPacket() throws {
        let plain = try Remux("plain.ts")
        let expected = try samples(plain).samples
        var joined: [Remux.Packet] = []
        for (index, packet) in plain.packets.enumerated() {
            if index % 3 > 0 { joined[joined.count - 1].payload += packet.payload } else { joined.append(packet) }
        }
        let (found, warnings) = try samples(Remux(packets: joined, streams: plain.streams))
        #expect(found.count == 20)
        #expect(found.map(\.bytes) == expected.map(\.bytes))
        #expect(found == expected)
        #expect(warnings.count == 1 && warnings[0].contains("13 pictures have no timestamps"))
    }

    @Test("apply to the pictures that start in a packet, wherever packets are split", arguments: [1, 2, 3, 4, 5, 100])
    func pictureInSeveralPackets(cut: Int) throws {
        let plain = try Remux("plain.ts")
        let expected = try samples(plain).samples
        let split = plain.packets.flatMap { packet -> [Remux.Packet] in
            let place = min(cut, packet.payload.count - 1)
            // After the start code, the picture has already started.
            return [
                Remux.Packet(
                    pid: packet.pid,
                    presentation: packet.presentation,
                    decode: packet.decode,
                    payload: Array(packet.payload[..<place])
                ), Remux.Packet(pid: packet.pid, payload: Array(packet.payload[place...])),
            ]
        }
        let (found, warnings) = try samples(Remux(packets: split, streams: plain.streams))
        #expect(found.map(\.bytes) == expected.map(\.bytes))
        #expect(found == expected)
        #expect(warnings == [])
    }

    @Test("continue after a clock reset between key frames, and tracks stay in sync")
    func clockJump() throws {
        let plain = try Remux("h264-aac.ts")
        let expected = try samples(plain).samples
        for distance in [3_000_000, -40_000_000, 1 << 32] as [Int64] {
            var moved = plain
            // After the second key frame; audio changes at a different time.
            moved.shift(by: distance) { _, packet in packet.decode ?? 0 >= 100_000 }
            let (found, warnings) = try samples(moved)
            #expect(found.count == expected.count)
            #expect(Set(found.map(\.bytes)) == Set(expected.map(\.bytes)))
            for track in 0...1 {
                let ours = found.filter { $0.track == track }
                let theirs = expected.filter { $0.track == track }
                // At the transition, half a frame of audio may be lost or gained.
                #expect(zip(ours, theirs).allSatisfy { abs($0.presentation - $1.presentation) <= 512 })
            }
            #expect(warnings.count { $0.contains("timestamps are discontinuous 1 time") } == 1)
        }
    }

    @Test("extend the frame before a gap in the audio")
    func audioGap() throws {
        var remux = try Remux("h264-aac.ts")
        let plain = try samples(remux).samples.filter { $0.track == 1 }
        let place = try #require(
            remux.packets.indices.filter { remux.packets[$0].pid == Remux.audio }.dropFirst(3).first
        )
        let first = try #require(remux.packets[..<place].last { $0.pid == Remux.audio }).payload
        #expect(!first.isEmpty)
        // 9000 units are 2205 samples.
        remux.shift(by: 9000) { index, packet in index >= place && packet.pid == Remux.audio }
        let (found, warnings) = try samples(remux)
        let audio = found.filter { $0.track == 1 }
        #expect(audio.map(\.bytes) == plain.map(\.bytes))
        let gap = try #require(zip(audio, plain).first { $0.decode != $1.decode }).0.decode
        let before = try #require(audio.last { $0.decode < gap })
        #expect((3228...3230).contains(before.duration))
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $0.decode + Int64($0.duration) == $1.decode })
        #expect(audio.filter { $0.decode >= gap }.count >= 20)
        #expect(abs(try #require(audio.last).decode - (try #require(plain.last).decode) - 2205) <= 1)
        #expect(warnings.count == 1 && warnings[0].contains("PID 257 (AAC): 1 gaps"))
    }

    @Test("that overlap by more than 100 ms start a part, and no frame is lost", arguments: [-3, -5] as [Int64])
    func audioOverlap(frames: Int64) throws {
        var remux = try Remux("h264-aac.ts")
        let plain = try samples(remux).samples
        let place = try #require(
            remux.packets.indices.filter { remux.packets[$0].pid == Remux.audio }.dropFirst(3).first
        )
        // Three frames of 1024 samples are 12,539 units.
        remux.shift(by: frames * 12_539 / 3) { index, packet in index >= place && packet.pid == Remux.audio }
        let input = try remux.open()
        let parts = try input.parts()
        #expect(parts.count == 2)
        for track in 0...1 {
            let found = parts.flatMap { $0.samples.filter { $0.track == track } }
            #expect(found.map(\.bytes) == plain.filter { $0.track == track }.map(\.bytes), "track \(track)")
        }
        #expect(input.warnings == [])
    }

    @Test("that overlap by up to 100 ms are late, and no frame is lost")
    func smallAudioOverlap() throws {
        var remux = try Remux("h264-aac.ts")
        let plain = try samples(remux).samples.filter { $0.track == 1 }
        let place = try #require(
            remux.packets.indices.filter { remux.packets[$0].pid == Remux.audio }.dropFirst(3).first
        )
        remux.shift(by: -8900) { index, packet in index >= place && packet.pid == Remux.audio }
        let (found, warnings) = try samples(remux)
        #expect(found.filter { $0.track == 1 } == plain)
        #expect(warnings == [])
    }

    @Test("may be inexact: less than half an audio frame has no effect")
    func audioJitter() throws {
        var remux = try Remux("h264-aac.ts")
        let plain = try samples(remux).samples.filter { $0.track == 1 }
        for (turn, index) in remux.packets.indices.filter({ remux.packets[$0].pid == Remux.audio }).enumerated() {
            guard turn > 0 else { continue }
            remux.packets[index].presentation? += turn.isMultiple(of: 2) ? 2000 : -2000
            remux.packets[index].decode = remux.packets[index].presentation
        }
        let (found, warnings) = try samples(remux)
        #expect(found.filter { $0.track == 1 } == plain)
        #expect(warnings == [])
    }

    @Test("that do not increase cause a warning")
    func disorder() throws {
        var remux = try Remux("plain.ts")
        remux.packets[7].decode = remux.packets[6].decode
        remux.packets[7].presentation = remux.packets[6].presentation
        let (found, warnings) = try samples(remux)
        #expect(found.count == 20)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.decode < $1.decode })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.decode + Int64($0.duration) == $1.decode })
        #expect(warnings.count == 1 && warnings[0].contains("1 pictures have decode times that do not increase"))
    }
}
