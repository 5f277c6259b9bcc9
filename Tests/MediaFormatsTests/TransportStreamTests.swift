import ByteCoding
import MediaFormats
import Testing

@Suite("Transport streams")
struct TransportStreamTests {
    static let map = ProgramMapTable(
        pcrPID: 0x100,
        streams: [
            .init(type: .h264, pid: 0x100),
            .init(
                type: .aac,
                pid: 0x101,
                descriptors: [.init(tag: TransportDescriptor.language, content: Array("eng".utf8) + [0])]
            ),
        ]
    )

    /// PES packets of many sizes on two PIDs, preceded by tables.
    static func stream(_ sizes: [Int]) -> (bytes: [UInt8], payloads: [(pid: UInt16, payload: [UInt8])]) {
        var muxer = TransportMuxer()
        muxer.writeSection(ProgramAssociationTable(programs: [(1, 0x1000)]).bytes, pid: 0)
        muxer.writeSection(map.bytes, pid: 0x1000)
        var payloads: [(UInt16, [UInt8])] = []
        for (index, size) in sizes.enumerated() {
            let pid: UInt16 = index.isMultiple(of: 3) ? 0x101 : 0x100
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
            let time = UInt64(index) * 3600
            let isVideo = pid == 0x100
            let header = PESHeader(
                streamID: isVideo ? 0xE0 : 0xC0,
                payloadLength: isVideo && size > 100 ? nil : size,
                presentationTime: time + 7200,
                decodeTime: isVideo ? time : nil
            )
            let clock = index.isMultiple(of: 2) ? time * 300 : nil
            muxer.writePES(
                header,
                payload: payload.span.bytes,
                pid: pid,
                programClockReference: clock,
                isRandomAccess: isVideo
            )
            payloads.append((pid, payload))
        }
        return (muxer.bytes, payloads)
    }

    static func demux(_ bytes: [UInt8], pieces: Int) throws -> (packets: [TransportDemuxer.Packet], damage: Int) {
        var demuxer = TransportDemuxer()
        var packets: [TransportDemuxer.Packet] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
            try demuxer.feed(piece.span.bytes) { packets.append($0) }
        }
        try demuxer.finish { packets.append($0) }
        return (packets, demuxer.damage)
    }

    @Test("are restored, for all sizes of packets and parts")
    func roundTrip() throws {
        // Every way in which a payload can end in its last packet, with and without stuffing.
        let (bytes, payloads) = Self.stream(Array(1...420) + [70_000, 184, 368])
        #expect(bytes.count.isMultiple(of: 188))
        for pieces in [bytes.count, 188, 1, 1000] {
            let (packets, damage) = try Self.demux(bytes, pieces: pieces)
            #expect(damage == 0)
            for pid: UInt16 in [0x100, 0x101] {
                let expected = payloads.filter { $0.pid == pid }.map(\.payload)
                #expect(packets.filter { $0.pid == pid }.map(\.payload) == expected)
            }
        }
    }

    @Test("preserve timestamps, PCRs and flags")
    func times() throws {
        let (bytes, _) = Self.stream([500, 500, 500])
        let packets = try Self.demux(bytes, pieces: 4096).packets.sorted {
            ($0.presentationTime ?? 0) < ($1.presentationTime ?? 0)
        }
        #expect(packets.map(\.presentationTime) == [7200, 10_800, 14_400])
        #expect(packets.filter { $0.pid == 0x100 }.map(\.decodeTime) == [3600, 7200])
        #expect(packets.filter { $0.pid == 0x100 }.allSatisfy { $0.isRandomAccess })
        let first = try TransportPacketHeader(bytes.span.bytes, at: 2 * 188)
        #expect(first.programClockReference == 0)
        #expect(first.isUnitStart)
    }

    @Test("count lost packets and continue")
    func loss() throws {
        let (bytes, payloads) = Self.stream(Array(repeating: 1000, count: 9))
        // Remove a packet in the middle of the fourth PES packet.
        var damaged = bytes
        damaged.removeSubrange((2 + 3 * 6 + 2) * 188..<(2 + 3 * 6 + 3) * 188)
        let (packets, damage) = try Self.demux(damaged, pieces: 4096)
        #expect(damage > 0)
        #expect(packets.count == 9)
        #expect(packets.count { $0.isDamaged } == 1)
        #expect(packets.count { packet in payloads.contains { $0.payload == packet.payload } } == 8)
    }

    @Test("ignore duplicated packets, and no others, wherever a part of the bytes ends")
    func duplicates() throws {
        let (bytes, payloads) = Self.stream([100, 1000, 700, 500, 1200, 300])
        let packets = stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
        // The tables are not repeated, because a section that occurs twice is read twice.
        let doubled = packets.enumerated().flatMap { $0.offset < 2 ? [$0.element] : [$0.element, $0.element] }
        // A packet with the counter of the one before it and other bytes is not a duplicate.
        var other = packets
        other[4][187] ^= 1
        other.insert(packets[4], at: 4)
        for pieces in [bytes.count * 2, 188, 376, 1, 1000] {
            let (found, damage) = try Self.demux(doubled.flatMap(\.self), pieces: pieces)
            #expect(damage == 0)
            for pid: UInt16 in [0x100, 0x101] {
                let expected = payloads.filter { $0.pid == pid }.map(\.payload)
                #expect(found.filter { $0.pid == pid }.map(\.payload) == expected)
            }
            #expect(try Self.demux(other.flatMap(\.self), pieces: pieces).damage > 0)
        }
    }

    @Test("reject input that is not a transport stream, with the offset")
    func noSync() throws {
        var (bytes, _) = Self.stream([1000])
        bytes[188 * 3] = 0
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try Self.demux(bytes, pieces: 4096) }
        #expect(throws: ParseError(.invalidValue, reading: "", offset: 0)) { try Self.demux([], pieces: 1) }
    }

    @Test("do not crash when truncated at any byte or with flipped bits")
    func hostile() throws {
        let (bytes, _) = Self.stream([10, 300, 1000])
        for count in 0..<bytes.count { _ = try? Self.demux(Array(bytes[..<count]), pieces: 400) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<4 {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8)
            }
            _ = try? Self.demux(damaged, pieces: 1000)
        }
    }

    @Test("have tables that are read as they were written")
    func tables() throws {
        let bytes = Self.map.bytes
        var reader = ByteReader(bytes.span.bytes)
        #expect(try ProgramMapTable(reading: &reader) == Self.map)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            var reader = ByteReader(damaged.span.bytes)
            #expect(throws: ParseError.self) { try ProgramMapTable(reading: &reader) }
        }
    }

    @Test("have headers that are read as they were written", arguments: [0xE0, 0xBD, 0xBF, 0xBE] as [UInt8])
    func headers(streamID: UInt8) throws {
        // padding_stream and private_stream_2 have neither flags nor timestamps.
        let time: UInt64? = streamID == 0xBF || streamID == 0xBE ? nil : 1 << 33 - 1
        let header = PESHeader(streamID: streamID, payloadLength: 7, isAligned: time != nil, presentationTime: time)
        let bytes = header.bytes
        var reader = ByteReader(bytes.span.bytes)
        #expect(try PESHeader(reading: &reader) == header)
        #expect(reader.remaining == 0)
    }

    @Test("unwrap 33-bit timestamps")
    func unwrapping() {
        var unwrapper = TimestampUnwrapper()
        let period: UInt64 = 1 << 33
        #expect(
            [period - 3600, 0, 3600, period - 1, 7200].map { unwrapper.unwrap($0) } == [
                Int64(period) - 3600, Int64(period), Int64(period) + 3600, Int64(period) - 1, Int64(period) + 7200,
            ]
        )
    }
}
