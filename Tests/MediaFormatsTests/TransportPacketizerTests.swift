import ByteCoding
import MediaFormats
import Testing

@Suite("Transport packets")
struct TransportPacketizerTests {
    /// Writes PES packets in parts, to memory for the given number of packets at a time.
    private func write(_ payloads: [[UInt8]], pieces: Int, packets: Int) -> [UInt8] {
        var packetizer = TransportPacketizer()
        var memory = [UInt8](repeating: 0, count: packets * 188 + 100)
        var (bytes, end): ([UInt8], Int) = ([], 0)
        func flush() {
            bytes += memory[..<end]
            end = 0
        }
        for (index, payload) in payloads.enumerated() {
            let header = PESHeader(streamID: 0xE0, presentationTime: UInt64(index) * 3600, decodeTime: 0)
            while true {
                var span = memory.mutableSpan
                var output = span.mutableBytes
                let isBegun = packetizer.beginPES(
                    header,
                    payloadSize: payload.count,
                    pid: 0x100,
                    programClockReference: index % 3 == 0 ? UInt64(index) * 1_000_000_007 : nil,
                    isRandomAccess: index % 2 == 0,
                    into: &output,
                    at: &end
                )
                if isBegun { break }
                flush()
            }
            var offset = 0
            while offset < payload.count {
                let piece = Array(payload[offset..<min(offset + pieces, payload.count)])
                var span = memory.mutableSpan
                var output = span.mutableBytes
                let taken = packetizer.write(piece.span.bytes, into: &output, at: &end)
                offset += taken
                if taken < piece.count {
                    #expect(end.isMultiple(of: 188))
                    flush()
                }
            }
            #expect(!packetizer.isOpen)
            #expect(end.isMultiple(of: 188))
        }
        flush()
        return bytes
    }

    @Test("do not depend on the sizes of the parts and of the memory")
    func pieces() {
        let payloads = (Array(0...400) + [1000, 20_000]).map { size in
            (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ size) }
        }
        let whole = write(payloads, pieces: 1 << 20, packets: 2000)
        for (pieces, packets) in [(1, 1), (183, 2), (184, 1), (185, 7), (1000, 3), (1 << 20, 1)] {
            #expect(write(payloads, pieces: pieces, packets: packets) == whole)
        }
        var (offset, packets) = (0, 0)
        for (index, payload) in payloads.enumerated() {
            let header = PESHeader(streamID: 0xE0, presentationTime: UInt64(index) * 3600, decodeTime: 0)
            packets += TransportPacketizer.packetCount(
                size: header.size + payload.count,
                hasClock: index % 3 == 0,
                isRandomAccess: index % 2 == 0
            )
            offset += payload.count
        }
        #expect(packets * 188 == whole.count)
    }

    @Test("with only a PCR do not increase the counter, and are skipped by the demultiplexer")
    func clocks() throws {
        var packetizer = TransportPacketizer()
        var memory = [UInt8](repeating: 0, count: 188 * 2 - 1)
        var end = 0
        do {
            var span = memory.mutableSpan
            var output = span.mutableBytes
            packetizer.skip(35, pid: 0x100)
            #expect(packetizer.writePCR(1_234_567_890_123, pid: 0x100, into: &output, at: &end))
            #expect(!packetizer.writePCR(0, pid: 0x100, into: &output, at: &end))
        }
        #expect(end == 188)
        let header = try TransportPacketHeader(memory.span.bytes, at: 0)
        #expect(header.continuityCounter == 2)
        #expect(header.payload == nil)
        #expect(header.programClockReference == 1_234_567_890_123)
        #expect(memory[12..<188].allSatisfy { $0 == 0xFF })
    }

    @Test("accept table sections of all sizes")
    func sections() throws {
        for size in [1, 182, 183, 184, 366, 367, 368, 1024] {
            var packetizer = TransportPacketizer()
            let section = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            var memory = [UInt8](repeating: 0, count: 188 * 7)
            var end = 0
            do {
                var span = memory.mutableSpan
                var output = span.mutableBytes
                #expect(packetizer.writeSection(section, pid: 0x1000, into: &output, at: &end))
            }
            #expect(end == (size + 1 + 183) / 184 * 188)
            var payload: [UInt8] = []
            for start in stride(from: 0, to: end, by: 188) {
                let header = try TransportPacketHeader(memory.span.bytes, at: start)
                #expect(header.isUnitStart == (start == 0))
                #expect(header.continuityCounter == UInt8(start / 188))
                payload += memory[start + 4..<start + 188]
            }
            let stuffing = [UInt8](repeating: 0xFF, count: payload.count - size - 1)
            let expected: [UInt8] = [0] + section + stuffing
            #expect(payload == expected)
        }
    }

    @Test("require the number of emulation prevention bytes that escaping computes")
    func insertions() {
        let unit: [UInt8] = [0, 0, 0, 0, 3, 9, 0, 0, 1, 0, 0, 4, 0, 0]
        var (places, from): ([Int], Int) = ([], 0)
        while let end = EmulationPrevention.nextInsertion(in: unit.span.bytes, from: from) {
            places.append(end)
            from = end
        }
        #expect(places == [2, 4, 8, 14])
    }
}
