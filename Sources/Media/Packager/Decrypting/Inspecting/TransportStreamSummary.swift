package import ByteCoding
import MediaDecryption
package import MediaFormats

/// A transport stream with statistics about its packets.
package struct TransportStreamSummary: Sendable {
    /// Statistics about a PID.
    package struct PID: Sendable {
        /// The packet identifier.
        package var pid: UInt16
        /// The number of transport packets.
        package var packets = 0
        /// The number of PES packets or table sections that start in the packets.
        package var units = 0
        /// The number of continuity counter errors: a lower bound for the number of lost packets.
        package var continuityErrors = 0
        /// The number of packets with a program clock reference.
        package var clocks = 0
        /// The number of packets with the random access indicator.
        package var randomAccesses = 0
        /// The number of packets scrambled by a conditional access system.
        package var scrambled = 0
        /// The number of packets with the transport error indicator.
        package var damaged = 0
        /// The earliest and the latest presentation time, in units of 1/90,000 second, without wraparound.
        package var times: ClosedRange<Int64>?

        fileprivate var counter: UInt8?

        fileprivate init(_ pid: UInt16) { self.pid = pid }
    }

    /// The PIDs in ascending order.
    package private(set) var pids: [PID] = []
    /// The program map of the first program; nil if none was found.
    package private(set) var programMap: ProgramMapTable?
    /// The PID of the first program's map; nil if no program association table was found.
    package private(set) var mapPID: UInt16?
    /// The number of packets.
    package private(set) var packets = 0
    /// The error that stopped the reading; nil if the stream was read to its end.
    package private(set) var problem: ParseError?

    /// The number of bytes demuxed at a time.
    private static let chunkSize = 188 * 4096

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

    /// Returns the PID of the first program map in a program association table; nil if the table spans several packets.
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
            for start in stride(from: 0, to: end, by: Self.chunkSize) {
                try demuxer.feed(file.extracting(start..<min(start + Self.chunkSize, end))) { packet in
                    record(packet, slots)
                }
            }
            try demuxer.finish { record($0, slots) }
        } catch let error as ParseError {
            if problem == nil { problem = error }
        } catch {}
        programMap = demuxer.programMap
    }

    private mutating func record(_ packet: TransportDemuxer.Packet, _ slots: [Int]) {
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

    /// Returns whether a stream type indicates encryption with SAMPLE-AES.
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
