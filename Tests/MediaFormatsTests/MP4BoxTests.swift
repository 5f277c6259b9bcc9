import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 boxes")
struct MP4BoxTests {
    /// A box that is written, read, compared, and truncated at every byte.
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var check: @Sendable () throws -> Void

        /// - Parameter isOpen: whether the box has no fixed end, so that a truncated box is also valid.
        init<Kind: Box & Equatable>(_ box: Kind, isOpen: Bool = false) {
            testDescription = "\(Kind.type)"
            check = {
                let bytes = written(box)
                let read = try parsed(Kind.self, bytes)
                #expect(read == box)
                #expect(written(read) == bytes)
                for length in 0..<bytes.count where !isOpen || length < 8 {
                    #expect(throws: ParseError.self) { try parsed(Kind.self, Array(bytes[..<length])) }
                }
                // The header of the box specifies the truncated size.
                for length in 8..<bytes.count where !isOpen {
                    let short = written { $0.box(Kind.type) { $0.write(bytes[8..<length]) } }
                    #expect(throws: ParseError.self, "\(length) bytes") { try parsed(Kind.self, short) }
                }
            }
        }
    }

    static let keyID = [UInt8](0..<16)
    /// A sample entry with only its header.
    static let emptyReference: DataReferenceBox = {
        var box = DataReferenceBox()
        box.entries = [RawBox(type: "alis", content: [])]
        return box
    }()
    static let examples: [Example] = [
        Example(FileTypeBox(majorBrand: "iso6", minorVersion: 1, compatibleBrands: ["iso6", "cmfc"]), isOpen: true),
        Example(MovieHeaderBox(timescale: 600, duration: 12, nextTrackID: 3)),
        Example(MovieHeaderBox(timescale: 600, duration: 1 << 40, nextTrackID: 3)),
        Example(TrackHeaderBox(trackID: 7, duration: 5, alternateGroup: 1, hasVolume: true, width: 1 << 16)),
        Example(TrackHeaderBox(trackID: 7, duration: 1 << 33)),
        Example(MediaHeaderBox(timescale: 90000, duration: 1, language: "deu")),
        Example(MediaHeaderBox(timescale: 90000, duration: 1 << 32, language: "und")),
        Example(HandlerBox(handlerType: "vide", name: "Ein Bild"), isOpen: true),
        Example(ExtendedLanguageBox(language: "de-CH"), isOpen: true),
        Example(
            EditListBox(entries: [
                .init(segmentDuration: 5, mediaTime: nil), .init(segmentDuration: 6, mediaTime: 1024),
            ])
        ),
        Example(EditListBox(entries: [.init(segmentDuration: 1 << 32, mediaTime: 1 << 33)])),
        Example(VideoMediaHeaderBox()), Example(SoundMediaHeaderBox()), Example(NullMediaHeaderBox()),
        Example(SubtitleMediaHeaderBox()), Example(DataReferenceBox()), Example(emptyReference),
        Example(MovieExtendsHeaderBox(fragmentDuration: 77)), Example(MovieExtendsHeaderBox(fragmentDuration: 1 << 35)),
        Example(TrackExtendsBox(trackID: 1, sampleDuration: 2, sampleSize: 3, sampleFlags: .nonSync)),
        Example(MovieFragmentHeaderBox(sequenceNumber: 9)), Example(TrackFragmentHeaderBox(trackID: 1)),
        Example(
            TrackFragmentHeaderBox(
                trackID: 1,
                sampleDescriptionIndex: 1,
                sampleDuration: 2,
                sampleSize: 3,
                sampleFlags: .sync
            )
        ),
        Example(TrackFragmentDecodeTimeBox(baseMediaDecodeTime: 1 << 40)),
        Example(
            TrackRunBox(
                dataOffset: -8,
                firstSampleFlags: .sync,
                samples: [.init(duration: 1, size: 2), .init(duration: 3, size: 4)]
            )
        ),
        Example(TrackRunBox(dataOffset: nil, samples: [.init(flags: .sync, compositionOffset: -5)])),
        Example(AuxiliaryInformationSizesBox(sizes: [8, 8, 8])),
        Example(AuxiliaryInformationSizesBox(sizes: [8, 14, 0])),
        Example(AuxiliaryInformationOffsetsBox(offsets: [5])),
        Example(AuxiliaryInformationOffsetsBox(offsets: [5, 1 << 40])),
        Example(TrackEncryptionBox(cryptByteBlock: 1, skipByteBlock: 9, keyID: keyID, constantIV: keyID)),
        Example(TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: 8, keyID: keyID)),
        Example(ProtectionSystemHeaderBox(systemID: keyID, data: [1, 2, 3])),
        Example(ProtectionSystemHeaderBox(systemID: keyID, keyIDs: [keyID, keyID], data: [])),
        Example(
            SegmentIndexBox(
                referenceID: 1,
                timescale: 90000,
                earliestPresentationTime: 1 << 33,
                firstOffset: 8,
                references: [.init(size: 99, duration: 4)]
            )
        ),
        Example(SampleGroupDescriptionBox(groupingType: "seig", entries: [[1, 2], [3, 4]])),
        Example(SampleGroupDescriptionBox(groupingType: "roll", entries: [[1], [3, 4]])),
        Example(
            EventMessageBox(
                schemeIDURI: "urn:x",
                value: "1",
                timescale: 1000,
                time: .delta(3),
                id: 1,
                messageData: [9]
            ),
            isOpen: true
        ),
        Example(
            EventMessageBox(schemeIDURI: "urn:x", timescale: 1000, time: .absolute(1 << 40), id: 1, messageData: []),
            isOpen: true
        ),
        Example(ProducerReferenceTimeBox(flags: 2, trackID: 1, ntpTimestamp: 1 << 60, mediaTime: 9)),
        Example(TrackFragmentRandomAccessBox(trackID: 1, entries: [.init(time: 4, moofOffset: 1 << 33)])),
        Example(MovieFragmentRandomAccessOffsetBox(size: 100)),
    ]

    @Test("are written as they were read, and every truncation is an error", arguments: examples)
    func roundTrip(_ example: Example) throws { try example.check() }

    @Test("sinf is restored, and requires frma")
    func protection() throws {
        let box = ProtectionSchemeInfoBox(
            originalFormat: "avc1",
            schemeType: "cbcs",
            trackEncryption: TrackEncryptionBox(
                cryptByteBlock: 1,
                skipByteBlock: 9,
                keyID: Self.keyID,
                constantIV: Self.keyID
            )
        )
        #expect(try parsed(ProtectionSchemeInfoBox.self, written(box)) == box)
        let error = #expect(throws: ParseError.self) {
            try parsed(ProtectionSchemeInfoBox.self, written { $0.box("sinf") { _ in } })
        }
        #expect(error?.code == .missingBox)
    }

    @Test("senc is restored with initialization vectors and subsamples", arguments: [0, 8, 16])
    func sampleEncryption(ivSize: Int) throws {
        let box = SampleEncryptionBox(
            samples: [
                .init(iv: Array(Self.keyID.prefix(ivSize)), subsamples: [.init(clear: 5, protected: 70000)]),
                .init(iv: Array(Self.keyID.prefix(ivSize)), subsamples: []),
            ],
            hasSubsamples: true
        )
        let bytes = written { box.write(to: &$0) }
        func read(_ length: Int) throws(ParseError) -> SampleEncryptionBox {
            var reader = ByteReader(bytes.span.bytes.extracting(8..<length))
            return try SampleEncryptionBox(reading: &reader, ivSize: ivSize)
        }
        #expect(try read(bytes.count) == box)
        for length in 8..<bytes.count {
            #expect(throws: ParseError.self) { try read(length) }
        }
    }

    @Test("sizes: 64 bits, to the end of the file, uuid, less than the header")
    func headers() throws {
        func header(_ bytes: [UInt8]) throws(ParseError) -> (BoxHeader, Int) {
            var reader = ByteReader(bytes.span.bytes)
            let header = try BoxHeader(reading: &reader)
            return (header, header.contentSize(of: reader.remaining))
        }
        let large = try header([0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 1, 0, 0, 0, 20])
        #expect(large.0.size == 0x1_0000_0014)
        #expect(large.0.headerSize == 16)
        let open = try header([0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3])
        #expect(open.0.size == nil)
        #expect(open.1 == 3)
        let uuid = try header([0, 0, 0, 24] + Array("uuid".utf8) + Self.keyID)
        #expect(uuid.0.userType == Self.keyID)
        for bytes: [UInt8] in [
            [0, 0, 0, 7] + Array("mdat".utf8), [0, 0, 0, 23] + Array("uuid".utf8) + Self.keyID,
            [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 15],
            [0, 0, 0, 1] + Array("mdat".utf8) + [0xFF, 0, 0, 0, 0, 0, 0, 0],
        ] {
            let error = #expect(throws: ParseError.self) { try header(bytes) }
            #expect(error?.code == .invalidLength)
        }
    }

    @Test("counts that do not fit are rejected before memory is allocated")
    func counts() {
        let huge = written { $0.fullBox("elst") { $0.write(UInt32.max) } }
        let error = #expect(throws: ParseError.self) { try parsed(EditListBox.self, huge) }
        #expect(error?.code == .invalidLength)
    }

    @Test("a handler's name has a length byte only in QuickTime")
    func handlerNames() throws {
        func name(_ bytes: [UInt8]) throws(ParseError) -> String {
            let box = written { writer in
                writer.fullBox("hdlr") { writer in
                    writer.zeros(4)
                    writer.write("vide" as FourCC)
                    writer.zeros(12)
                    writer.write(bytes)
                }
            }
            return try parsed(HandlerBox.self, box).name
        }
        #expect(try name([3] + Array("abc".utf8)) == "abc")
        #expect(try name(Array("abc".utf8) + [0]) == "abc")
        // 65 characters, the first of them the 65th of ASCII.
        let text = String(repeating: "A", count: 65)
        #expect(try name(Array(text.utf8) + [0]) == text)
    }
}
