import ByteCoding

/// A demultiplexer that splits a transport stream into PES packets (ISO/IEC 13818-1, 2.4). It does no I/O: feed it
/// bytes in parts of any size, and it returns PES packets, each with its PID and its timestamps.
///
/// Only the first program is demultiplexed. Damaged packets are skipped and counted. Input that is not a transport
/// stream is an error.
public struct TransportDemuxer: Sendable {
    /// The payload of a PES packet: usually one access unit of video or several audio frames.
    public struct Packet: Sendable {
        /// The PID of the packet.
        public var pid: UInt16
        /// The presentation time in units of 1/90,000 second, without wraparound; nil if the packet has no timestamp.
        public var presentationTime: Int64?
        /// The decode time in units of 1/90,000 second, without wraparound; nil if the packet has no timestamp.
        public var decodeTime: Int64?
        /// True if decoding can start at the packet (random_access_indicator).
        public var isRandomAccess: Bool
        /// True if transport packets were lost in or before the packet.
        public var isDamaged: Bool
        /// The offset in bytes of its first transport packet in the stream.
        public var offset: Int
        /// The number of program map tables that had started to apply when the packet began. Equal tables in a row count
        /// once.
        public var mapCount: Int
        /// The payload of the packet.
        public var payload: [UInt8]
        /// True if the payload is a splice_info_section, not that of a PES packet; only with
        /// ``TransportDemuxer/returnsSpliceSections``. It has no timestamps.
        public var isSpliceSection = false
    }

    /// Limits for input whose packets never end.
    public struct Limits: Sendable {
        /// The maximum size of a PES packet in bytes: 64 MiB.
        public var packetSize = 64 << 20
        /// The maximum number of bytes before the first program map table: 8 MiB.
        public var preamble = 8 << 20

        /// Creates the default limits.
        public init() {}
    }

    private let limits: Limits
    private var rest: [UInt8] = []
    private var offset = 0
    private var mapPID: UInt16?
    private var programNumber: UInt16?
    /// True if the map tables of several programs have the same PID.
    private var sharesMapPID = false
    private var section: [UInt8] = []
    private var streams: [Stream] = []
    /// The index of each PID's stream in `streams`; -1 for PIDs that are not demultiplexed. An array, because the
    /// lookup runs for every packet.
    private var slots = [Int16](repeating: -1, count: 8192)
    /// The program map table; nil until one has been read.
    public private(set) var programMap: ProgramMapTable?
    /// The number of program map tables so far. Equal tables in a row count once.
    public private(set) var mapCount = 0
    private var newMaps: [ProgramMapTable] = []
    /// The number of times that packets were damaged or lost. A jump of the continuity counter counts, except where
    /// another stream was joined: the timestamps jump too, or a new program map table applies.
    public private(set) var damage = 0
    /// The number of scrambled packets of the program's streams. They are skipped, because they cannot be read.
    public private(set) var scrambledPackets = 0

    /// True if the sections of streams with SCTE-35 commands are returned too.
    public var returnsSpliceSections = false

    /// Creates a demultiplexer for a stream from its start.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Reads the next bytes of the stream and calls `body` with the PES packets that they complete.
    ///
    /// - Throws: `ParseError` if the bytes are not a transport stream, it has no program map table, or a packet is
    ///   larger than the limit; and the errors of `body`.
    public mutating func feed(_ bytes: RawSpan, _ body: (Packet) throws -> Void) throws {
        var position = 0
        if !rest.isEmpty {
            position = min(TransportPacketHeader.packetSize - rest.count, bytes.byteCount)
            bytes.extracting(0..<position).withUnsafeBytes { rest.append(contentsOf: $0) }
            guard rest.count == TransportPacketHeader.packetSize else { return }
            let packet = rest
            rest.removeAll(keepingCapacity: true)
            defer { keepLastPayloads(of: packet.span.bytes) }
            try processPacket(packet.span.bytes, at: 0, body)
            offset += TransportPacketHeader.packetSize
        }
        defer { keepLastPayloads(of: bytes) }
        while bytes.byteCount - position >= TransportPacketHeader.packetSize {
            try processPacket(bytes, at: position, body)
            position += TransportPacketHeader.packetSize
            offset += TransportPacketHeader.packetSize
        }
        bytes.extracting(position..<bytes.byteCount).withUnsafeBytes { rest.append(contentsOf: $0) }
    }

    private mutating func keepLastPayloads(of bytes: RawSpan) {
        for slot in streams.indices { streams[slot].keepLastPayload(of: bytes) }
    }

    /// Finishes the stream and calls `body` with the PES packets that are still incomplete.
    ///
    /// - Throws: `ParseError` if the stream had no program map table; and the errors of `body`.
    public mutating func finish(_ body: (Packet) throws -> Void) throws {
        guard programMap != nil else { throw failure("program map table", "the stream has no program map table") }
        if !rest.isEmpty { damage += 1 }
        for slot in streams.indices { try complete(slot, body) }
    }

    /// Returns the program map tables since the last call; equal tables in a row occur once.
    public mutating func takeProgramMaps() -> [ProgramMapTable] {
        defer { newMaps.removeAll() }
        return newMaps
    }

    private func failure(_ reading: String, _ reason: String) -> ParseError {
        ParseError(.invalidValue, reading: reading, offset: offset, reason: reason)
    }

    private mutating func processPacket(_ bytes: RawSpan, at position: Int, _ body: (Packet) throws -> Void) throws {
        let header: TransportPacketHeader
        do {
            header = try TransportPacketHeader(bytes, at: position)
        } catch {
            // An adaptation field that does not fit in the packet counts as one damaged packet.
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
            try processSection(bytes, range, header, body)
        } else if slots[Int(header.pid)] >= 0 {
            guard !header.isScrambled else { return scrambledPackets += 1 }
            if streams[Int(slots[Int(header.pid)])].hasSections {
                return try processSpliceSections(bytes, range, header, Int(slots[Int(header.pid)]), body)
            }
            try processPES(bytes, range, header, Int(slots[Int(header.pid)]), body)
        } else if programMap == nil, offset > limits.preamble {
            throw failure("program map table", "not found in the first \(limits.preamble) bytes")
        }
    }

    /// Collects a table section. A section with a wrong checksum counts as damage; tables are repeated.
    private mutating func processSection(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ body: (Packet) throws -> Void
    ) throws {
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
        // A table that applies later (current_next_indicator 0) is sent again when it applies.
        guard complete.count > 5, complete[5] & 1 == 1 else { return }
        var reader = ByteReader(complete.span.bytes, base: offset)
        let map: ProgramMapTable
        do throws(ParseError) {
            guard header.pid != ReservedPID.programAssociation else {
                return choose(in: try ProgramAssociationTable(reading: &reader))
            }
            map = try ProgramMapTable(reading: &reader)
        } catch {
            return damage += 1
        }
        guard !sharesMapPID || map.programNumber == programNumber else { return }
        try updateStreams(map, body)
    }

    /// Chooses the program: the same one as before if it is still there, or else the first one.
    private mutating func choose(in table: ProgramAssociationTable) {
        guard let program = table.programs.first(where: { $0.number == programNumber }) ?? table.programs.first else {
            return
        }
        (programNumber, mapPID) = (program.number, program.mapPID)
        sharesMapPID = table.programs.count { $0.mapPID == program.mapPID } > 1
    }

    private mutating func updateStreams(_ map: ProgramMapTable, _ body: (Packet) throws -> Void) throws {
        guard map != programMap else { return }
        // No more packets of a stream that has disappeared will complete its last one. If its type changes, the next packet
        // would complete it after the map applies, in a stream of the new type.
        for slot in streams.indices {
            let pid = streams[slot].pid
            let (before, now) = (programMap?.type(of: pid), map.type(of: pid))
            if now == nil || before != nil && now != before { try complete(slot, body) }
        }
        programMap = map
        mapCount += 1
        newMaps.append(map)
        for stream in map.streams where slots[Int(stream.pid)] < 0 {
            slots[Int(stream.pid)] = Int16(streams.count)
            streams.append(Stream(pid: stream.pid))
        }
        for stream in map.streams { streams[Int(slots[Int(stream.pid)])].hasSections = stream.type.hasSections }
    }

    /// Calls `body` with the splice_info_sections that a packet completes, if they are wanted. A section that a lost packet
    /// contains is dropped; their checksums have not been checked.
    private mutating func processSpliceSections(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ slot: Int,
        _ body: (Packet) throws -> Void
    ) throws {
        let continuity = streams[slot].advance(to: header, bytes, range)
        guard continuity != .repeated else { return }
        if continuity == .lost {
            damage += 1
            streams[slot].sections.reset()
        }
        guard returnsSpliceSections else { return }
        let payload = bytes.extracting(range).withUnsafeBytes { [UInt8]($0) }
        for section in streams[slot].sections.add(payload, isUnitStart: header.isUnitStart)
        where section.first == SpliceInfoSection.tableID {
            let packet = Packet(
                pid: header.pid,
                isRandomAccess: false,
                isDamaged: false,
                offset: offset,
                mapCount: mapCount,
                payload: section,
                isSpliceSection: true
            )
            try body(packet)
        }
    }

    private mutating func processPES(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ slot: Int,
        _ body: (Packet) throws -> Void
    ) throws {
        let continuity = streams[slot].advance(to: header, bytes, range)
        guard continuity != .repeated else { return }
        let isLost = continuity == .lost
        if isLost, !header.isUnitStart { damage += 1 }
        if header.isUnitStart {
            try complete(slot, body)
            var reader = ByteReader(bytes.extracting(range), base: offset)
            let packet: PESHeader
            do {
                packet = try PESHeader(reading: &reader)
            } catch {
                damage += 1
                return
            }
            if isLost, streams[slot].mapCount == mapCount, !streams[slot].jumps(at: packet) { damage += 1 }
            streams[slot].header = packet
            streams[slot].payloadLength = packet.payloadLength ?? .max
            streams[slot].offset = offset
            streams[slot].mapCount = mapCount
            streams[slot].isRandomAccess = header.isRandomAccess
            streams[slot].isDamaged = isLost
            let start = range.upperBound - reader.remaining
            streams[slot].append(bytes, start..<range.upperBound)
        } else if streams[slot].payloadLength != nil {
            streams[slot].append(bytes, range)
        }
        let size = streams[slot].payload.count
        guard size <= limits.packetSize else {
            throw failure("PES packet", "the packet is larger than \(limits.packetSize) bytes")
        }
        if let length = streams[slot].payloadLength, size >= length { try complete(slot, body) }
    }

    /// Calls `body` with the current packet of a stream.
    private mutating func complete(_ slot: Int, _ body: (Packet) throws -> Void) throws {
        guard let header = streams[slot].header else { return }
        var payload: [UInt8] = []
        swap(&payload, &streams[slot].payload)
        if let length = header.payloadLength {
            if payload.count < length { streams[slot].isDamaged = true }
            payload.removeLast(max(0, payload.count - length))
        }
        // The decode time is unwrapped first, because decode times differ less from each other than presentation times.
        let decode = (header.decodeTime ?? header.presentationTime).map { streams[slot].unwrapper.unwrap($0) }
        var presentation = decode
        if let decode, let own = header.presentationTime, let reference = header.decodeTime {
            let difference = Int64(own) - Int64(reference)
            let period: Int64 = 1 << 33
            presentation = decode + (difference < -period / 2 ? difference + period : difference)
        }
        let isDamaged = streams[slot].isDamaged
        if isDamaged && payload.count < (header.payloadLength ?? 0) { damage += 1 }
        streams[slot].header = nil
        streams[slot].payloadLength = nil
        streams[slot].isDamaged = false
        // Packets of a stream have similar sizes. Without this, the payload is copied whenever it doubles.
        streams[slot].payload.reserveCapacity(min(payload.count, Self.reservedSize))
        let packet = Packet(
            pid: streams[slot].pid,
            presentationTime: presentation,
            decodeTime: decode,
            isRandomAccess: streams[slot].isRandomAccess,
            isDamaged: isDamaged,
            offset: streams[slot].offset,
            mapCount: streams[slot].mapCount,
            payload: payload
        )
        try body(packet)
    }

    /// The maximum number of bytes that are allocated for a packet before it arrives.
    private static let reservedSize = 256 << 10
}

extension ProgramMapTable {
    fileprivate func type(of pid: UInt16) -> TransportStreamType? { streams.first { $0.pid == pid }?.type }
}

extension TransportStreamType {
    /// True if the packets of the stream contain sections, not PES packets: private sections, DSM-CC and SCTE-35.
    fileprivate var hasSections: Bool { [0x05, 0x0B, 0x0C, 0x0D, 0x14, Self.splices.rawValue].contains(rawValue) }
}
