import ByteCoding
import MediaFormats
import Testing

@Suite("BitReader")
struct BitReaderTests {
    /// A slow reference implementation that reads bit by bit.
    struct Plain {
        var bits: [UInt8] = []
        /// The number of bytes of the file that contain the first n bits, by whole bytes.
        var ends: [Int] = []

        static func bits(of bytes: [UInt8]) -> [UInt8] {
            bytes.flatMap { (byte: UInt8) -> [UInt8] in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        }

        init(_ bytes: [UInt8]) {
            var zeros = 0
            for (index, byte) in bytes.enumerated() {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bits += Self.bits(of: [byte])
                ends.append(index + 1)
            }
        }
    }

    @Test("Values and positions equal those of the reference implementation, for any bytes")
    func random() throws {
        var generator = SeededGenerator(state: 7)
        for _ in 0..<2000 {
            let palette: [UInt8] = [0, 0, 0, 1, 3, 3, 0xFF, 0x80]
            let bytes = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? palette[Int.random(in: 0..<8, using: &generator)] : UInt8.random(in: 0...255, using: &generator)
            }
            let plain = Plain(bytes)
            var reader = BitReader(bytes.span.bytes)
            var position = 0
            while position < plain.bits.count {
                let count = min(Int.random(in: 0...32, using: &generator), plain.bits.count - position)
                let value = try reader.readBits(count, "bits")
                let expected = plain.bits[position..<position + count].reduce(0) { $0 << 1 | UInt32($1) }
                position += count
                let end = position == 0 ? 0 : plain.ends[(position - 1) / 8]
                guard value == expected, reader.bitsRead == position, reader.bytesTouched == end,
                    reader.bitPosition == end * 8 - (-position & 7),
                    reader.emulationBytesPassed == end - (position + 7) / 8
                else {
                    Issue.record("\(bytes) at bit \(position)")
                    return
                }
            }
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                var reader = BitReader(bytes.span.bytes)
                for _ in 0...plain.bits.count { _ = try reader.readFlag("bit") }
            }
        }
    }

    @Test("Without emulation prevention, 00 00 03 is three bytes")
    func plain() throws {
        let bytes: [UInt8] = [0, 0, 3, 1]
        var reader = BitReader(bytes.span.bytes, emulationPrevention: false)
        #expect(try reader.readBits(32, "all") == 0x301)
        #expect(reader.emulationBytesPassed == 0)
    }

    @Test(
        "Exp-Golomb numbers of all lengths",
        arguments: [0, 1, 2, 3, 6, 7, 254, 255, 65535, 1 << 20, 1 << 28, 1 << 29, 1 << 31, (1 << 32) - 2]
    )
    func golomb(value: Int) throws {
        for before in 0..<40 {
            var bits = [UInt8](repeating: 1, count: before)
            let digits = String(value + 1, radix: 2)
            bits += [UInt8](repeating: 0, count: digits.count - 1) + digits.map { $0 == "1" ? 1 : 0 } + [1]
            let bytes = Self.pack(bits)
            var reader = BitReader(bytes.span.bytes, emulationPrevention: false)
            try reader.skip(bits: before, "before")
            #expect(try reader.readUE("number") == value)
            #expect(try reader.readFlag("behind"))
            #expect(reader.bitsRead == bits.count)

            var signed = BitReader(bytes.span.bytes, emulationPrevention: false)
            try signed.skip(bits: before, "before")
            let expected = value.isMultiple(of: 2) ? -(value / 2) : (value + 1) / 2
            #expect(try signed.readSE("number", in: Int(Int32.min)...1 << 32) == expected)
        }
    }

    @Test("Numbers that are too long, too large or truncated are errors")
    func wild() {
        let zeros = [UInt8](repeating: 0, count: 40)
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
            var reader = BitReader(zeros.span.bytes)
            _ = try reader.readUE("number")
        }
        for count in 0..<4 {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                var reader = BitReader(zeros.span.bytes.extracting(first: count))
                _ = try reader.readUE("number")
            }
        }
        let seven: [UInt8] = [0b0001_0000]
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
            var reader = BitReader(seven.span.bytes)
            _ = try reader.readUE("number", upTo: 6)
        }
    }

    @Test("te(v) is one inverted bit if only 0 and 1 are possible")
    func truncatedGolomb() throws {
        let bytes: [UInt8] = [0b0101_0000]
        var reader = BitReader(bytes.span.bytes)
        #expect(try reader.readTE("number", upTo: 1) == 1)
        #expect(try reader.readTE("number", upTo: 1) == 0)
        #expect(try reader.readTE("number", upTo: 5) == 1)
        #expect(try reader.readTE("number", upTo: 0) == 0)
        #expect(reader.bitsRead == 5)
    }

    @Test(
        "There is more data up to the last 1 bit",
        arguments: [([0x80], false), ([0xC0], true), ([0x00, 0x80, 0, 0], true), ([0, 0], false), ([], false)]
            as [([UInt8], Bool)]
    )
    func moreData(bytes: [UInt8], expected: Bool) {
        let reader = BitReader(bytes.span.bytes)
        #expect(reader.hasMoreData == expected)
    }

    static func pack(_ bits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
        }
    }
}
