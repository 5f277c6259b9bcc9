import ByteCoding
import MediaFormats
import Testing

@Suite("Loudness in boxes and in AC-3")
struct LoudnessTests {
    /// Version 1, put together from the syntax of the standard: an entry with downmix 0x7F, compression 0x3F, and equalizer 5; and
    /// one for the track as it is with a sample peak of -0.5 dBFS, a true peak of 0.25 dBTP, and three measurements.
    private static let content: [UInt8] =
        [1, 0, 0, 0, 2]
        + [5, 0x1F, 0xFF, 0, 0, 0, 0, 0]
        + [0, 0, 0, 0x29, 0x02, 0x78, 0x23, 3, 1, 0x8B, 0x13, 2, 0, 0x22, 6, 255, 0x41]

    private static func read(_ content: [UInt8], type: FourCC = "tlou") throws -> LoudnessInformationBox {
        var reader = ByteReader(content.span.bytes)
        return try LoudnessInformationBox(reading: &reader, type: type)
    }

    @Test("The fields of tlou and alou are read")
    func fields() throws {
        let box = try Self.read(Self.content)
        try #require(box.entries.count == 2)
        #expect(!box.isAlbum && box.entries[0].downmixID == 127 && box.entries[0].compressionSetID == 63)
        #expect(box.entries[0].equalizerSetID == 5 && !box.entries[0].isUnprocessed)
        #expect(box.entries[0].truePeakLevel == nil && box.entries[0].measurements.isEmpty)
        let entry = box.entries[1]
        #expect(entry.isUnprocessed && entry.samplePeak == 0x290 && entry.truePeakLevel == 0.25)
        #expect(entry.measurements.map(\.loudness) == [-23, -57.75, nil])
        #expect(entry.measurements.map(\.system) == [1, 2, 4] && entry.measurements.map(\.reliability) == [3, 2, 1])
        #expect(try Self.read(Self.content, type: "alou").isAlbum)
        #expect(LoudnessBox([box]).entry == entry)
        let album = try Self.read(Self.content, type: "alou")
        #expect(LoudnessBox([album]).entry == nil)
    }

    @Test("A box that ends at any byte, or has a newer version, is an error")
    func damage() {
        for count in Self.content.indices {
            let cut = Array(Self.content.prefix(count))
            #expect(throws: ParseError(.truncated, reading: "", offset: 0), "\(count)") { try Self.read(cut) }
        }
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) {
            try Self.read([2] + Self.content.dropFirst())
        }
    }

    /// Returns the movie of a fixture with bytes in the user data of its first track.
    private static func movie(_ userData: [UInt8]) throws -> Movie {
        var bytes = try MP4Fixture.fragmented.bytes
        let name = Array("trak".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: name) }) - 4
        let moov = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("moov".utf8)) }) - 4
        let added = written { writer in writer.box("udta") { $0.write(userData) } }
        for offset in [start, moov] {
            let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } + added.count
            for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * index)) }
        }
        let end = start + bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } - added.count
        bytes.insert(contentsOf: added, at: end)
        let whole = bytes
        return try MovieFile(reading: whole.span.bytes).movie
    }

    @Test("The ludt box is that of the track; damaged user data are no error")
    func track() throws {
        let box = written { writer in
            writer.box("ludt") { writer in writer.box("tlou") { $0.write(Self.content) } }
        }
        let track = try #require(try Self.movie(box).tracks.first)
        #expect(track.loudness == LoudnessBox([try Self.read(Self.content)]))
        #expect(try Self.movie([]).tracks.first?.loudness == nil)
        for count in 1..<box.count { _ = try Self.movie(Array(box.prefix(count))) }
        let newer = written { writer in
            writer.box("ludt") { writer in writer.box("tlou") { $0.write([2] + Self.content.dropFirst()) } }
        }
        let incomplete = try #require(try Self.movie(newer).tracks.first?.loudness)
        #expect(incomplete.isIncomplete && incomplete.entry == nil)
    }

    @Test("The dialnorm of ffmpeg's frames is its default of 31", arguments: AC3Tests.fixtures)
    func defaultDialog(fixture: AudioFixture) throws {
        let bytes = try fixture.bytes()
        #expect(AC3Syncframe.dialogNormalization(bytes.span.bytes) == 31)
        for count in 0..<AC3Syncframe.dialogNormalizationSize {
            let cut = Array(bytes.prefix(count))
            #expect(AC3Syncframe.dialogNormalization(cut.span.bytes) == nil)
        }
    }

    @Test("The dialnorm of AC-3 follows the fields that depend on acmod", arguments: 0..<8)
    func dialog(mode: Int) {
        for value in 0..<32 {
            for hasLowFrequency in [0, 1] {
                var bits = TestBits()
                for (value, width) in [(0x0B77, 16), (0, 16), (0, 2), (28, 6), (8, 5), (0, 3), (mode, 3)] {
                    bits.put(value, width)
                }
                // cmixlev, surmixlev and dsurmod.
                if mode & 1 == 1, mode != 1 { bits.put(3, 2) }
                if mode & 4 != 0 { bits.put(0, 2) }
                if mode == 2 { bits.put(3, 2) }
                bits.put(hasLowFrequency, 1)
                bits.put(value, 5)
                bits.put(0, 3)
                let bytes = bits.bytes(12)
                #expect(AC3Syncframe.dialogNormalization(bytes.span.bytes) == UInt8(value))
            }
        }
    }

    @Test("The dialnorm of E-AC-3 follows its bsid")
    func enhanced() {
        let bytes = TestSyncframe().bytes
        #expect(AC3Syncframe.dialogNormalization(bytes.span.bytes) == 27)
    }
}
