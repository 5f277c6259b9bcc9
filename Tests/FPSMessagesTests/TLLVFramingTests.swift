import ByteCoding
import FPSMessages
import Testing

@Suite("TLLV format")
struct TLLVFramingTests {
    private func error(_ payload: [UInt8]) -> ParseError? {
        parseError { () throws(ParseError) in _ = try TLLVSequence(parsing: payload) }
    }

    private func block(tag: UInt64 = 7, block: UInt32, value: UInt32, body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(tag)
        writer.write(block)
        writer.write(value)
        writer.write(body)
        return writer.bytes
    }

    @Test("A payload and a value can be empty")
    func empty() throws {
        #expect(try TLLVSequence(parsing: []).isEmpty)
        let blocks = try TLLVSequence(parsing: block(block: 0, value: 0, body: []))
        #expect(blocks.count == 1)
        #expect(blocks[0].value.isEmpty && blocks[0].padding.isEmpty)
        #expect(!blocks[0].hasUniformPadding)
    }

    @Test("Unknown blocks keep their exact bytes, including padding")
    func unknown() throws {
        let payload =
            block(tag: 1, block: 16, value: 3, body: bytes(16)) + block(tag: 2, block: 32, value: 0, body: bytes(32))
        let blocks = try TLLVSequence(parsing: payload)
        #expect(blocks.encoded == payload)
        #expect(Array(blocks[1].padding) == bytes(32))
        #expect(blocks[1].offset == 32)
        #expect(blocks[TLLVTag(rawValue: 1)]?.value.count == 3)
    }

    @Test("Each rule of Table 2-2 has a separate error with the offset of the field")
    func rules() {
        let first = block(tag: 1, block: 16, value: 16, body: bytes(16))
        let cases: [([UInt8], ParseError.Code, Int)] = [
            (block(block: 15, value: 1, body: bytes(15)), .lengthNotMultipleOf16, 8),
            (block(block: 16, value: 17, body: bytes(16)), .valueLongerThanBlock, 12),
            (block(block: 32, value: 1, body: bytes(16)), .truncated, 16),
            (block(block: 0xffff_fff0, value: 1, body: bytes(16)), .truncated, 16),
            (block(block: 0xffff_fff0, value: 0xffff_ffff, body: []), .valueLongerThanBlock, 12),
            (block(block: 0xffff_ffff, value: 0xffff_ffff, body: []), .lengthNotMultipleOf16, 8),
            (first + first, .duplicateTag, 32),
            (first + [0], .truncated, 32),
        ]
        for (payload, code, offset) in cases {
            let found = error(payload)
            #expect(found?.code == code)
            #expect(found?.offset == offset)
        }
    }

    @Test("Every truncation fails, except between blocks")
    func truncations() {
        let payload = Samples.spcPayload
        var boundaries: Set<Int> = [0]
        var random = SplitMix64()
        for content in Samples.mandatoryInSPC + Samples.optionalInSPC {
            boundaries.insert(boundaries.max()! + content.block(using: &random).encoded.count)
        }
        for count in 0..<payload.count where !boundaries.contains(count) {
            #expect(error(Array(payload.prefix(count)))?.code == .truncated, "\(count) bytes")
        }
    }

    @Test("Uniform padding is detected, but not refused", arguments: [UInt8(0x00), 0xff])
    func uniformPadding(filler: UInt8) throws {
        let payload = block(block: 16, value: 3, body: bytes(3) + [UInt8](repeating: filler, count: 13))
        #expect(try TLLVSequence(parsing: payload)[0].hasUniformPadding)
    }

    @Test("New padding is never uniform, even with uniform random bytes")
    func paddingIsDrawnAgain() {
        struct StartsUniform: RandomNumberGenerator {
            var words: [UInt64] = [0, .max, 0x0101]
            mutating func next() -> UInt64 { words.isEmpty ? 5 : words.removeFirst() }
        }
        var random = StartsUniform()
        let block = TLLV(tag: .r2, value: bytes(15), using: &random)
        #expect(Array(block.padding) == [0x01])
        #expect(random.words.isEmpty)
    }
}
