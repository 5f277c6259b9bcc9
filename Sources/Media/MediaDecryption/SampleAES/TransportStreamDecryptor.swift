import ByteCoding
import MediaFormats
import SampleEncryption

/// A decryptor for MPEG-2 transport streams with SAMPLE-AES: H.264, AAC, AC-3 and E-AC-3. Other streams, PCRs and
/// tables do not change, and no byte moves: the output has the size of the input, see ``TransportPacketRewriter``.
///
/// Use one value for all segments of a rendition, in order, because continuity counters continue from one segment to
/// the next.
///
/// Segments of I-frame playlists are byte ranges that begin at a picture, often after the tables, and that can end in
/// the middle of an audio frame. Only their pictures are decrypted.
package struct TransportStreamDecryptor {
    /// The maximum size of a PES packet in bytes.
    private static let maximumPacketSize = 64 << 20

    private var mapPIDs: Set<UInt16> = []
    /// Incomplete table sections by PID.
    private var sections: [UInt16: ReassembledPayload] = [:]
    private var streams: [UInt16: SampleAESElementaryStream] = [:]
    /// The PIDs of the streams in the order of the program map table.
    private var order: [UInt16] = []
    /// True if a program map table has been read.
    package private(set) var hasTables = false
    /// True while a segment of an I-frame playlist is decrypted.
    private var isIFrame = false

    /// Creates a decryptor for a stream from its start.
    package init() {}

    /// The results so far, by elementary stream.
    package var reports: [DecryptedTrack] { order.compactMap { streams[$0]?.report } }

    /// Returns whether the first program map table of a segment contains streams that are encrypted with SAMPLE-AES.
    /// Damaged packets are ignored.
    package static func isEncrypted(_ segment: RawSpan) -> Bool {
        var decryptor = TransportStreamDecryptor()
        try? decryptor.readTables(segment)
        return !decryptor.order.isEmpty
    }

    /// Reads the tables before a segment that contains none, up to the first program map table. The streams of the table
    /// are decrypted in the segments that follow.
    ///
    /// - Parameter packets: transport packets; those with other content are ignored.
    /// - Throws: `ParseError`.
    package mutating func readTables(_ packets: RawSpan) throws {
        let size = TransportPacketHeader.packetSize
        for offset in stride(from: 0, through: packets.byteCount - size, by: size) where !hasTables {
            let header = try TransportPacketHeader(packets, at: offset)
            guard isTable(header.pid), !header.hasError, let payload = header.payload else { continue }
            let range = payload.lowerBound + offset..<payload.upperBound + offset
            guard let section = completeSection(packets, range, header),
                let table = programMap(in: section, header, base: offset)
            else { continue }
            hasTables = true
            for stream in table.streams {
                if let kind = SampleAESStream(encrypted: stream.type) { add(kind, pid: stream.pid) }
            }
        }
    }

    /// Reads the tables of an initialization segment, for segments without tables.
    ///
    /// - Throws: `ParseError` and ``DecryptionError``.
    package mutating func prepare(_ initialization: RawSpan, key: DecryptionKey) throws {
        var output = [UInt8](repeating: 0, count: initialization.byteCount)
        var span = output.mutableSpan
        var bytes = span.mutableBytes
        try decrypt(initialization, key: key, into: &bytes)
    }

    /// Decrypts a segment, or a whole file.
    ///
    /// - Parameters:
    ///   - input: whole transport packets.
    ///   - key: the key and its IV.
    ///   - base: the offset of the first byte in the file, for errors.
    ///   - isIFrame: whether the segment is from an I-frame playlist. Other streams than video do not change. Without
    ///     tables, a stream whose PES packets have a stream ID of video is H.264, the only video that SAMPLE-AES
    ///     supports.
    ///   - output: memory of the size of `input`.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(
        _ input: RawSpan,
        key: DecryptionKey,
        base: Int = 0,
        isIFrame: Bool = false,
        into output: inout MutableRawSpan
    ) throws {
        precondition(input.byteCount == output.byteCount, "the output must have the size of the input")
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
        self.isIFrame = isIFrame
        var offset = 0
        do {
            if isIFrame, !hasTables { try addVideo(in: input) }
            // Continuity counters can restart at the start of a segment, and PES packets do not continue across
            // segments.
            for pid in order { try streams[pid]?.begin(key) }
            while offset < input.byteCount {
                try processPacket(input, at: offset, key, base, &output)
                offset += TransportPacketHeader.packetSize
            }
            for pid in order where isDecrypted(pid) { try streams[pid]?.finish(input, &output) }
        } catch let error as ParseError {
            throw ParseError(error.code, reading: error.reading, offset: error.offset + base, reason: error.reason)
        }
        guard hasTables || isIFrame && !streams.isEmpty else {
            throw ParseError(
                .invalidValue,
                reading: "program map table",
                offset: base,
                reason: "the stream has no program map table"
            )
        }
    }

    private mutating func processPacket(
        _ input: RawSpan,
        at offset: Int,
        _ key: DecryptionKey,
        _ base: Int,
        _ output: inout MutableRawSpan
    ) throws {
        let header = try TransportPacketHeader(input, at: offset)
        guard header.pid != ReservedPID.null, !header.hasError else { return }
        guard let payload = header.payload else {
            guard isDecrypted(header.pid) else { return }
            return streams[header.pid]?.processPacketWithoutPayload(offset: offset, &output) ?? ()
        }
        let range = payload.lowerBound + offset..<payload.upperBound + offset
        if isTable(header.pid) {
            try processSection(input, range, header, key, &output)
        } else if isDecrypted(header.pid) {
            try streams[header.pid]?.processPayload(input, offset: offset, range, header, &output)
        }
    }

    /// Returns whether the packets of a stream are decrypted.
    private func isDecrypted(_ pid: UInt16) -> Bool { !isIFrame || streams[pid]?.kind == .h264 }

    /// Adds the streams whose PES packets have a stream ID of video.
    private mutating func addVideo(in input: RawSpan) throws(ParseError) {
        for offset in stride(from: 0, to: input.byteCount, by: TransportPacketHeader.packetSize) {
            let header = try TransportPacketHeader(input, at: offset)
            guard header.isUnitStart, let payload = header.payload, payload.count >= 4, streams[header.pid] == nil
            else { continue }
            let start = UInt32(
                bigEndian: input.unsafeLoadUnaligned(fromByteOffset: offset + payload.lowerBound, as: UInt32.self)
            )
            if start & 0xFFFF_FFF0 == 0x0000_01E0 { add(.h264, pid: header.pid) }
        }
    }

    private mutating func add(_ kind: SampleAESStream, pid: UInt16) {
        streams[pid] = SampleAESElementaryStream(kind, pid: pid, maximumPacketSize: Self.maximumPacketSize)
        order.append(pid)
    }

    // MARK: Tables

    /// A complete section, with the payload that contains it.
    private struct Section {
        var payload: ReassembledPayload
        var range: Range<Int>
    }

    private func isTable(_ pid: UInt16) -> Bool { pid == ReservedPID.programAssociation || mapPIDs.contains(pid) }

    private mutating func processSection(
        _ input: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        guard var section = completeSection(input, range, header),
            let table = programMap(in: section, header, base: range.lowerBound)
        else { return }
        try updateStreams(table, input, key, &output)
        guard table.isEncrypted else { return }
        // The bytes after the section move with it: more sections, or stuffing.
        let bytes = section.payload.bytes
        var cleared = bytes[..<section.range.lowerBound] + table.clear.bytes + bytes[section.range.upperBound...]
        cleared += repeatElement(0xFF, count: max(0, bytes.count - cleared.count))
        section.payload.bytes = Array(cleared.prefix(bytes.count))
        section.payload.scatter(bytes.count, to: &output)
    }

    /// Adds a packet's payload to the section of its PID; returns the section when it is complete.
    private mutating func completeSection(
        _ input: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader
    ) -> Section? {
        var payload = header.isUnitStart ? ReassembledPayload() : sections[header.pid] ?? ReassembledPayload()
        guard header.isUnitStart || !payload.bytes.isEmpty else { return nil }
        payload.append(input, range)
        sections[header.pid] = payload
        // The pointer field contains the offset of the first section.
        guard let pointer = payload.bytes.first else { return nil }
        let start = 1 + Int(pointer)
        guard payload.bytes.count >= start + 3 else { return nil }
        let length = Int(payload.bytes[start + 1] & 0x0F) << 8 | Int(payload.bytes[start + 2])
        guard payload.bytes.count >= start + 3 + length else { return nil }
        sections[header.pid] = nil
        return Section(payload: payload, range: start..<start + 3 + length)
    }

    /// Parses a section. From a program association table, the PIDs of the program maps are stored; a program map is
    /// returned. A damaged table is ignored; tables repeat often.
    private mutating func programMap(
        in section: Section,
        _ header: TransportPacketHeader,
        base: Int
    ) -> ProgramMapTable? {
        let bytes = Array(section.payload.bytes[section.range])
        var reader = ByteReader(bytes.span.bytes, base: base)
        guard header.pid == ReservedPID.programAssociation else { return try? ProgramMapTable(reading: &reader) }
        for program in (try? ProgramAssociationTable(reading: &reader))?.programs ?? [] {
            mapPIDs.insert(program.mapPID)
        }
        return nil
    }

    private mutating func updateStreams(
        _ table: ProgramMapTable,
        _ input: RawSpan,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        hasTables = true
        for stream in table.streams {
            let kind = SampleAESStream(encrypted: stream.type)
            if var existing = streams[stream.pid] {
                guard existing.kind != kind else { continue }
                // The stream changes from clear to encrypted or back.
                try existing.finish(input, &output)
                existing.kind = kind
                try existing.begin(key)
                streams[stream.pid] = existing
            } else if let kind {
                add(kind, pid: stream.pid)
                try streams[stream.pid]?.begin(key)
            }
        }
    }
}
