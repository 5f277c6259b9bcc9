import ByteCoding
import FPSCrypto
import Foundation
import MediaFormats
import Testing

@testable import StreamValidation

/// The frames are ffmpeg's, in which metadata are inserted that were put together from the syntax of the standard.
@Suite("Loudness in AAC frames")
struct AACLoudnessTests {
    /// A sequence of bits.
    struct Bits {
        var values: [UInt8] = []

        init(_ fields: [(value: Int, width: Int)] = []) {
            for (value, width) in fields {
                values += stride(from: width - 1, through: 0, by: -1).map { UInt8(value >> $0 & 1) }
            }
        }

        init(_ bytes: [UInt8]) { self.init(bytes.map { (Int($0), 8) }) }

        var bytes: [UInt8] {
            stride(from: 0, to: values.count, by: 8).map { start in
                (0..<8).reduce(0) { $0 << 1 | (start + $1 < values.count ? values[start + $1] : 0) }
            }
        }
    }

    /// The raw data blocks of a stereo stream.
    private static func blocks() throws -> [[UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "MediaFormatsTests/Fixtures/Audio")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "stereo.aac")))
        var blocks: [[UInt8]] = []
        var position = 0
        while position < bytes.count {
            let rest = Array(bytes[position...])
            let header = try ADTSHeader(rest.span.bytes)
            blocks.append(Array(rest[header.payload]))
            position += header.frameLength
        }
        return blocks
    }

    /// Returns a block with elements before its end.
    private static func appending(_ elements: Bits, to block: [UInt8]) throws -> [UInt8] {
        var bits = Bits(block).values
        let end = try #require(bits.lastIndex(of: 1)) - 2
        bits.removeSubrange(end...)
        var result = Bits()
        result.values = bits + elements.values + [1, 1, 1]
        return result.bytes
    }

    private static func inspect(_ blocks: [[UInt8]], channels: UInt8 = 2) -> StreamLoudness {
        var loudness = StreamLoudness()
        for block in blocks { loudness.add(AACLoudness(block.span.bytes, channelConfiguration: channels)) }
        return loudness
    }

    /// dynamic_range_info() with one band, and prog_ref_level.
    private static func level(_ value: Int) -> Bits {
        Bits([(6, 3), (3, 4), (11, 4), (0, 1), (0, 1), (0, 1), (1, 1), (value, 7), (0, 1), (0, 8)])
    }

    @Test("Frames of ffmpeg have none")
    func none() throws {
        let loudness = Self.inspect(try Self.blocks())
        #expect(loudness.presence == .absent && loudness.programReferenceLevel == nil && loudness.frameCount > 5)
        #expect(Self.inspect(try Self.blocks(), channels: 6).presence == .unknown)
        #expect(StreamLoudness().presence == .unknown)
    }

    @Test("A level after the channels is found, with other elements after it", arguments: 0..<5)
    func after(variant: Int) throws {
        // Nothing; a fill element of 20 bytes; one without bytes; a data stream element of 3 bytes; the level in a payload
        // before another one.
        let others: [[(value: Int, width: Int)]] = [
            [], [(6, 3), (15, 4), (6, 8)] + Array(repeating: (0x5A, 8), count: 20), [(6, 3), (0, 4)],
            [(4, 3), (0, 4), (0, 1), (3, 8), (1, 8), (2, 8), (3, 8)], [],
        ]
        var elements = Self.level(92)
        elements.values += Bits(others[variant]).values
        if variant == 4 {
            elements = Bits([
                (6, 3), (15, 4), (1, 8), (11, 4), (0, 3), (1, 1), (92, 7), (0, 1), (0, 8), (13, 4), (0, 92),
            ])
        }
        let blocks = try Self.blocks().map { try Self.appending(elements, to: $0) }
        let loudness = Self.inspect(blocks)
        #expect(loudness.programReferenceLevel == 92 && loudness.presence == .present)
        #expect(Self.inspect(blocks, channels: 6).presence == .present)
    }

    @Test("A level with every optional field is found, and none without its flag")
    func fields() throws {
        // A program tag, two bytes of excluded channels, three bands, the level, and three gains.
        let all: [(value: Int, width: Int)] = [
            (6, 3), (12, 4), (11, 4), (1, 1), (0x30, 8), (1, 1), (0x01, 8), (0x02, 8), (1, 1), (2, 4), (0, 4), (1, 8),
            (2, 8), (3, 8), (1, 1), (127, 7), (0, 1), (0x81, 8), (0x82, 8), (0x83, 8),
        ]
        #expect(
            Self.inspect(try Self.blocks().map { try Self.appending(Bits(all), to: $0) }).programReferenceLevel == 127
        )
        let without = Bits([(6, 3), (2, 4), (11, 4), (0, 4), (0x81, 8)])
        #expect(Self.inspect(try Self.blocks().map { try Self.appending(without, to: $0) }).presence == .absent)
    }

    @Test("A level before the channels is found")
    func before() throws {
        let blocks = try Self.blocks().map { block in
            var bits = Self.level(64)
            bits.values += Bits(block).values
            return bits.bytes
        }
        #expect(Self.inspect(blocks).programReferenceLevel == 64)
    }

    @Test("A set of loudnessInfo() is found in some of the frames, and a uniDrc() without one does not count")
    func information() throws {
        let set = Bits([(6, 3), (2, 4), (4, 4), (1, 1), (1, 1), (0, 10)])
        let blocks = try Self.blocks()
        let some = try blocks.enumerated().map { $0 % 10 == 0 ? try Self.appending(set, to: $1) : $1 }
        #expect(Self.inspect(some).presence == .present && Self.inspect(some).hasInformation)
        let without = Bits([(6, 3), (2, 4), (4, 4), (0, 12)])
        #expect(Self.inspect(try blocks.map { try Self.appending(without, to: $0) }).presence == .absent)
    }

    @Test("Random blocks have no level that counts")
    func random() {
        var random = SeededRandom(seed: 35)
        let blocks = (0..<2000).map { _ in
            (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &random) } + [0x01, 0xC0]
        }
        let loudness = Self.inspect(blocks)
        #expect(loudness.programReferenceLevel == nil && !loudness.hasInformation)
    }

    @Test("A block can end at any byte without a crash, and then proves nothing")
    func truncation() throws {
        let block = try Self.appending(Self.level(92), to: try #require(try Self.blocks().last))
        for count in block.indices {
            let cut = Array(block.prefix(count))
            _ = AACLoudness(cut.span.bytes, channelConfiguration: 2)
        }
        let empty: [UInt8] = []
        #expect(!AACLoudness(empty.span.bytes, channelConfiguration: 2).isConclusive)
        for byte in UInt8.min ... .max {
            let bytes = [UInt8](repeating: byte, count: 40)
            _ = AACLoudness(bytes.span.bytes, channelConfiguration: 2)
        }
    }

    @Test("Only the first frames of a segment are inspected, and frames with several blocks are left out")
    func frames() throws {
        var loudness = StreamLoudness()
        let block = try #require(try Self.blocks().first)
        for _ in 0..<100 { loudness.inspect(aac: block.span.bytes, channelConfiguration: 2) }
        #expect(loudness.frameCount == StreamLoudness.framesPerSegment)
        var frames = StreamLoudness()
        // Stereo of 48 kHz, 8 bytes long, with one block and with two.
        for last in [0xFC, 0xFD] as [UInt8] {
            let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x1F, last, 0xE0]
            frames.inspect(adts: frame.span.bytes)
        }
        #expect(frames.frameCount == 1)
    }

    @Test("A dialnorm of 0 does not count, and values that change are not compared")
    func dialog() {
        var loudness = StreamLoudness()
        loudness.add(dialogNormalization: 0)
        #expect(loudness.presence == .absent && loudness.dialogNormalization == nil)
        var other = StreamLoudness()
        other.add(dialogNormalization: 24)
        #expect(other.presence == .present && other.dialogNormalization == 24)
        loudness.add(other)
        #expect(loudness.presence == .present && loudness.dialogNormalization == nil && loudness.frameCount == 2)
    }
}
