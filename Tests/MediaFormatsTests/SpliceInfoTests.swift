import ByteCoding
import Foundation
import MediaFormats
import Testing

@Suite("SCTE-35 sections")
struct SpliceInfoTests {
    /// The sample messages of ANSI/SCTE 35, section 14.
    static let samples = [
        "/DA0AAAAAAAA///wBQb+cr0AUAAeAhxDVUVJSAAAjn/PAAGlmbAICAAAAAAsoKGKNAIAmsnRfg==",
        "/DAvAAAAAAAA///wFAVIAACPf+/+c2nALv4AUsz1AAAAAAAKAAhDVUVJAAABNWLbowo=",
        "/DAvAAAAAAAA///wBQb+dGKQoAAZAhdDVUVJSAAAjn+fCAgAAAAALKChijUCAKnMZ1g=",
        "/DBIAAAAAAAA///wBQb+ek2ItgAyAhdDVUVJSAAAGH+fCAgAAAAALMvDRBEAAAIXQ1VFSUgAABl/nwgIAAAAACyk26AQAACZcuND",
        "/DAvAAAAAAAA///wBQb+rr//ZAAZAhdDVUVJSAAACH+fCAgAAAAALKVs9RcAAJUdsKg=",
        "/DBIAAAAAAAA///wBQb+ky44CwAyAhdDVUVJSAAACn+fCAgAAAAALKCh4xgAAAIXQ1VFSUgAAAl/nwgIAAAAACygoYoRAAC0IX6w",
        "/DAvAAAAAAAA///wBQb+rvF8TAAZAhdDVUVJSAAAB3+fCAgAAAAALKVslxEAAMSHai4=",
    ]

    /// Sections that the samples do not cover.
    static var made: [SpliceInfoSection] {
        var components = SpliceInsert.Event(isOut: true, time: 5)
        components.time = nil
        components.components = [.init(tag: 7, time: SpliceTime(9)), .init(tag: 8, time: SpliceTime(nil))]
        components.duration = .init(0x1_FFFF_FFFF, isAutomaticReturn: true)
        var segment = SegmentationDescriptor.Event(.init(rawValue: 0x34), duration: 0xFF_0000_0001)
        segment.components = [.init(tag: 3, offset: 0x1_0000_0002)]
        segment.identifierType = 9
        segment.identifier = Array("SIGNAL:1".utf8)
        segment.subsegment = (1, 2)
        var legacy = SpliceInfoSection(command: .timeSignal(SpliceTime(0x1_2345_6789)))
        legacy.hasCommandLength = false
        var stuffed = SpliceInfoSection(adjustment: 0x1_8000_0000, command: .null)
        stuffed.stuffing = [0, 1, 2]
        var encrypted = SpliceInfoSection(command: .encrypted([1, 2, 3, 4, 5, 6, 7, 8], commandLength: 5))
        encrypted.encryptionAlgorithm = 2
        encrypted.controlWordIndex = 9
        return [
            SpliceInfoSection(command: .null), SpliceInfoSection(command: .bandwidthReservation),
            SpliceInfoSection(command: .schedule([1, 2, 3])),
            SpliceInfoSection(command: .privateCommand(identifier: 0x4B45_5957, [9])),
            SpliceInfoSection(command: .insert(SpliceInsert(eventID: 1, event: nil))),
            SpliceInfoSection(command: .insert(SpliceInsert(eventID: 2, event: .init(isOut: false, time: nil)))),
            SpliceInfoSection(command: .insert(SpliceInsert(eventID: 3, event: components))),
            SpliceInfoSection(
                command: .timeSignal(SpliceTime(nil)),
                descriptors: [
                    .segmentation(SegmentationDescriptor(eventID: 4, event: segment)),
                    .segmentation(SegmentationDescriptor(eventID: 5, event: nil)),
                    .other(tag: 0xF0, identifier: 0x4B45_5957, [1, 2]),
                ]
            ), legacy, stuffed, encrypted,
        ]
    }

    static func parse(_ bytes: [UInt8]) throws(ParseError) -> SpliceInfoSection {
        var reader = ByteReader(bytes.span.bytes)
        return try SpliceInfoSection(reading: &reader)
    }

    static func bytes(_ sample: String) throws -> [UInt8] { [UInt8](try #require(Data(base64Encoded: sample))) }

    @Test("the standard's samples are read and written without a change", arguments: SpliceInfoTests.samples)
    func unchanged(sample: String) throws {
        let bytes = try Self.bytes(sample)
        #expect(try Self.parse(bytes).bytes == bytes)
    }

    @Test("other sections are read and written without a change")
    func made() throws {
        for section in Self.made {
            let bytes = section.bytes
            #expect(try Self.parse(bytes) == section)
            #expect(try Self.parse(bytes + [0xFF, 0xFF]).bytes == bytes)
        }
    }

    @Test("the samples have the values that the standard lists")
    func values() throws {
        let start = try Self.parse(Self.bytes(Self.samples[0]))
        #expect(start.time == 0x0_72BD_0050 && start.tier == 0xFFF)
        guard case .segmentation(let opportunity)? = start.descriptors.first, let event = opportunity.event else {
            throw ParseError(.invalidValue, reading: "test", offset: 0, reason: "no descriptor")
        }
        #expect(opportunity.eventID == 0x4800_008E)
        #expect(event.kind.rawValue == 0x34 && event.kind.isOut && !event.kind.isIn)
        #expect(event.duration == 27_630_000 && event.number == 2 && event.identifierType == 8)
        #expect(event.identifier == [0, 0, 0, 0, 0x2C, 0xA0, 0xA1, 0x8A])

        guard case .insert(let insert) = try Self.parse(Self.bytes(Self.samples[1])).command else {
            throw ParseError(.invalidValue, reading: "test", offset: 0, reason: "no splice_insert")
        }
        #expect(insert.eventID == 0x4800_008F && insert.event?.isOut == true && insert.event?.isImmediate == false)
        #expect(insert.event?.time?.time == 0x0_7369_C02E)
        #expect(insert.event?.duration == .init(0x52_CCF5, isAutomaticReturn: true))

        guard case .segmentation(let end)? = try Self.parse(Self.bytes(Self.samples[2])).descriptors.first else {
            throw ParseError(.invalidValue, reading: "test", offset: 0, reason: "no descriptor")
        }
        #expect(end.eventID == opportunity.eventID && end.event?.kind.isIn == true)
        #expect(try Self.parse(Self.bytes(Self.samples[3])).descriptors.count == 2)
    }

    @Test("times are adjusted modulo 2^33")
    func adjustment() throws {
        var section = SpliceInfoSection(adjustment: 0x1_FFFF_FFF0, command: .timeSignal(SpliceTime(0x20)))
        #expect(section.time == 0x10)
        section.adjustment = 5
        #expect(try Self.parse(section.bytes).time == 0x25)
        section.command = .timeSignal(SpliceTime(nil))
        #expect(section.time == nil)
    }

    @Test("every truncation and every changed byte is an error")
    func damage() throws {
        for bytes in try Self.samples.map(Self.bytes) + Self.made.map(\.bytes) {
            for count in bytes.indices {
                #expect(throws: ParseError.self) { try Self.parse(Array(bytes[..<count])) }
                var changed = bytes
                changed[count] ^= 0x10
                #expect(throws: ParseError.self) { try Self.parse(changed) }
            }
        }
    }

    @Test("a section whose content is truncated, with a valid checksum, is an error")
    func shortened() throws {
        for bytes in try Self.samples.map(Self.bytes) {
            for count in 14..<bytes.count - 4 {
                var short = Array(bytes[..<count])
                short[1] = short[1] & 0xF0 | UInt8((count + 1) >> 8)
                short[2] = UInt8(truncatingIfNeeded: count + 1)
                let checksum = Self.checksum(short)
                short += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) }
                #expect(throws: ParseError.self, "\(count)") { try Self.parse(short) }
            }
        }
    }

    /// CRC-32 bit by bit: the polynomial of ISO/IEC 13818-1, annex A.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        }
        return value
    }

    @Test("a demultiplexer returns sections that span packets, and does not mistake them for damaged PES packets")
    func demuxing() throws {
        let small = try Self.bytes(Self.samples[0])
        let large = SpliceInfoSection(command: .privateCommand(identifier: 1, [UInt8](repeating: 7, count: 700))).bytes
        var muxer = TransportMuxer()
        muxer.writeSection(ProgramAssociationTable(programs: [(1, 0x1000)]).bytes, pid: 0)
        let map = ProgramMapTable(
            pcrPID: 0x100,
            descriptors: [.init(tag: TransportDescriptor.registration, content: Array("CUEI".utf8))],
            streams: [.init(type: .splices, pid: 0x102)]
        )
        muxer.writeSection(map.bytes, pid: 0x1000)
        // Two sections in one packet, then one that spans packets.
        muxer.writeSection(small + small, pid: 0x102)
        muxer.writeSection(large, pid: 0x102)
        let bytes = muxer.bytes
        for returned in [true, false] {
            var demuxer = TransportDemuxer()
            demuxer.returnsSpliceSections = returned
            var found: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: 100) {
                let part = Array(bytes[start..<min(bytes.count, start + 100)])
                try demuxer.feed(part.span.bytes) { packet in
                    #expect(packet.isSpliceSection && packet.presentationTime == nil)
                    found.append(packet.payload)
                }
            }
            #expect(found == (returned ? [small, small, large] : []))
            #expect(demuxer.damage == 0)
        }
        // A section is dropped if a packet of it is lost.
        var demuxer = TransportDemuxer()
        demuxer.returnsSpliceSections = true
        var found: [[UInt8]] = []
        let lost = Array(bytes[..<(4 * 188)] + bytes[(5 * 188)...])
        try demuxer.feed(lost.span.bytes) { found.append($0.payload) }
        #expect(found == [small, small] && demuxer.damage == 1)
    }
}
