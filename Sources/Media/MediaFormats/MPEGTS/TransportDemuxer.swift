import ByteCoding

/// Takes a transport stream apart into the payloads of its PES packets (ISO/IEC 13818-1, 2.4). A value without I/O:
/// bytes go in, in pieces of any size, and come out as PES packets, each with its stream and its times.
///
/// The first program is taken. What is damaged is left out and counted; a stream that is no transport stream is an
/// error.
public struct TransportDemuxer: Sendable {
    /// The payload of a PES packet: as a rule one access unit, or several frames of audio.
    public struct Packet: Sendable {
        /// The PID.
        public var pid: UInt16
        /// When it is presented, in units of 1/90,000 second on a line without end; nil when nothing is said.
        public var presentationTime: Int64?
        /// When it is decoded.
        public var decodeTime: Int64?
        /// Whether decoding can start here, as the packet's header says.
        public var isRandomAccess: Bool
        /// Whether packets were lost before or in it.
        public var isDamaged: Bool
        /// The offset of its first transport packet in the stream.
        public var offset: Int
        /// The bytes.
        public var payload: [UInt8]
    }

    /// Limits, against input that never ends a packet.
    public struct Limits: Sendable {
        /// The greatest size of a PES packet in bytes: 64 MiB.
        public var packetSize = 64 << 20
        /// How many bytes may precede the first program map: 8 MiB.
        public var preamble = 8 << 20

        /// The documented limits.
        public init() {}
    }

    private struct Stream {
        let pid: UInt16
        var header: PESHeader?
        var payload: [UInt8] = []
        var offset = 0
        var isRandomAccess = false
        var isDamaged = false
        var counter: UInt8?
        var unwrapper = TimestampUnwrapper()
    }

    private let limits: Limits
    private var rest: [UInt8] = []
    private var offset = 0
    private var mapPID: UInt16?
    private var section: [UInt8] = []
    private var streams: [Stream] = []
    /// The place of each PID's stream; -1 for those that are not taken. There are packets by the million.
    private var slots = [Int16](repeating: -1, count: 8192)
    /// The program's streams; nil until its map has come.
    public private(set) var programMap: ProgramMapTable?
    /// How many packets were damaged or lost.
    public private(set) var damage = 0
    /// How many packets of the program's streams were scrambled. They are left out, since nothing can be read of them.
    public private(set) var scrambledPackets = 0

    /// Starts at the beginning of a stream.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes the next bytes of the stream, and gives the PES packets that they complete to `body`.
    ///
    /// - Throws: `ParseError` when it is no transport stream, has no program map, or a packet is larger than the limit;
    ///   and what `body` throws.
    public mutating func feed(_ bytes: RawSpan, _ body: (Packet) throws -> Void) throws {
        var position = 0
        if !rest.isEmpty {
            position = min(TransportPacketHeader.packetSize - rest.count, bytes.byteCount)
            bytes.extracting(0..<position).withUnsafeBytes { rest.append(contentsOf: $0) }
            guard rest.count == TransportPacketHeader.packetSize else { return }
            let packet = rest
            rest.removeAll(keepingCapacity: true)
            try take(packet.span.bytes, at: 0, body)
            offset += TransportPacketHeader.packetSize
        }
        while bytes.byteCount - position >= TransportPacketHeader.packetSize {
            try take(bytes, at: position, body)
            position += TransportPacketHeader.packetSize
            offset += TransportPacketHeader.packetSize
        }
        bytes.extracting(position..<bytes.byteCount).withUnsafeBytes { rest.append(contentsOf: $0) }
    }

    /// Takes the end of the stream, and gives what is still open to `body`.
    ///
    /// - Throws: `ParseError` when the stream had no program map; and what `body` throws.
    public mutating func finish(_ body: (Packet) throws -> Void) throws {
        guard programMap != nil else { throw failure("program map table", "there is none") }
        if !rest.isEmpty { damage += 1 }
        for slot in streams.indices { try complete(slot, body) }
    }

    private func failure(_ reading: String, _ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: reading, offset: offset, reason: reason)
    }

    private mutating func take(_ bytes: RawSpan, at position: Int, _ body: (Packet) throws -> Void) throws {
        let header: TransportPacketHeader
        do {
            header = try TransportPacketHeader(bytes, at: position)
        } catch {
            // An adaptation field that does not fit is one damaged packet.
            guard error.code != .invalidLength else { return damage += 1 }
            throw ParseError(error.code, reading: error.reading, offset: offset, reason: error.reason)
        }
        guard let payload = header.payload, header.pid != ReservedPID.null else { return }
        guard !header.hasError else {
            damage += 1
            return
        }
        let range = payload.lowerBound + position..<payload.upperBound + position
        if header.pid == ReservedPID.programAssociation || header.pid == mapPID {
            try takeSection(bytes, range, header)
        } else if slots[Int(header.pid)] >= 0 {
            guard !header.isScrambled else { return scrambledPackets += 1 }
            try takePES(bytes, range, header, Int(slots[Int(header.pid)]), body)
        } else if programMap == nil, offset > limits.preamble {
            throw failure("program map table", "there is none in the first \(limits.preamble) bytes")
        }
    }

    /// Collects a table section. A section with a wrong checksum is damage; the next one is as good.
    private mutating func takeSection(_ bytes: RawSpan, _ range: Range<Int>, _ header: TransportPacketHeader) throws {
        let payload = bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }
        if header.isUnitStart {
            guard let pointer = payload.first.map(Int.init), pointer + 1 < payload.count else { return damage += 1 }
            section = Array(payload[(pointer + 1)...])
        } else {
            section += payload
        }
        guard section.count >= 3 else { return }
        let length = Int(section[1] & 0x0F) << 8 | Int(section[2])
        guard section.count >= 3 + length else {
            if section.count > 4096 { section.removeAll() }
            return
        }
        let complete = section
        section.removeAll()
        var reader = ByteReader(complete.span.bytes, base: offset)
        do {
            if header.pid == ReservedPID.programAssociation {
                let table = try ProgramAssociationTable(reading: &reader)
                if mapPID == nil { mapPID = table.programs.first?.mapPID }
            } else {
                take(try ProgramMapTable(reading: &reader))
            }
        } catch {
            damage += 1
        }
    }

    private mutating func take(_ map: ProgramMapTable) {
        programMap = map
        for stream in map.streams where slots[Int(stream.pid)] < 0 {
            slots[Int(stream.pid)] = Int16(streams.count)
            streams.append(Stream(pid: stream.pid))
        }
    }

    private mutating func takePES(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ slot: Int,
        _ body: (Packet) throws -> Void
    ) throws {
        var isLost = false
        if let last = streams[slot].counter, !header.isDiscontinuity {
            // The same packet may come twice.
            if header.continuityCounter == last { return }
            if header.continuityCounter != (last + 1) & 15 {
                damage += 1
                isLost = true
                streams[slot].isDamaged = true
            }
        }
        streams[slot].counter = header.continuityCounter
        if header.isUnitStart {
            try complete(slot, body)
            var reader = ByteReader(bytes.extracting(range), base: offset)
            do {
                streams[slot].header = try PESHeader(reading: &reader)
            } catch {
                damage += 1
                return
            }
            streams[slot].offset = offset
            streams[slot].isRandomAccess = header.isRandomAccess
            streams[slot].isDamaged = isLost
            let start = range.upperBound - reader.remaining
            append(bytes, start..<range.upperBound, slot)
        } else if streams[slot].header != nil {
            append(bytes, range, slot)
        }
        guard streams[slot].payload.count <= limits.packetSize else {
            throw failure("PES packet", "it is larger than \(limits.packetSize) bytes")
        }
        if let length = streams[slot].header?.payloadLength, streams[slot].payload.count >= length {
            try complete(slot, body)
        }
    }

    private mutating func append(_ bytes: RawSpan, _ range: Range<Int>, _ slot: Int) {
        bytes.extracting(range).withUnsafeBytes { streams[slot].payload.append(contentsOf: $0) }
    }

    /// Gives away the packet that is open.
    private mutating func complete(_ slot: Int, _ body: (Packet) throws -> Void) throws {
        guard let header = streams[slot].header else { return }
        var payload: [UInt8] = []
        swap(&payload, &streams[slot].payload)
        var stream = streams[slot]
        if let length = header.payloadLength {
            if payload.count < length { stream.isDamaged = true }
            payload.removeLast(max(0, payload.count - length))
        }
        // Decode times are nearer to one another than presentation times.
        let decode = (header.decodeTime ?? header.presentationTime).map { stream.unwrapper.unwrap($0) }
        var presentation = decode
        if let decode, let own = header.presentationTime, let reference = header.decodeTime {
            let difference = Int64(own) - Int64(reference)
            let period: Int64 = 1 << 33
            presentation = decode + (difference < -period / 2 ? difference + period : difference)
        }
        let packet = Packet(
            pid: stream.pid,
            presentationTime: presentation,
            decodeTime: decode,
            isRandomAccess: stream.isRandomAccess,
            isDamaged: stream.isDamaged,
            offset: stream.offset,
            payload: payload
        )
        if stream.isDamaged && payload.count < (header.payloadLength ?? 0) { damage += 1 }
        stream.header = nil
        stream.isDamaged = false
        streams[slot] = stream
        try body(packet)
    }
}
