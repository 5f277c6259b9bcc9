import ByteCoding
import MediaFormats
import Testing

@Suite("AC-3 and E-AC-3 streams")
struct AC3Tests {
    static let fixtures = ["stereo.ac3", "surround.ac3", "stereo.eac3", "surround.eac3", "blocks.eac3"].map {
        AudioFixture(name: $0)
    }

    @Test("are split into the same access units as by ffprobe, for all sizes of parts", arguments: fixtures)
    func cut(fixture: AudioFixture) throws {
        let bytes = try fixture.bytes()
        let stream = try fixture.stream()
        for size in [bytes.count, 1, 7, 188, 1000] {
            let result = try AC3Result(bytes, pieces: size)
            #expect(result.damage == 0 && result.skipped == 0)
            let isSame = result.units.flatMap(\.bytes) == bytes
            #expect(isSame)
            #expect(try result.units.flatMap { try syncframeSizes($0.bytes) } == fixture.sizes())
            for unit in result.units {
                let header = unit.header
                #expect(header.isEnhanced == (stream.codec == "eac3"))
                #expect(Int(header.sampleRate) == stream.rate)
                #expect(header.channelCount == stream.channels)
                #expect(bytes[unit.offset..<unit.offset + unit.bytes.count] == unit.bytes[...])
            }
        }
    }

    @Test("With three blocks per syncframe, an access unit has two syncframes")
    func blocks() throws {
        let units = try AC3Result(AudioFixture(name: "blocks.eac3").bytes(), pieces: 500).units
        #expect(units.allSatisfy { $0.header.blockCount == 3 && $0.bytes.count == 5400 })
        #expect(try syncframeSizes(units[0].bytes) == [2700, 2700])
    }

    /// The nominal sizes of table 4.13 in 16-bit words, for the lowest, a medium and the highest rate.
    @Test(
        "Sizes of AC-3 syncframes",
        arguments: [(0, 64, 69, 96), (1, 64, 70, 96), (20, 384, 417, 576), (37, 1280, 1394, 1920)]
    )
    func sizes(code: Int, at48: Int, at44: Int, at32: Int) throws {
        for (frequency, words) in [at48, at44, at32].enumerated() {
            let bytes: [UInt8] = [0x0B, 0x77, 0, 0, UInt8(frequency << 6 | code), 0x40, 0xE1]
            #expect(try AC3Syncframe(bytes.span.bytes).size == words * 2)
        }
    }

    @Test(
        "Channels of AC-3 by acmod, and the position of lfeon",
        arguments: [
            (0, 3, 2), (1, 3, 1), (2, 5, 2), (3, 5, 3), (4, 5, 3), (5, 7, 4), (6, 5, 4), (7, 7, 5),
        ]
    )
    func channels(mode: Int, bit: Int, count: Int) throws {
        for hasLowFrequency in [false, true] {
            let seventh = UInt8(mode << 5) | (hasLowFrequency ? 0x80 >> UInt8(bit) : ~(0x80 >> UInt8(bit)) & 0x1F)
            let bytes: [UInt8] = [0x0B, 0x77, 0, 0, 28, 0x42, seventh]
            let header = try AC3Syncframe(bytes.span.bytes)
            #expect(header.channelCount == count + (hasLowFrequency ? 1 : 0))
            #expect(header.hasLowFrequency == hasLowFrequency)
            #expect(header.bitStreamID == 8 && header.bitStreamMode == 2 && header.bitRateCode == 14)
        }
    }

    @Test("Invalid headers are rejected")
    func refused() {
        let good: [UInt8] = [0x0B, 0x77, 0, 0, 28, 0x40, 0xE1]
        for count in 0..<7 {
            #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                try AC3Syncframe(good.span.bytes.extracting(first: count))
            }
        }
        // The syncword; a reserved rate and size; bsid 9, 10 and 17; a reserved type; a size that is too small.
        for (index, value): (Int, UInt8) in [(0, 0x0C), (4, 0xDC), (4, 38), (5, 0x48), (5, 0x50), (5, 0x88)] {
            var bytes = good
            bytes[index] = value
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try AC3Syncframe(bytes.span.bytes) }
        }
        for bytes: [UInt8] in [
            [0x0B, 0x77, 0xC0, 0x80, 0x3F, 0x80, 0], [0x0B, 0x77, 0, 2, 0x3F, 0x80, 0],
            [0x0B, 0x77, 0, 99, 0xFF, 0x80, 0],
        ] {
            #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try AC3Syncframe(bytes.span.bytes) }
        }
        let swapped: [UInt8] = [0x77, 0x0B, 0, 0, 0x40, 28, 0, 0xE1]
        #expect(throws: ParseError(.notSupported, reading: "", offset: 0)) { try AC3Syncframe(swapped.span.bytes) }
        #expect(throws: ParseError(.notSupported, reading: "", offset: 0)) { try AC3Result(swapped, pieces: 1) }
    }

    @Test("Half rates have six blocks")
    func halfRates() throws {
        for (code, rate) in [(0, 24000), (1, 22050), (2, 16000)] {
            let bytes = TestSyncframe(frequency: 3, blocks: code).bytes
            let header = try AC3Syncframe(bytes.span.bytes)
            #expect(Int(header.sampleRate) == rate)
            #expect(header.sampleCount == 1536)
        }
    }

    /// 7.1 channels with objects, in syncframes of 1 block: an independent substream, a dependent substream, another
    /// program.
    static func unit(_ seed: UInt8, blocks: Int = 0) -> [[UInt8]] {
        (0..<[6, 3, 2, 1][blocks]).flatMap { round in
            [
                TestSyncframe(size: 64 + 2 * round, blocks: blocks, additional: TestSyncframe.joc(16), fill: seed)
                    .bytes,
                TestSyncframe(type: 1, size: 80, blocks: blocks, mode: 4, map: 0x1A00, fill: seed).bytes,
                TestSyncframe(id: 1, size: 48, blocks: blocks, mode: 2, hasLowFrequency: false, fill: seed).bytes,
            ]
        }
    }

    @Test("Access units contain six blocks of substream 0 and all its dependent syncframes", arguments: 0...3)
    func grouping(blocks: Int) throws {
        let units = (1...5).map { Self.unit(UInt8($0), blocks: blocks) }
        let bytes = Array(units.joined().joined())
        for size in [bytes.count, 1, 50, 1000] {
            let result = try AC3Result(bytes, pieces: size)
            #expect(result.damage == 0)
            #expect(result.units.map(\.bytes) == units.map { Array($0.joined()) })
            #expect(try syncframeSizes(result.units[0].bytes) == units[0].map(\.count))
        }
    }

    @Test("AC-3 with dependent E-AC-3 syncframes forms one access unit")
    func mixed() throws {
        let core = [0x0B, 0x77, 0, 0, 0, 0x40, 0xE1] + [UInt8](repeating: 0, count: 121)
        let more = TestSyncframe(type: 1, mode: 4, map: 0x0200).bytes
        let units = try AC3Result(Array((0..<4).map { _ in core + more }.joined()), pieces: 100).units
        #expect(units.map(\.bytes) == [[UInt8]](repeating: core + more, count: 4))
        let unit = units[0].bytes
        let box = try EnhancedAC3ConfigurationBox(accessUnit: unit.span.bytes)
        #expect(box.channelCount == 8)
        #expect(box.substreams.map(\.bitStreamID) == [8])
    }

    @Test(
        "Garbage is skipped and counted; incomplete access units are skipped as a whole",
        arguments: [1, 64, 100_000]
    )
    func garbage(size: Int) throws {
        let units = (1...6).map { Array(Self.unit(UInt8($0), blocks: 2).joined()) }
        var generator = SeededGenerator(state: 3)
        let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // One of six blocks; three more are too few, and another three are too many.
        let short = Array(Self.unit(9)[0...2].joined())
        let bytes = noise + units[0] + units[1] + short + units[2] + units[3] + noise + units[4] + units[5]
        let result = try AC3Result(bytes, pieces: size)
        #expect(result.units.map(\.bytes) == units)
        #expect(result.damage == 3)
        #expect(result.skipped == 400 + short.count)
        #expect(result.units.map(\.isAfterDamage) == [true, false, true, false, true, false])
    }

    @Test("ID3 tags before access units are skipped", arguments: [1, 64, 100_000])
    func tags(size: Int) throws {
        let units = (1...3).map { Array(Self.unit(UInt8($0)).joined()) }
        let tag = ID3Tag(timestamp: 900_000).bytes
        let result = try AC3Result(tag + units[0] + tag + units[1] + units[2], pieces: size)
        #expect(result.units.map(\.bytes) == units)
        #expect(result.damage == 0)
    }

    @Test("A truncated stream returns all complete access units")
    func truncation() throws {
        let units = (1...3).map { Array(Self.unit(UInt8($0), blocks: 2).joined()) }
        let bytes = Array(units.joined())
        for count in 0...bytes.count {
            let part = Array(bytes[..<count])
            let whole = units.indices.filter { units[...$0].joined().count <= count }.count
            guard let result = try? AC3Result(part, pieces: 70) else {
                #expect(whole == 0)
                continue
            }
            // If an access unit is truncated between two syncframes, the truncation cannot be detected.
            #expect(result.units.map(\.bytes).starts(with: units[..<whole]))
            #expect(result.units.reduce(0) { $0 + $1.bytes.count } + result.skipped == count)
            #expect(result.units.count <= whole + 1)
        }
    }

    @Test("With flipped bits, the sizes of parts make no difference, and access units before them are not lost")
    func flips() throws {
        let units = (1...5).map { Array(Self.unit(UInt8($0), blocks: 2).joined()) }
        let bytes = Array(units.joined())
        var generator = SeededGenerator(state: 2)
        for _ in 0..<400 {
            var damaged = bytes
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let whole = try AC3Result(damaged, pieces: damaged.count)
            let single = try AC3Result(damaged, pieces: Int.random(in: 1..<90, using: &generator))
            #expect(whole.units == single.units)
            #expect(whole.damage == single.damage && whole.skipped == single.skipped)
            var end = 0
            for (index, unit) in units.enumerated() {
                end += unit.count
                if end + 7 <= place { #expect(whole.units[index].bytes == unit) }
            }
            #expect(whole.units.reduce(0) { $0 + $1.bytes.count } + whole.skipped == damaged.count)
        }
    }
}
