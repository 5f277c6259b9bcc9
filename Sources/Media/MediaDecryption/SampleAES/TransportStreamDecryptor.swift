import ByteCoding
import MediaFormats
import SampleEncryption

/// A decryptor for MPEG-2 transport streams with SAMPLE-AES: H.264, AAC, AC-3 and E-AC-3. Other streams, PCRs and
/// tables do not change, and no byte moves: the output has the size of the input, see ``TransportPacketRewriter``.
///
/// Use one value for all segments of a rendition, in order, because continuity counters continue from one segment to
/// the next.
package struct TransportStreamDecryptor {
    /// The maximum size of a PES packet in bytes.
    private static let maximumPacketSize = 64 << 20

    private var mapPIDs: Set<UInt16> = []
    /// Incomplete table sections by PID.
    private var sections: [UInt16: ReassembledPayload] = [:]
    private var streams: [UInt16: SampleAESElementaryStream] = [:]
    /// The PIDs of the streams in the order of the program map table.
    private var order: [UInt16] = []
    private var hasMap = false

    /// Creates a decryptor for a stream from its start.
    package init() {}

    /// The results so far, by elementary stream.
    package var reports: [DecryptedTrack] { order.compactMap { streams[$0]?.report } }

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
    ///   - output: memory of the size of `input`.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(
        _ input: RawSpan,
        key: DecryptionKey,
        base: Int = 0,
        into output: inout MutableRawSpan
    ) throws {
        precondition(input.byteCount == output.byteCount, "the output must have the size of the input")
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
        // Continuity counters can restart at the start of a segment, and PES packets do not continue across segments.
        for pid in order { try streams[pid]?.begin(key) }
        var offset = 0
        do {
            while offset < input.byteCount {
                try processPacket(input, at: offset, key, base, &output)
                offset += TransportPacketHeader.packetSize
            }
            for pid in order { try streams[pid]?.finish(input, &output) }
        } catch let error as ParseError {
            throw ParseError(error.code, reading: error.reading, offset: error.offset + base, reason: error.reason)
        }
        guard hasMap else {
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
            return streams[header.pid]?.processPacketWithoutPayload(offset: offset, &output) ?? ()
        }
        let range = payload.lowerBound + offset..<payload.upperBound + offset
        if header.pid == ReservedPID.programAssociation || mapPIDs.contains(header.pid) {
            try processSection(input, range, header, key, &output)
        } else {
            try streams[header.pid]?.processPayload(input, offset: offset, range, header, &output)
        }
    }

    // MARK: Tables

    private mutating func processSection(
        _ input: RawSpan,
        _ range: Range<Int>,
        _ header: TransportPacketHeader,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        var payload = header.isUnitStart ? ReassembledPayload() : sections[header.pid] ?? ReassembledPayload()
        guard header.isUnitStart || !payload.bytes.isEmpty else { return }
        payload.append(input, range)
        sections[header.pid] = payload
        // The pointer field contains the offset of the first section.
        let start = 1 + Int(payload.bytes[0])
        guard payload.bytes.count >= start + 3 else { return }
        let length = Int(payload.bytes[start + 1] & 0x0F) << 8 | Int(payload.bytes[start + 2])
        guard payload.bytes.count >= start + 3 + length else { return }
        sections[header.pid] = nil
        let section = start..<start + 3 + length
        let bytes = Array(payload.bytes[section])
        var reader = ByteReader(bytes.span.bytes, base: range.lowerBound)
        if header.pid == ReservedPID.programAssociation {
            // A damaged table is ignored; tables repeat often.
            guard let table = try? ProgramAssociationTable(reading: &reader) else { return }
            for program in table.programs { mapPIDs.insert(program.mapPID) }
        } else {
            guard let table = try? ProgramMapTable(reading: &reader) else { return }
            try updateStreams(table, input, key, &output)
            guard table.isEncrypted else { return }
            // The bytes after the section move with it: more sections, or stuffing.
            var cleared = payload.bytes[..<start] + table.clear.bytes + payload.bytes[section.upperBound...]
            cleared += repeatElement(0xFF, count: max(0, payload.bytes.count - cleared.count))
            payload.bytes = Array(cleared.prefix(payload.bytes.count))
            payload.scatter(payload.bytes.count, to: &output)
        }
    }

    private mutating func updateStreams(
        _ table: ProgramMapTable,
        _ input: RawSpan,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        hasMap = true
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
                var new = SampleAESElementaryStream(kind, pid: stream.pid, maximumPacketSize: Self.maximumPacketSize)
                try new.begin(key)
                streams[stream.pid] = new
                order.append(stream.pid)
            }
        }
    }
}
