import FPSCrypto
import Testing

@testable import StreamValidation

@Suite("Decrypted bytes are tested")
struct FrameSyntaxTests {
    @Test("Random bytes have the syntax of AAC in at most 2 of 100 cases", arguments: [1, 2, 6] as [UInt8])
    func randomBlocks(channels: UInt8) throws {
        let syntax = try #require(AACBlockSyntax(objectType: 2, frequencyIndex: 3, channelConfiguration: channels))
        var random = SeededRandom(seed: 35)
        let count = (0..<20_000).count { _ in
            syntax.matches((0..<300).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        }
        #expect((1...400).contains(count), "\(count)")
    }

    @Test("Only the object types with this syntax are tested")
    func objectTypes() {
        for type in [5, 29, 42] as [UInt8] {
            #expect(AACBlockSyntax(objectType: type, frequencyIndex: 3, channelConfiguration: 2) == nil)
        }
        #expect(AACBlockSyntax(objectType: 2, frequencyIndex: 13, channelConfiguration: 2) == nil)
    }

    @Test("A block can end at any byte without a crash")
    func truncation() throws {
        let syntax = try #require(AACBlockSyntax(objectType: 2, frequencyIndex: 3, channelConfiguration: 2))
        for byte in UInt8.min ... .max {
            for count in 0..<4 { _ = syntax.matches([UInt8](repeating: byte, count: count)) }
            _ = AACBlockSyntax.hasEnd([byte])
        }
        #expect(!syntax.matches([]) && !AACBlockSyntax.hasEnd([]))
    }

    @Test("A frame ends with three 1 bits and fewer than eight 0 bits")
    func ends() {
        for (bytes, isEnd) in [
            ([0x00, 0x07], true), ([0x00, 0xE0], true), ([0x01, 0xC0], true), ([0x03, 0x80], true),
            ([0x00, 0xC0], false),
            ([0x01, 0x80], false), ([0xFF, 0x00], false), ([0x00, 0x06], false),
        ] as [([UInt8], Bool)] {
            #expect(AACBlockSyntax.hasEnd(bytes) == isEnd, "\(bytes)")
        }
    }

    @Test("Byte sequences that no NAL unit contains are found")
    func byteRuns() {
        for bytes in [[0x65, 0, 0, 0, 1], [0x65, 0, 0, 1], [0x65, 0, 0, 2, 9], [0x65, 1, 0]] as [[UInt8]] {
            #expect(NALByteRuns.isIllegal(bytes), "\(bytes)")
        }
        for bytes in [[], [0x65, 0, 0, 3], [0x65, 0, 0, 3, 0, 1], [0x65, 0, 1, 0, 2], [0x65, 0, 0, 4]] as [[UInt8]] {
            #expect(!NALByteRuns.isIllegal(bytes), "\(bytes)")
        }
    }
}
