package import ByteCoding
import MediaDecryption
package import MediaFormats

/// What is in a transport stream, its packets counted.
package struct TransportStreamSummary: Sendable {
    /// What was met of a PID.
    package struct PID: Sendable {
        /// The number.
        package var pid: UInt16
        /// How many transport packets it has.
        package var packets = 0
        /// How many PES packets, or table sections, begin in them.
        package var units = 0
        /// How many packets were missing at least: how often the continuity counter jumps.
        package var continuityErrors = 0
        /// How many packets carry a clock.
        package var clocks = 0
        /// Where decoding can start, as the packets' headers say.
        package var randomAccesses = 0
        /// How many packets a conditional access system has scrambled.
        package var scrambled = 0
        /// How many packets say that they were damaged on their way.
        package var damaged = 0
        /// The earliest and the latest presentation time, in units of 1/90,000 second, on a line without end.
        package var times: ClosedRange<Int64>?

        fileprivate var counter: UInt8?

        fileprivate init(_ pid: UInt16) { self.pid = pid }
    }

    /// The PIDs in their order.
    package private(set) var pids: [PID] = []
    /// The first program's streams; nil when no program map was found.
    package private(set) var programMap: ProgramMapTable?
    /// The PID of the first program's map; nil when no program association table was found.
    package private(set) var mapPID: UInt16?
    /// How many packets there are.
    package private(set) var packets = 0
    /// Why the stream could not be read to its end.
    package private(set) var problem: ParseError?

    /// How much is taken apart at a time.
    private static let pieceSize = 188 * 4096

    /// Counts the packets of a file.
    package init(_ file: RawSpan) {
        var slots = [Int](repeating: -1, count: 8192)
        do throws(ParseError) {
            var offset = 0
            while offset < file.byteCount {
                let header = try TransportPacketHeader(file, at: offset)
                let pid = Int(header.pid)
                if slots[pid] < 0 {
                    slots[pid] = pids.count
                    pids.append(PID(header.pid))
                }
                pids[slots[pid]].count(header)
                if pid == 0, mapPID == nil { mapPID = Self.mapPID(file, offset, header) }
                packets += 1
                offset += TransportPacketHeader.packetSize
            }
        } catch {
            problem = error
        }
        readPackets(file, slots)
        pids.sort { $0.pid < $1.pid }
    }

    /// What a program association table names, where it lies in one packet.
    private static func mapPID(_ file: RawSpan, _ offset: Int, _ header: TransportPacketHeader) -> UInt16? {
        guard header.isUnitStart, let payload = header.payload else { return nil }
        let start = offset + payload.lowerBound
        let pointer = Int(file.unsafeLoad(fromByteOffset: start, as: UInt8.self))
        guard 1 + pointer < payload.count else { return nil }
        var reader = ByteReader(file.extracting(start + 1 + pointer..<offset + payload.upperBound))
        return (try? ProgramAssociationTable(reading: &reader))?.programs.first?.mapPID
    }

    private mutating func readPackets(_ file: RawSpan, _ slots: [Int]) {
        var demuxer = TransportDemuxer()
        do {
            let end = packets * TransportPacketHeader.packetSize
            for start in stride(from: 0, to: end, by: Self.pieceSize) {
                try demuxer.feed(file.extracting(start..<min(start + Self.pieceSize, end))) { packet in
                    take(packet, slots)
                }
            }
            try demuxer.finish { take($0, slots) }
        } catch let error as ParseError {
            if problem == nil { problem = error }
        } catch {}
        programMap = demuxer.programMap
    }

    private mutating func take(_ packet: TransportDemuxer.Packet, _ slots: [Int]) {
        guard let time = packet.presentationTime, slots[Int(packet.pid)] >= 0 else { return }
        let slot = slots[Int(packet.pid)]
        let times = pids[slot].times ?? time...time
        pids[slot].times = min(times.lowerBound, time)...max(times.upperBound, time)
    }

    /// The earliest and the latest presentation time of all streams.
    package var times: ClosedRange<Int64>? {
        let all = pids.compactMap(\.times)
        guard let first = all.map(\.lowerBound).min(), let last = all.map(\.upperBound).max() else { return nil }
        return first...last
    }

    /// Whether a stream of a type is encrypted under SAMPLE-AES.
    package static func isEncrypted(_ type: TransportStreamType) -> Bool { SampleAESStream(encrypted: type) != nil }
}

extension TransportStreamSummary.PID {
    fileprivate mutating func count(_ header: TransportPacketHeader) {
        packets += 1
        if header.isUnitStart { units += 1 }
        if header.programClockReference != nil { clocks += 1 }
        if header.isRandomAccess { randomAccesses += 1 }
        if header.isScrambled { scrambled += 1 }
        if header.hasError { damaged += 1 }
        guard header.payload != nil, pid != ReservedPID.null else { return }
        if let counter, !header.isDiscontinuity, header.continuityCounter != counter,
            header.continuityCounter != (counter + 1) & 15
        {
            continuityErrors += 1
        }
        counter = header.continuityCounter
    }
}
