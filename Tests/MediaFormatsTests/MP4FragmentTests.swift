import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 fragments")
struct MP4FragmentTests {
    static let keyID = MP4BoxTests.keyID

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var encryption: FragmentWriter.Encryption
        var kind: FourCC
    }

    static let cases: [Case] = [
        Case(testDescription: "clear video", encryption: .none, kind: "vide"),
        Case(testDescription: "clear audio", encryption: .none, kind: "soun"),
        Case(testDescription: "cbcs video", encryption: .subsamples, kind: "vide"),
        Case(testDescription: "cbcs audio", encryption: .wholeSamples, kind: "soun"),
        Case(testDescription: "cenc video", encryption: .vectorsAndSubsamples, kind: "vide"),
        Case(testDescription: "cenc audio", encryption: .vectors, kind: "soun"),
    ]

    static func entry(_ test: Case) -> SampleEntry {
        let clear = test.kind == "vide" ? MP4SampleEntryTests.video : MP4SampleEntryTests.audio
        switch test.encryption {
        case .none: return clear
        case .subsamples, .wholeSamples:
            return clear.protected(scheme: "cbcs", trackEncryption: MP4SampleEntryTests.tenc)
        default:
            let tenc = TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: 8, keyID: keyID)
            return clear.protected(scheme: "cenc", trackEncryption: tenc)
        }
    }

    /// The samples of segment `number`: some are equal, some are not, as in segments of video and audio.
    static func samples(_ number: Int, _ test: Case) -> [FragmentSample] {
        (0..<5).map { index in
            guard test.kind == "vide" else { return FragmentSample(size: UInt32(40 + index % 2), duration: 1024) }
            return FragmentSample(
                size: UInt32(100 + 10 * index + number),
                duration: 20,
                compositionOffset: [0, 40, -20, -20, 0][index],
                flags: index == 0 ? .sync : .nonSync
            )
        }
    }

    static func subsamples(_ sample: FragmentSample) -> [SampleEncryptionBox.Subsample] {
        [.init(clear: 9, protected: 20), .init(clear: UInt16(sample.size - 30), protected: 1)]
    }

    static func initSegment(_ test: Case) -> InitializationSegment {
        let edits = test.kind == "vide" ? nil : EditListBox(entries: [.init(segmentDuration: 0, mediaTime: 1024)])
        let track = InitializationSegment.Track(
            id: 1,
            kind: test.kind,
            name: "main",
            timescale: 1000,
            language: "deu",
            extendedLanguage: "de-CH",
            descriptions: [entry(test)],
            editList: edits
        )
        return InitializationSegment(
            fileType: .cmafHeader(kind: test.kind, hasEditList: edits != nil),
            duration: 1000,
            tracks: [track],
            protectionSystemHeaders: test.encryption == .none ? [] : [ProtectionSystemHeaderBox(systemID: keyID)]
        )
    }

    /// Three segments with their data. `hasIndex` is the number of bytes before them.
    static func segments(_ test: Case) -> [[UInt8]] {
        var writer = FragmentWriter(trackID: 1, encryption: test.encryption)
        var time: UInt64 = 0
        return (1...3).map { number in
            for (index, sample) in samples(number, test).enumerated() {
                let iv = SampleIV([UInt8](repeating: UInt8(number * 16 + index), count: 8)) ?? .none
                switch test.encryption {
                case .none, .wholeSamples: writer.append(sample)
                case .subsamples: writer.append(sample, subsamples: subsamples(sample))
                case .vectors: writer.append(sample, iv: iv)
                case .vectorsAndSubsamples: writer.append(sample, iv: iv, subsamples: subsamples(sample))
                }
            }
            let (count, duration) = (writer.dataSize, writer.duration)
            let header = written { writer.finish(sequenceNumber: UInt32(number), decodeTime: time, to: &$0) }
            time += duration
            return header + (0..<count).map { UInt8(truncatingIfNeeded: $0 + number) }
        }
    }

    static func findings(_ parts: [[UInt8]]) -> [MP4Verifier.Finding] {
        var verifier = MP4Verifier()
        for part in parts { verifier.add(part.span.bytes) }
        return verifier.findings
    }

    @Test("pass the verifier, and are restored", arguments: cases)
    func roundTrip(_ test: Case) throws {
        let parts = [Self.initSegment(test).bytes] + Self.segments(test)
        #expect(Self.findings(parts) == [])
        let file = parts.reduce([], +)
        #expect(MP4Verifier.verify(file.span.bytes) == [])
        let samples = try MediaFormatsTests.samples(of: file)
        let expected = (1...3).flatMap { Self.samples($0, test) }
        #expect(samples.map { UInt32($0.size) } == expected.map(\.size))
        #expect(samples.map(\.duration) == expected.map(\.duration))
        #expect(samples.map(\.compositionOffset) == expected.map(\.compositionOffset))
        #expect(samples.map(\.isSync) == expected.map(\.flags.isSync))
        #expect(samples.map { $0.presentationTime }.min() == 0)
        var number = 0
        for (index, sample) in samples.enumerated() {
            if index % 5 == 0 { number += 1 }
            if index % 5 == 0 { #expect(file[sample.offset] == UInt8(number)) }
            #expect((sample.protection != nil) == (test.encryption != .none))
            guard let protection = sample.protection else { continue }
            #expect(protection.keyID.bytes == Self.keyID)
            let listed = test.encryption == .subsamples || test.encryption == .vectorsAndSubsamples
            #expect(
                protection.subsamples.entries(in: file.span.bytes) == (listed ? Self.subsamples(expected[index]) : [])
            )
            let isConstant = test.encryption == .subsamples || test.encryption == .wholeSamples
            #expect(
                protection.iv.bytes
                    == (isConstant ? Self.keyID : [UInt8](repeating: UInt8(number * 16 + index % 5), count: 8))
            )
        }
    }

    @Test("the initialization segment is restored", arguments: cases)
    func initSegment(_ test: Case) throws {
        let bytes = Self.initSegment(test).bytes
        let file = try MovieFile(reading: bytes.span.bytes)
        let track = try #require(file.movie.tracks.first)
        #expect(file.movie.isFragmented)
        #expect(file.movie.fragmentDuration == 1000)
        #expect(track.descriptions == [Self.entry(test)])
        #expect(track.language == "de-CH")
        #expect(track.mediaHeader.language == "deu")
        #expect(track.kind == test.kind)
        #expect(try track.timing().mediaTime == (test.kind == "vide" ? 0 : 1024))
        #expect(file.movie.protectionSystemHeaders.count == (test.encryption == .none ? 0 : 1))
        for length in 0..<bytes.count {
            #expect(throws: ParseError.self) { try MovieFile(reading: Array(bytes[..<length]).span.bytes) }
        }
    }

    @Test("auxiliary information without senc", arguments: [cases[2], cases[4], cases[5]])
    func withoutSenc(_ test: Case) throws {
        // A reader without support for senc finds the same information with saiz and saio.
        let file = ([Self.initSegment(test).bytes] + Self.segments(test)).reduce([], +)
        var renamed = file
        for index in 0..<file.count - 4 where file[index..<index + 4].elementsEqual("senc".utf8) {
            renamed.replaceSubrange(index..<index + 4, with: Array("free".utf8))
        }
        #expect(renamed != file)
        #expect(try MediaFormatsTests.samples(of: renamed) == MediaFormatsTests.samples(of: file))
    }

    @Test("more subsamples than saiz can represent")
    func manySubsamples() throws {
        let test = Self.cases[2]
        var writer = FragmentWriter(trackID: 1, encryption: .subsamples)
        let subsamples = [SampleEncryptionBox.Subsample](repeating: .init(clear: 1, protected: 2), count: 50)
        writer.append(FragmentSample(size: 150, duration: 10), subsamples: subsamples)
        let segment =
            written { writer.finish(sequenceNumber: 1, decodeTime: 0, to: &$0) } + [UInt8](repeating: 0, count: 150)
        #expect(Self.findings([Self.initSegment(test).bytes, segment]) == [])
        let samples = try MediaFormatsTests.samples(of: Self.initSegment(test).bytes + segment)
        #expect(samples.first?.protection?.subsamples.count == 50)
    }

    @Test("samples of zero bytes are listed with their sizes")
    func empty() throws {
        var writer = FragmentWriter(trackID: 1)
        for _ in 0..<3 { writer.append(FragmentSample(size: 0, duration: 10)) }
        let segment = written { writer.finish(sequenceNumber: 1, decodeTime: 0, to: &$0) }
        let bytes = Self.initSegment(Self.cases[0]).bytes + segment
        #expect(try MediaFormatsTests.samples(of: bytes).map(\.decodeTime) == [0, 10, 20])
    }

    @Test("media of 4 GiB have a header of 16 bytes")
    func large() {
        var writer = FragmentWriter(trackID: 1)
        writer.append(FragmentSample(size: .max, duration: 1))
        writer.append(FragmentSample(size: 2, duration: 1))
        let size = writer.dataSize
        let header = written { writer.finish(sequenceNumber: 1, decodeTime: 0, to: &$0) }
        let expected: [UInt8] = [0, 0, 0, 1] + Array("mdat".utf8) + written { $0.write(UInt64(size + 16)) }
        #expect(Array(header.suffix(16)) == expected)
        #expect(writer.count == 0)
    }

    @Test("a single file has an exact index")
    func index() throws {
        let test = Self.cases[0]
        let segments = Self.segments(test)
        let start = Self.initSegment(test).bytes
        func file(_ change: (inout SegmentIndexBox) -> Void) -> [UInt8] {
            var index = SegmentIndexBox(
                referenceID: 1,
                timescale: 1000,
                earliestPresentationTime: 0,
                references: segments.map { .init(size: UInt32($0.count), duration: 100) }
            )
            #expect(written(index).count == SegmentIndexBox.size(references: 3))
            change(&index)
            return start + written(index) + segments.reduce([], +)
        }
        #expect(MP4Verifier.verify(file { _ in }.span.bytes) == [])
        for change: (inout SegmentIndexBox) -> Void in [
            { $0.references[1].size += 1 }, { $0.references[2].duration = 99 }, { $0.references.removeLast() },
            { $0.firstOffset = 1 }, { $0.earliestPresentationTime = 5 },
        ] {
            #expect(MP4Verifier.verify(file(change).span.bytes).map(\.kind) == [.index])
        }
    }

    /// The base of data offsets, in two track fragments of one movie fragment.
    enum Base: CaseIterable, Sendable { case given, moof, neither }

    @Test("data offsets are relative to the base in tfhd", arguments: Base.allCases)
    func base(_ base: Base) throws {
        var tracks = Self.initSegment(Self.cases[0])
        tracks.tracks.append(Self.initSegment(Self.cases[1]).tracks[0])
        tracks.tracks[1].id = 2
        let start = tracks.bytes
        func moof(_ size: Int) -> [UInt8] {
            written { writer in
                writer.box("moof") { writer in
                    MovieFragmentHeaderBox(sequenceNumber: 1).write(to: &writer)
                    for track: UInt32 in [1, 2] {
                        writer.box("traf") { writer in
                            var header = TrackFragmentHeaderBox(trackID: track, sampleDuration: 10, sampleSize: 4)
                            header.isDefaultBaseMoof = base == .moof
                            // With a base, offsets are relative to the file; otherwise to the end of the first track's
                            // data.
                            if base == .given { header.baseDataOffset = UInt64(start.count) }
                            header.write(to: &writer)
                            TrackFragmentDecodeTimeBox(baseMediaDecodeTime: 0).write(to: &writer)
                            let offset = track == 1 ? size + 8 : base == .neither ? 0 : size + 8 + 12
                            let samples = [TrackRunBox.Sample](repeating: .init(), count: 2)
                            TrackRunBox(dataOffset: Int32(offset), samples: samples).write(to: &writer)
                            // A second run follows the first.
                            TrackRunBox(dataOffset: nil, samples: [.init()]).write(to: &writer)
                        }
                    }
                }
            }
        }
        let header = moof(moof(0).count)
        let file = start + header + written { writer in writer.box("mdat") { $0.zeros(24) } }
        let first = start.count + header.count + 8
        let samples = try MediaFormatsTests.samples(of: file)
        #expect(samples.filter { $0.trackID == 1 }.map(\.offset) == [first, first + 4, first + 8])
        #expect(samples.filter { $0.trackID == 2 }.map(\.offset) == [first + 12, first + 16, first + 20])
        #expect(samples.filter { $0.trackID == 2 }.map(\.decodeTime) == [0, 10, 20])
        #expect(MP4Verifier.verify(file.span.bytes) == [])
    }
}
