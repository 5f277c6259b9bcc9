import ByteCoding
import MediaFormats
import Testing

/// Each type of error is introduced once, to prove that the verifier finds it.
@Suite("MP4 verifier finds")
struct MP4VerifierTests {
    typealias Kind = MP4Verifier.Finding.Kind
    static let test = MP4FragmentTests.cases[4]
    static let start = MP4FragmentTests.initSegment(test).bytes
    static let segments = MP4FragmentTests.segments(test)

    /// Returns the offset of the first content byte of the first box of a type.
    static func contentOffset(_ type: String, in bytes: [UInt8]) throws -> Int {
        let found = (0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(type.utf8) }
        return try #require(found) + 4
    }

    static let errors: [(String, Int, UInt8, Kind)] = [
        // The box, the byte of its content that is increased by 1, and the expected finding.
        ("trun", 11, 1, .dataOffset), ("trun", 19, 1, .dataOffset), ("saio", 11, 1, .auxiliaryOffset),
        ("saiz", 4, 1, .auxiliarySize), ("saiz", 8, 1, .auxiliarySize), ("senc", 21, 1, .subsamples),
        ("tfdt", 11, 1, .decodeTime), ("tfdt", 4, 0x80, .decodeTime), ("tfhd", 7, 1, .missingBox),
    ]

    @Test("one wrong byte", arguments: errors)
    func singleError(type: String, offset: Int, change: UInt8, kind: Kind) throws {
        var second = Self.segments[1]
        second[try Self.contentOffset(type, in: second) + offset] &+= change
        let findings = MP4FragmentTests.findings([Self.start, Self.segments[0], second])
        #expect(findings.map(\.kind).contains(kind), "\(findings)")
        #expect(findings.allSatisfy { $0.input == 2 })
    }

    @Test("segments out of order, repeated, missing")
    func order() {
        let (start, segments) = (Self.start, Self.segments)
        #expect(MP4FragmentTests.findings([start, segments[0], segments[2]]).map(\.kind) == [.decodeTime])
        let swapped = MP4FragmentTests.findings([start, segments[1], segments[0]]).map(\.kind)
        #expect(swapped == [.sequenceNumber, .decodeTime])
        #expect(MP4FragmentTests.findings([segments[0]]).map(\.kind).contains(.missingBox))
    }

    @Test("bytes too many or too few")
    func sizes() {
        let segment = Self.segments[0]
        #expect(MP4FragmentTests.findings([Self.start, Array(segment.dropLast())]).map(\.kind).contains(.box))
        #expect(MP4FragmentTests.findings([Self.start, segment + [0]]).map(\.kind) == [.box])
        let header = Array(segment.prefix { _ in true }.dropLast(700))
        #expect(!MP4FragmentTests.findings([Self.start, header]).isEmpty)
    }

    @Test("samples outside mdat")
    func range() {
        let movie = TestMovie(tables: MP4TableTests.tables(offset: TestMovie.table("stco", [2, 8, 71])))
        #expect(MP4Verifier.verify(movie.bytes.span.bytes).map(\.kind) == [.sampleRange])
        let long = TestMovie(tables: MP4TableTests.tables(stts: [1, 5, 10]))
        #expect(MP4Verifier.verify(long.bytes.span.bytes).map(\.kind) == [.table])
    }

    @Test("a missing senc box")
    func missing() throws {
        var segment = Self.segments[0]
        let place = try Self.contentOffset("senc", in: segment) - 4
        segment.replaceSubrange(place..<place + 4, with: Array("free".utf8))
        #expect(MP4FragmentTests.findings([Self.start, segment]).map(\.kind).contains(.missingBox))
    }

    @Test("more samples than bytes, before memory is allocated for them")
    func bomb() throws {
        func run(_ count: UInt32) -> [UInt8] { written { writer in writer.fullBox("trun") { $0.write(count) } } }
        func segment(_ run: [UInt8], _ rest: [UInt8] = []) -> [UInt8] {
            written { writer in
                writer.box("moof") { writer in
                    MovieFragmentHeaderBox(sequenceNumber: 1).write(to: &writer)
                    writer.box("traf") { writer in
                        TrackFragmentHeaderBox(trackID: 1, sampleDuration: 1, sampleSize: 0).write(to: &writer)
                        TrackFragmentDecodeTimeBox(baseMediaDecodeTime: 0).write(to: &writer)
                        for _ in 0..<20 { writer.write(run) }
                        writer.write(rest)
                    }
                }
                writer.box("mdat") { _ in }
            }
        }
        // A run whose samples have no fields has the same size for a million samples as for none.
        let findings = MP4FragmentTests.findings([Self.start, segment(run(1 << 20))])
        #expect(findings.map(\.kind) == [.box])
        #expect(findings.first?.detail.contains("larger than the number of bytes") == true)
        // The limit covers both fragments: 800 samples each, 808 bytes together.
        let two = segment(run(40)) + segment(run(40))
        #expect(two.count == 808)
        let second = MP4FragmentTests.findings([Self.start, two])
            .filter { $0.detail.contains("larger than the number of bytes") }
        #expect(second.count == 1)

        // The same applies to the entries of senc if all samples share an initialization vector.
        let test = MP4FragmentTests.cases[3]
        let entries = written { writer in writer.fullBox("senc") { $0.write(UInt32(1 << 20)) } }
        let start = MP4FragmentTests.initSegment(test).bytes
        #expect(MP4FragmentTests.findings([start, segment(run(0), entries)]).map(\.kind) == [.auxiliarySize])
    }
}
