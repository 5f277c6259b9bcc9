import MediaFormats

/// A segment of a transport stream that is being read, with any payload.
protocol TransportSource: SegmentSource {
    /// The continuity counters after the bytes read so far.
    var packetizer: TransportPacketizer { get }
    /// The timeline after the bytes read so far.
    var timeline: TransportTimeline { get }

    /// Returns the counters and the timeline at the end of the segment. Must be called before anything is read.
    func end() throws -> (packetizer: TransportPacketizer, timeline: TransportTimeline)
}

/// A segment of a transport stream that is being read:
///
///     PAT, PMT    at the start, and before each key frame
///     PES         with the program clock in its first packet
///     PCR         in a separate packet, if a sample lasts longer than 0.1 s
final class TransportSegmentSource<Payloads: TransportPayloads>: TransportSource {
    private enum Step {
        case tables
        case header
        case payload
        case clocks(Int)
        case end
    }

    private let program: TransportProgram
    private var payloads: Payloads
    private(set) var packetizer: TransportPacketizer
    private(set) var keyFrames: [KeyFrame] = []
    private var step = Step.tables
    private var unit: TransportUnit?
    /// The number of bytes generated in earlier calls.
    private var position = 0
    /// The offset of the last tables.
    private var tables = 0

    /// The maximum number of separate clock packets for one sample, whose duration in a damaged input may be years.
    private static var clockLimit: Int { 100 }

    init(_ program: TransportProgram, _ payloads: Payloads, _ packetizer: TransportPacketizer) throws {
        self.program = program
        self.payloads = payloads
        self.packetizer = packetizer
        unit = try self.payloads.next()
    }

    var timeline: TransportTimeline { payloads.timeline }

    func end() throws -> (packetizer: TransportPacketizer, timeline: TransportTimeline) {
        var (packetizer, payloads, unit) = (packetizer, payloads, unit)
        var tables = unit?.keyFrame == nil ? 1 : 0
        while let current = unit {
            if current.keyFrame != nil { tables += 1 }
            let packets = TransportPacketizer.packetCount(
                size: current.header(streamID: program.streamID).size + current.size,
                hasClock: true,
                isRandomAccess: current.isRandomAccess
            )
            packetizer.skip(packets, pid: program.pid)
            unit = try payloads.next()
        }
        packetizer.skip(tables, pid: ReservedPID.programAssociation)
        packetizer.skip(tables, pid: TransportProgram.mapPID)
        return (packetizer, payloads.timeline)
    }

    func read(into output: inout MutableRawSpan) throws -> Int {
        precondition(output.byteCount >= SegmentSourceLimits.minimumSize, "the output buffer is too small")
        var end = 0
        while try advance(&output, &end) {}
        position += end
        return end
    }

    /// Performs a step. Returns false if the output is full or the segment is complete.
    private func advance(_ output: inout MutableRawSpan, _ end: inout Int) throws -> Bool {
        switch step {
        case .tables:
            guard output.byteCount - end >= 2 * TransportPacketHeader.packetSize else { return false }
            tables = position + end
            packetizer.writeSection(
                program.association,
                pid: ReservedPID.programAssociation,
                into: &output,
                at: &end
            )
            packetizer.writeSection(program.map, pid: TransportProgram.mapPID, into: &output, at: &end)
            step = unit == nil ? .end : .header
        case .header:
            guard let unit else { return false }
            let isBegun = packetizer.beginPES(
                unit.header(streamID: program.streamID),
                payloadSize: unit.size,
                pid: program.pid,
                programClockReference: TransportTimeline.clock(unit.times.decode),
                isRandomAccess: unit.isRandomAccess,
                into: &output,
                at: &end
            )
            guard isBegun else { return false }
            step = .payload
        case .payload:
            payloads.write(with: &packetizer, into: &output, at: &end)
            guard !packetizer.isOpen else { return false }
            if let presentation = unit?.keyFrame {
                keyFrames.append(
                    KeyFrame(offset: tables, size: position + end - tables, presentation: presentation)
                )
            }
            step = .clocks(1)
        case .clocks(let number):
            guard let unit, number <= Self.clockLimit, Int64(number) * TransportTimeline.clockInterval < unit.duration
            else {
                unit = try payloads.next()
                step = unit == nil ? .end : unit?.keyFrame == nil ? .header : .tables
                return true
            }
            let decode = unit.times.decode &+ Int64(number) * TransportTimeline.clockInterval
            guard packetizer.writePCR(TransportTimeline.clock(decode), pid: program.pid, into: &output, at: &end)
            else { return false }
            step = .clocks(number + 1)
        case .end: return false
        }
        return true
    }
}
