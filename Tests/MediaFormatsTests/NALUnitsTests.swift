import ByteCoding
import MediaFormats
import Testing

@Suite("NAL units")
struct NALUnitsTests {
    /// Bytes with many zeros and small numbers.
    static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in
            Int.random(in: 0..<3, using: &generator) > 0
                ? UInt8.random(in: 0...3, using: &generator) : UInt8.random(in: 0...255, using: &generator)
        }
    }

    static func escape(_ bytes: [UInt8]) -> [UInt8]? {
        write(EmulationPrevention.maximumEscapedSize(of: bytes.count)) {
            EmulationPrevention.escape(bytes.span.bytes, into: &$0)
        }
    }

    static func unescape(_ bytes: [UInt8]) -> [UInt8]? {
        write(bytes.count) { EmulationPrevention.unescape(bytes.span.bytes, into: &$0) }
    }

    static func write(_ room: Int, _ body: (inout MutableRawSpan) throws -> Int?) rethrows -> [UInt8]? {
        var output = [UInt8](repeating: 0xEE, count: room)
        var span = output.mutableSpan
        var raw = span.mutableBytes
        let count = try body(&raw)
        return count.map { Array(output[..<$0]) }
    }

    @Test("The next start code equals the result of a simple search")
    func startCodes() {
        var generator = SeededGenerator(state: 3)
        for _ in 0..<5000 {
            var bytes = Self.bytes(Int.random(in: 0...100, using: &generator), &generator)
            // Long ranges without zeros, so that all loops run.
            for index in bytes.indices where index % 50 < Int.random(in: 0...50, using: &generator) {
                bytes[index] |= 4
            }
            let from = Int.random(in: 0...bytes.count, using: &generator)
            let expected = stride(from: from, to: bytes.count - 2, by: 1).first {
                bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1
            }
            #expect(StartCode.next(in: bytes.span.bytes, from: from) == expected, "\(bytes) from \(from)")
        }
    }

    @Test("Emulation prevention bytes are inserted as the standard specifies, and removed again")
    func emulationPrevention() throws {
        #expect(Self.escape([0, 0, 0]) == [0, 0, 3, 0])
        #expect(Self.escape([0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4]) == [0, 0, 3, 1, 0, 0, 3, 2, 0, 0, 3, 3, 0, 0, 4])
        #expect(Self.escape([9, 0, 0]) == [9, 0, 0, 3])
        #expect(Self.escape([0, 0, 0, 0, 0]) == [0, 0, 3, 0, 0, 3, 0])
        #expect(Self.escape([]) == [])
        var generator = SeededGenerator(state: 4)
        for _ in 0..<5000 {
            let bytes = Self.bytes(Int.random(in: 0...90, using: &generator), &generator)
            var expected: [UInt8] = []
            var zeros = 0
            for byte in bytes {
                if zeros == 2, byte <= 3 {
                    expected.append(3)
                    zeros = 0
                }
                expected.append(byte)
                zeros = byte == 0 ? zeros + 1 : 0
            }
            if zeros == 2 { expected.append(3) }
            let escaped = Self.escape(bytes)
            #expect(escaped == expected, "\(bytes)")
            #expect(escaped.flatMap(Self.unescape) == bytes)
            #expect(StartCode.next(in: expected.span.bytes) == nil)
            // A second layer, as in SAMPLE-AES, is removed separately.
            #expect(escaped.flatMap(Self.escape).flatMap(Self.unescape) == escaped)
            // Streams without escaping are read as BitReader reads them.
            let plain = BitReaderTests.Plain(bytes).bits
            let unescaped = try #require(Self.unescape(bytes))
            #expect(BitReaderTests.Plain.bits(of: unescaped) == plain)
        }
    }

    @Test("If the output is too small, nothing is written beyond it")
    func room() throws {
        let bytes = [UInt8](repeating: 0, count: 40)
        let escaped = try #require(Self.escape(bytes))
        #expect(escaped.count == 60)
        for room in 0..<60 {
            let written = Self.write(room) { EmulationPrevention.escape(bytes.span.bytes, into: &$0) }
            #expect(written == nil)
        }
        let unescaped = Self.write(39) { EmulationPrevention.unescape(bytes.span.bytes, into: &$0) }
        #expect(unescaped == nil)
        let sample: [UInt8] = [0, 0, 0, 1, 7]
        for room in 0..<5 {
            let written = try Self.write(room) {
                try AnnexB.write(lengthPrefixed: sample.span.bytes, lengthSize: 4, into: &$0)
            }
            #expect(written == nil)
        }
    }

    @Test("Byte streams have their NAL units between start codes, without the zeros around them")
    func byteStream() {
        let stream: [UInt8] = [9, 0, 0, 0, 1, 0x67, 5, 0, 0, 0, 0, 1, 0x68, 0, 0, 1, 0, 0, 1, 0x65, 0, 0, 3, 0, 0, 0]
        var units = AnnexBNALUnits()
        var found: [[UInt8]] = []
        while let range = units.next(stream.span.bytes) { found.append(Array(stream[range])) }
        #expect(found == [[0x67, 5], [0x68], [0x65, 0, 0, 3]])
        #expect(units.next(stream.span.bytes) == nil)
        for none in [[], [0], [0, 0, 1], [1, 2, 3], [0, 0, 0, 0, 0, 0]] as [[UInt8]] {
            var units = AnnexBNALUnits()
            #expect(units.next(none.span.bytes) == nil)
        }
    }

    @Test("Samples have their NAL units after lengths", arguments: [1, 2, 4])
    func lengthPrefixed(size: Int) throws {
        let lengths = [3, 0, 200]
        var sample: [UInt8] = []
        for length in lengths {
            sample += [UInt8](repeating: 0, count: size - 1) + [UInt8(length)] + [UInt8](repeating: 7, count: length)
        }
        var units = LengthPrefixedNALUnits(lengthSize: size)
        for length in lengths { #expect(try units.next(sample.span.bytes)?.count == length) }
        #expect(try units.next(sample.span.bytes) == nil)
        let ends = [0, size + 3, 2 * size + 3, sample.count]
        for count in sample.indices {
            let cut = Array(sample[..<count])
            var units = LengthPrefixedNALUnits(lengthSize: size)
            var failed = false
            do { while try units.next(cut.span.bytes) != nil {} } catch {
                #expect(error.code == .truncated)
                failed = true
            }
            #expect(failed == !ends.contains(count), "cut to \(count)")
        }
    }

    @Test("A byte stream is converted to a sample and back", arguments: VideoFixture.h264 + VideoFixture.hevc)
    func conversion(fixture: VideoFixture) throws {
        let stream = try fixture.bytes()
        let sample = try #require(
            Self.write(AnnexB.maximumLengthPrefixedSize(of: stream.count)) {
                AnnexB.write(byteStream: stream.span.bytes, into: &$0)
            }
        )
        let units = try fixture.units()
        #expect(sample.count == units.reduce(0) { $0 + 4 + $1.count })
        let again = try Self.write(AnnexB.maximumSize(of: sample.count, lengthSize: 4)) {
            try AnnexB.write(lengthPrefixed: sample.span.bytes, lengthSize: 4, into: &$0)
        }
        let expected: [UInt8] = units.flatMap { unit -> [UInt8] in [0, 0, 0, 1] + unit }
        #expect(again == expected)
    }
}
