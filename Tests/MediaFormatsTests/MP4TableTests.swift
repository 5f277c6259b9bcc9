import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 sample tables")
struct MP4TableTests {
    /// Four samples of 1, 2, 3 and 4 bytes in two chunks at bytes 8 and 20. Each table can be replaced.
    static func tables(
        stts: [UInt32] = [2, 1, 10, 3, 20],
        ctts: [UInt32]? = nil,
        stsc: [UInt32] = [1, 1, 2, 1],
        size: ((inout BoxWriter) -> Void)? = nil,
        offset: ((inout BoxWriter) -> Void)? = nil,
        stss: [UInt32]? = nil
    ) -> (inout BoxWriter) -> Void {
        { writer in
            TestMovie.table("stts", stts)(&writer)
            if let ctts { TestMovie.table("ctts", ctts)(&writer) }
            TestMovie.table("stsc", stsc)(&writer)
            (size ?? TestMovie.table("stsz", [0, 4, 1, 2, 3, 4]))(&writer)
            (offset ?? TestMovie.table("stco", [2, 8, 20]))(&writer)
            if let stss { TestMovie.table("stss", stss)(&writer) }
        }
    }

    func read(_ tables: @escaping (inout BoxWriter) -> Void) throws(ParseError) -> [Sample] {
        try samples(of: TestMovie(tables: tables).bytes)
    }

    @Test("offsets, sizes and times")
    func plain() throws {
        let samples = try read(Self.tables(ctts: [2, 1, 5, 1, UInt32(bitPattern: -7)], stss: [2, 1, 3]))
        #expect(samples.map(\.offset) == [8, 9, 20, 23])
        #expect(samples.map(\.size) == [1, 2, 3, 4])
        #expect(samples.map(\.decodeTime) == [0, 10, 30, 50])
        #expect(samples.map(\.duration) == [10, 20, 20, 20])
        #expect(samples.map(\.compositionOffset) == [5, -7, 0, 0])
        #expect(samples.map(\.isSync) == [true, false, true, false])
        #expect(try read(Self.tables()).map(\.isSync) == [true, true, true, true])
    }

    @Test("co64")
    func longOffsets() throws {
        let offset: (inout BoxWriter) -> Void = { writer in
            writer.fullBox("co64") { writer in
                writer.write(UInt32(2))
                writer.write(UInt64(8))
                writer.write(UInt64(20))
            }
        }
        #expect(try read(Self.tables(offset: offset)) == read(Self.tables()))
        let beyond: (inout BoxWriter) -> Void = { writer in
            writer.fullBox("co64") { writer in
                writer.write(UInt32(2))
                writer.write(UInt64.max)
                writer.write(UInt64(20))
            }
        }
        #expect(throws: ParseError.self) { try read(Self.tables(offset: beyond)) }
    }

    @Test("stz2 with 4, 8 and 16 bits", arguments: [4, 8, 16])
    func compactSizes(bits: Int) throws {
        let size: (inout BoxWriter) -> Void = { writer in
            writer.fullBox("stz2") { writer in
                writer.write(UInt32(bits))
                writer.write(UInt32(4))
                switch bits {
                case 4: writer.write([UInt8]([0x12, 0x34]))
                case 8: writer.write([UInt8]([1, 2, 3, 4]))
                default: writer.write([UInt8]([0, 1, 0, 2, 0, 3, 0, 4]))
                }
            }
        }
        #expect(try read(Self.tables(size: size)) == read(Self.tables()))
    }

    @Test("one size for all samples")
    func uniformSize() throws {
        let samples = try read(Self.tables(size: TestMovie.table("stsz", [5, 4])))
        #expect(samples.map(\.offset) == [8, 13, 20, 25])
        #expect(samples.map(\.size) == [5, 5, 5, 5])
    }

    @Test("chunks with different numbers of samples and descriptions")
    func chunks() throws {
        let stco = TestMovie.table("stco", [3, 8, 20, 30])
        let samples = try read(Self.tables(stsc: [2, 1, 1, 1, 3, 2, 1], offset: stco))
        #expect(samples.map(\.offset) == [8, 20, 30, 33])
    }

    /// Inconsistent tables, each with its name.
    static let hostile: [(String, [String: [UInt32]])] = [
        ("stts too short", ["stts": [1, 3, 10]]), ("stts of zeros", ["stts": [2, 0, 10, 0, 10]]),
        ("stsc too short", ["stsc": [0]]), ("stsc begins late", ["stsc": [1, 2, 2, 1]]),
        ("stsc without samples", ["stsc": [1, 1, 0, 1]]), ("stsc backwards", ["stsc": [2, 1, 1, 1, 1, 1, 1]]),
        ("stsc description 0", ["stsc": [1, 1, 2, 0]]), ("stsc description 2", ["stsc": [1, 1, 2, 2]]),
        ("stco too short", ["stco": [1, 8]]), ("stco beyond the file", ["stco": [2, 8, 0xFFFF_FFF0]]),
        ("sizes beyond the file", ["stsz": [0, 4, 1, 2, 3, 0xFFFF_FFFF]]),
        (
            "an unlimited number of samples",
            ["stsz": [1, 0xFFFF_FFFF], "stts": [1, 0xFFFF_FFFF, 1], "stsc": [1, 1, 0xFFFF_FFFF, 1]]
        ),
        (
            "the same bytes repeatedly",
            [
                "stsz": [16, 0xFFFF_FFFF], "stts": [1, 0xFFFF_FFFF, 1],
                "stco": [64] + [UInt32](repeating: 8, count: 64),
            ]
        ),
    ]

    @Test("that are inconsistent are an error, in a short time", arguments: hostile)
    func hostileTables(name: String, tables: [String: [UInt32]]) {
        let movie = TestMovie { writer in
            let plain: [(FourCC, String, [UInt32])] = [
                ("stts", "stts", [1, 4, 10]), ("stsc", "stsc", [1, 1, 2, 1]), ("stsz", "stsz", [0, 4, 1, 2, 3, 4]),
                ("stco", "stco", [2, 8, 20]),
            ]
            for (type, key, numbers) in plain { TestMovie.table(type, tables[key] ?? numbers)(&writer) }
        }
        let error = #expect(throws: ParseError.self) { try samples(of: movie.bytes) }
        #expect(error?.description.contains("track 1") == true)
        #expect(!MP4Verifier.verify(movie.bytes.span.bytes).isEmpty)
    }

    @Test(
        "counts that do not fit are rejected",
        arguments: ["stts", "ctts", "stsc", "stco", "co64", "stss", "stsz", "stz2"]
    )
    func counts(type: String) {
        let movie = TestMovie { writer in
            writer.fullBox(FourCC(rawValue: type.utf8.reduce(0) { $0 << 8 | UInt32($1) })) { writer in
                if type == "stsz" { writer.write(UInt32(0)) }
                if type == "stz2" { writer.write(UInt32(16)) }
                writer.write(UInt32.max)
            }
        }
        let error = #expect(throws: ParseError.self) { try MovieFile(reading: movie.bytes.span.bytes) }
        #expect(error?.code == .invalidLength)
    }

    @Test("the error contains the name of a missing table")
    func missing() {
        let movie = TestMovie { TestMovie.table("stsz", [0, 1, 1])(&$0) }
        let error = #expect(throws: ParseError.self) { try MovieFile(reading: movie.bytes.span.bytes) }
        #expect(error?.code == .missingBox)
        #expect(error?.description.contains("stts") == true)
    }

    @Test("samples in other files are not supported")
    func otherFile() throws {
        var movie = TestMovie(tables: Self.tables())
        movie.references.entries = [RawBox(type: "url ", content: [0, 0, 0, 0] + Array("x.mp4".utf8) + [0])]
        let file = try MovieFile(reading: movie.bytes.span.bytes)
        let error = #expect(throws: ParseError.self) { try file.movie.tracks[0].requireSelfContained() }
        #expect(error?.code == .notSupported)
        #expect(error?.reading == "track 1")
    }

    /// seig groups assign a key to each sample; one group is clear.
    @Test("key groups and auxiliary information in a table")
    func groups() throws {
        let key = MP4BoxTests.keyID
        let other = [UInt8](repeating: 9, count: 16)
        var movie = TestMovie { writer in
            Self.tables()(&writer)
            let entries = [
                TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: 8, keyID: other),
                TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, isProtected: false, keyID: other),
            ]
            SampleGroupDescriptionBox(
                groupingType: "seig",
                entries: entries.map { SampleEncryptionGroupEntry($0).bytes }
            )
            .write(to: &writer)
            TestMovie.table("sbgp", [0x7365_6967, 3, 1, 0, 2, 1, 1, 2])(&writer)
            AuxiliaryInformationSizesBox(sizes: [8, 8, 16, 0]).write(to: &writer)
            AuxiliaryInformationOffsetsBox(offsets: [30]).write(to: &writer)
        }
        let tenc = TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: 8, keyID: key)
        movie.description = movie.description.protected(scheme: "cenc", trackEncryption: tenc)
        // From byte 30: three initialization vectors. The third sample also has a subsample with its 3 bytes.
        movie.data.replaceSubrange(
            22..<54,
            with: [UInt8](1...8) + [UInt8](11...18) + [UInt8](21...28) + [0, 1, 0, 1, 0, 0, 0, 2]
        )
        let samples = try samples(of: movie.bytes)
        #expect(samples.map { $0.protection?.keyID.bytes } == [key, other, other, nil])
        #expect(samples.map { $0.protection?.iv.bytes.first } == [1, 11, 21, nil])
        #expect(
            samples[2].protection?.subsamples.entries(in: movie.bytes.span.bytes) == [.init(clear: 1, protected: 2)]
        )
        // A subsample whose size is not that of its sample.
        movie.data[53] = 3
        let error = #expect(throws: ParseError.self) { try MediaFormatsTests.samples(of: movie.bytes) }
        #expect(error?.description.contains("sample 3 of track 1") == true)
    }
}
