import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 damage")
struct MP4DamageTests {
    /// A deterministic random number generator (SplitMix64).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    /// Reads a file in every way. Errors are allowed; endless loops and crashes are not.
    static func readAll(_ bytes: [UInt8]) {
        let most = bytes.count * 4 + 1000
        var count = 0
        let file = bytes.span.bytes
        do throws(ParseError) {
            var cursor = try MovieFile(reading: file).samples()
            while let sample = try cursor.next(file) {
                count += 1
                #expect(sample.range.upperBound <= bytes.count)
                _ = sample.protection?.subsamples.entries(in: file)
                if count > most { break }
            }
        } catch {}
        #expect(count <= most)
        do throws(ParseError) {
            var stream = MovieStream()
            stream.push(bytes)
            count = 0
            while try stream.next() != nil, count <= most { count += 1 }
            try stream.finish()
        } catch {}
        #expect(count <= most)
        #expect(MP4Verifier.verify(file).count <= 1000)
        #expect(BoxTree(reading: file, maximumCount: 5000).description.utf8.count < 5_000_000)
    }

    @Test("of one to eight bits does not crash", arguments: MP4Fixture.allCases)
    func bitFlips(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        // Only headers are damaged, because media data are not parsed.
        let tree = BoxTree(reading: bytes.span.bytes)
        let places = tree.boxes.flatMap { box in
            box.type == "mdat" ? Array(box.offset..<box.offset + 8) : Array(box.offset..<box.offset + box.size)
        }
        var generator = Generator(state: 1)
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                guard let place = places.randomElement(using: &generator) else { continue }
                damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            Self.readAll(damaged)
        }
    }

    @Test("of numbers set to large values or 0 does not crash", arguments: MP4Fixture.allCases)
    func extremes(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        let tree = BoxTree(reading: bytes.span.bytes)
        let places = tree.boxes.filter { $0.type != "mdat" }.flatMap {
            Array(stride(from: $0.offset, to: $0.offset + $0.size - 4, by: 4))
        }
        for place in places {
            for value: UInt8 in [0, 0xFF] {
                var damaged = bytes
                for index in place..<place + 4 { damaged[index] = value }
                Self.readAll(damaged)
            }
        }
    }

    @Test("by truncation does not crash", arguments: MP4Fixture.allCases)
    func truncations(_ fixture: MP4Fixture) throws {
        let bytes = try fixture.bytes
        for length in stride(from: 0, to: bytes.count, by: 13) { Self.readAll(Array(bytes[..<length])) }
    }

    @Test("of a few bytes cannot describe an unlimited number of samples")
    func bombs() {
        // A run of 2^32 - 1 samples without fields: samples of zero bytes and of one byte.
        for size: UInt32 in [0, 1] {
            let file = written { writer in
                writer.write(MP4FragmentTests.initSegment(MP4FragmentTests.cases[0]).bytes)
                for number in 1...200 {
                    writer.box("moof") { writer in
                        MovieFragmentHeaderBox(sequenceNumber: UInt32(number)).write(to: &writer)
                        writer.box("traf") { writer in
                            TrackFragmentHeaderBox(trackID: 1, sampleSize: size).write(to: &writer)
                            writer.fullBox("trun", flags: 1) { writer in
                                writer.write(UInt32.max)
                                writer.write(UInt32(0))
                            }
                        }
                    }
                }
            }
            #expect(throws: ParseError.self) { try samples(of: file) }
            Self.readAll(file)
        }
    }

    @Test("by too many tracks is rejected")
    func tracks() {
        let movie = written { writer in
            writer.box("moov") { writer in
                MovieHeaderBox(timescale: 1, duration: 0, nextTrackID: 1).write(to: &writer)
                let file = MP4FragmentTests.initSegment(MP4FragmentTests.cases[0]).bytes
                let tree = BoxTree(reading: file.span.bytes)
                let track = tree.boxes.last?.children.first { $0.type == "trak" }
                let bytes = track.map { Array(file[$0.offset..<$0.offset + $0.size]) } ?? []
                for number in 1...300 {
                    var copy = bytes
                    copy[31] = UInt8(truncatingIfNeeded: number)
                    copy[30] = UInt8(truncatingIfNeeded: number >> 8)
                    writer.write(copy)
                }
            }
        }
        let error = #expect(throws: ParseError.self) { try MovieFile(reading: movie.span.bytes) }
        #expect(error?.code == .notSupported)
    }
}
