import ByteCoding
import MediaFormats
import Packager
import Testing

@Suite("Damaged transport streams")
struct TransportStreamDamageTests {
    private func read(_ bytes: [UInt8], _ sizes: [Int] = [1 << 20]) throws -> (
        samples: [ReadSample], warnings: [String]
    ) {
        let input = try TransportStreamInput(Pieces(bytes, of: sizes))
        return (try input.samples(), input.warnings)
    }

    @Test(
        "and undamaged ones yield the same samples in chunks of any size",
        arguments: ["h264-aac.ts", "wrap.ts", "plain.ts"]
    )
    func pieces(name: String) throws {
        let bytes = try Clip.bytes(name)
        let whole = try read(bytes)
        for sizes in [[1], [187], [189, 1, 2], [188], [1000, 7, 333], [65536]] {
            let inPieces = try read(bytes, sizes)
            #expect(Set(inPieces.samples) == Set(whole.samples))
            #expect(inPieces.samples.filter { $0.track == 0 } == whole.samples.filter { $0.track == 0 })
            #expect(inPieces.warnings == whole.warnings)
        }
    }

    @Test("that are truncated yield the samples before the truncation")
    func truncations() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        let whole = try read(bytes).samples.filter { $0.track == 0 }
        var counts: Set<Int> = []
        for end in stride(from: 0, to: bytes.count, by: 97) {
            guard let input = try? TransportStreamInput(Pieces(Array(bytes[..<end]))) else {
                #expect(end < 5000)
                continue
            }
            let video = try input.samples().filter { input.tracks[$0.track].kind == .video }
            counts.insert(video.count)
            // The last sample may be truncated, and has the duration of the one before.
            #expect(video.dropLast().map(\.bytes) == whole.prefix(max(0, video.count - 1)).map(\.bytes))
        }
        #expect(counts.isSuperset(of: 1...20))
    }

    @Test("are reported if a packet is missing, and not if a complete stream is joined to another one")
    func joins() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        // The continuity counters of the second stream start at 0 again.
        let end = bytes.count / 188 * 188
        #expect(try read(Array(bytes[..<end]) + bytes).warnings == [])
        let starts = stride(from: 20 * 188, to: end, by: 188)
        let inside = try #require(starts.first { bytes[$0 + 1] == 0x01 && bytes[$0 + 3] & 0x20 == 0 })
        // The last packet of a picture: the next one of the PID is the start of a unit.
        let next = try #require(
            starts.first { $0 > inside && bytes[$0 + 1] == 0x41 && bytes[$0 + 2] == bytes[inside + 2] }
        )
        let last = try #require(
            stride(from: next - 188, to: inside, by: -188)
                .first { bytes[$0 + 1] & 0x1F == 1 && bytes[$0 + 2] == bytes[next + 2] }
        )
        for place in [inside, last] {
            let warnings = try read(Array(bytes[..<place] + bytes[(place + 188)...])).warnings
            #expect(warnings.contains { $0.hasSuffix("1 transport stream packet damaged or missing") }, "\(warnings)")
        }
    }

    @Test("continue after missing and extra bytes")
    func lostBytes() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        let all = try read(bytes).samples
        let whole = Set(all.map(\.bytes))
        // Within a picture.
        let place = try #require(
            stride(from: 20 * 188, to: bytes.count, by: 188).first { start in
                bytes[start + 1] == 0x01 && bytes[start + 3] & 0x20 == 0
            }
        )
        let damages: [(name: String, bytes: [UInt8])] = [
            ("100 bytes are missing", Array(bytes[..<place] + bytes[(place + 100)...])),
            ("50 bytes too many", bytes[..<place] + [UInt8](repeating: 0x47, count: 50) + bytes[place...]),
            ("junk before it", [UInt8](repeating: 0xAA, count: 77) + bytes),
            ("a sync byte is wrong", bytes[..<place] + [0] + bytes[(place + 1)...]),
            ("an adaptation field is too long", Self.withLongField(bytes, at: place)),
        ]
        for damage in damages {
            for sizes in [[1 << 20], [188], [61]] {
                let (samples, warnings) = try read(damage.bytes, sizes)
                let kept = samples.filter { whole.contains($0.bytes) }.count
                #expect(kept >= all.count - 4, "\(damage.name)")
                #expect(damage.name.hasPrefix("junk") || !warnings.isEmpty, "\(damage.name)")
                // Bytes between two packets damage neither of them.
                let isBetween = damage.name.hasPrefix("junk") || damage.name.hasPrefix("50 bytes")
                #expect(isBetween ? kept == all.count : kept < all.count, "\(damage.name)")
            }
        }
    }

    private static func withLongField(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var bytes = bytes
        bytes[place + 3] |= 0x20
        bytes[place + 4] = 250
        return bytes
    }

    @Test("lose the pictures before the first key frame, with a warning")
    func middle() throws {
        var remux = try Remux("h264-aac.ts")
        let whole = try read(remux.bytes()).samples
        // The first of the four groups of five pictures has lost its key frame.
        remux.packets.removeFirst(remux.packets.firstIndex { $0.pid == Remux.video }! + 1)
        let (samples, warnings) = try read(remux.bytes())
        let video = samples.filter { $0.track == 0 }
        #expect(video.count == 15 && video.first?.isSync == true)
        #expect(video.map(\.bytes) == whole.filter { $0.track == 0 }.dropFirst(5).map(\.bytes))
        #expect(
            warnings.count == 1 && warnings[0].contains("PID 256 (H.264): 4 pictures are skipped because they precede")
        )
        // The first picture is half a second after the start of the audio.
        let audio = try #require(samples.first { $0.track == 1 })
        #expect(audio.presentation == 0)
        #expect(try #require(video.first).presentation == 4180 + 45_000)
    }

    @Test("lose pictures with invalid slice headers")
    func brokenSlice() throws {
        var remux = try Remux("plain.ts")
        let whole = try read(remux.bytes()).samples
        // The slice of the seventh picture references a missing picture parameter set.
        let payload = remux.packets[6].payload
        let start = try #require(payload.indices.dropLast(4).first { payload[$0...].starts(with: [0, 0, 1, 0x41]) })
        remux.packets[6].payload = payload[...(start + 3)] + [0x80, 0x01, 0x01, 0x80]
        let (samples, warnings) = try read(remux.bytes())
        #expect(samples.count == 19)
        #expect(samples.map(\.presentation) == whole.map(\.presentation).enumerated().filter { $0.0 != 6 }.map(\.1))
        #expect(samples[5].duration == 18_000)
        #expect(warnings.count == 1 && warnings[0].contains("1 damaged picture skipped"))
    }

    @Test("never crash or hang, whatever bit is flipped")
    func bitFlips() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        var state: UInt64 = 42
        var read = 0
        for _ in 0..<150 {
            var damaged = bytes
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let place = Int(state >> 33) % damaged.count
                damaged[place] ^= 1 << UInt8(state >> 20 & 7)
            }
            guard let input = try? TransportStreamInput(Pieces(damaged)) else { continue }
            guard let parts = try? input.parts() else { continue }
            read += parts.allSatisfy(\.samples.isEmpty) ? 0 : 1
            for part in parts {
                for track in part.tracks.indices {
                    let own = part.samples.filter { $0.track == track }
                    #expect(zip(own, own.dropFirst()).allSatisfy { $0.decode + Int64($0.duration) == $1.decode })
                }
            }
        }
        #expect(read > 100)
    }
}
