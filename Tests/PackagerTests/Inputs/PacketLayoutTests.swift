import MediaFormats
import Packager
import Testing

@Suite("Packets of transport streams")
struct PacketLayoutTests {
    private static func packets(_ bytes: [UInt8], before: Int, after: Int) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 188) {
            result += [UInt8](repeating: 0x12, count: before)
            result += bytes[start..<start + 188]
            result += [UInt8](repeating: 0x34, count: after)
        }
        return result
    }

    @Test("with timestamps or checksums have the samples of the stream", arguments: [(4, 0), (0, 4), (0, 16)])
    func distances(before: Int, after: Int) throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        let expected = try MediaInputs.open(Pieces(bytes)).samples()
        let other = Self.packets(bytes, before: before, after: after)
        for sizes in [[1 << 20], [1000, 7]] {
            let input = try MediaInputs.open(Pieces(other, of: sizes))
            #expect(try input.samples() == expected && input.warnings == [])
            #expect(input.position == other.count)
        }
    }

    @Test("are found again after damage")
    func damage() throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        var other = Self.packets(bytes, before: 4, after: 0)
        other.insert(contentsOf: [UInt8](repeating: 0, count: 77), at: 192 * 60 + 4)
        let expected = try MediaInputs.open(Pieces(bytes)).samples()
        let input = try MediaInputs.open(Pieces(other))
        #expect(try input.samples().count >= expected.count - 5)
    }

    @Test("are found behind a part of a packet and behind other bytes", arguments: [1, 100, 187, 3000, 20_000])
    func start(count: Int) throws {
        let bytes = try Clip.bytes("h264-aac.ts")
        let expected = try MediaInputs.open(Pieces(bytes)).samples()
        for filler: UInt8 in [0xFF, 0x00, 0x55] {
            let input = try MediaInputs.open(Pieces([UInt8](repeating: filler, count: count) + bytes))
            #expect(input is TransportStreamInput)
            #expect(try input.samples() == expected)
        }
        // Stuffing that looks like the header of an MPEG audio frame.
        let stuffing = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0xFF, count: 50)
        let input = try MediaInputs.open(Pieces(stuffing + bytes))
        #expect(try input.samples() == expected)
    }
}
