import ByteCoding
import MediaFormats
import SampleEncryption

/// Decrypts MPEG-2 transport streams under SAMPLE-AES: H.264, AAC, AC-3 and E-AC-3. Other streams, clocks and tables stay
/// as they are, and where they are: the output has the size of the input, see ``TransportPacketShrinking``.
///
/// The segments of a rendition go through one value, in order: continuity counters go on from one to the next.
package struct TransportStreamDecryptor {
    /// The greatest size of a PES packet in bytes.
    private static let largestPacket = 64 << 20

    private var mapPIDs: Set<UInt16> = []
    /// Table sections that are not complete yet.
    private var sections: [UInt16: GatheredPayload] = [:]
    private var streams: [UInt16: SampleAESElementaryStream] = [:]
    /// The streams in the order of the program map.
    private var order: [UInt16] = []
    private var hasMap = false

    /// Starts at the beginning of a stream.
    package init() {}

    /// What was done so far, by elementary stream.
    package var reports: [DecryptedTrack] { order.compactMap { streams[$0]?.report } }

    /// Takes the tables of an init segment, for segments that have none.
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
    ///   - input: Whole transport packets.
    ///   - key: The key, with its vector.
    ///   - base: The offset of the first byte in the file, for errors.
    ///   - output: As large as `input`.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(
        _ input: RawSpan,
        key: DecryptionKey,
        base: Int = 0,
        into output: inout MutableRawSpan
    ) throws {
        precondition(input.byteCount == output.byteCount, "the output is as large as the input")
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
        // Counters need not go on, and packets are not continued, from one segment to the next.
        for pid in order { try streams[pid]?.begin(key) }
        var offset = 0
        do {
            while offset < input.byteCount {
                try take(input, at: offset, key, base, &output)
                offset += TransportPacketHeader.packetSize
            }
            for pid in order { try streams[pid]?.finish(input, &output) }
        } catch let error as ParseError {
            throw ParseError(error.code, reading: error.reading, offset: error.offset + base, reason: error.reason)
        }
        guard hasMap else {
            throw ParseError(.invalidValue, reading: "program map table", offset: base, reason: "there is none")
        }
    }

    private mutating func take(
        _ input: RawSpan,
        at offset: Int,
        _ key: DecryptionKey,
        _ base: Int,
        _ output: inout MutableRawSpan
    ) throws {
        let header = try TransportPacketHeader(input, at: offset)
        guard header.pid != ReservedPID.null, !header.hasError else { return }
        guard let payload = header.payload else { return streams[header.pid]?.takeClock(offset: offset, &output) ?? () }
        let place = payload.lowerBound + offset..<payload.upperBound + offset
        if header.pid == ReservedPID.programAssociation || mapPIDs.contains(header.pid) {
            try takeSection(input, place, header, key, &output)
        } else {
            try streams[header.pid]?.take(input, offset: offset, place, header, &output)
        }
    }

    // MARK: Tables

    private mutating func takeSection(
        _ input: RawSpan,
        _ place: Range<Int>,
        _ header: TransportPacketHeader,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        var payload = header.isUnitStart ? GatheredPayload() : sections[header.pid] ?? GatheredPayload()
        guard header.isUnitStart || !payload.bytes.isEmpty else { return }
        payload.append(input, place)
        sections[header.pid] = payload
        // The pointer field says where the first section begins.
        let start = 1 + Int(payload.bytes[0])
        guard payload.bytes.count >= start + 3 else { return }
        let length = Int(payload.bytes[start + 1] & 0x0F) << 8 | Int(payload.bytes[start + 2])
        guard payload.bytes.count >= start + 3 + length else { return }
        sections[header.pid] = nil
        let section = start..<start + 3 + length
        let bytes = Array(payload.bytes[section])
        var reader = ByteReader(bytes.span.bytes, base: place.lowerBound)
        if header.pid == ReservedPID.programAssociation {
            // A damaged table is as good as none; the next one comes soon.
            guard let table = try? ProgramAssociationTable(reading: &reader) else { return }
            for program in table.programs { mapPIDs.insert(program.mapPID) }
        } else {
            guard let table = try? ProgramMapTable(reading: &reader) else { return }
            try take(table, input, key, &output)
            guard table.isEncrypted else { return }
            // What is behind the section goes with it: more sections, or stuffing.
            var cleared = payload.bytes[..<start] + table.clear.bytes + payload.bytes[section.upperBound...]
            cleared += repeatElement(0xFF, count: max(0, payload.bytes.count - cleared.count))
            payload.bytes = Array(cleared.prefix(payload.bytes.count))
            payload.scatter(payload.bytes.count, to: &output)
        }
    }

    private mutating func take(
        _ table: ProgramMapTable,
        _ input: RawSpan,
        _ key: DecryptionKey,
        _ output: inout MutableRawSpan
    ) throws {
        hasMap = true
        for stream in table.streams {
            let kind = SampleAESStream(encrypted: stream.type)
            if var known = streams[stream.pid] {
                guard known.kind != kind else { continue }
                // A clear lead ends, or encryption does.
                try known.finish(input, &output)
                known.kind = kind
                try known.begin(key)
                streams[stream.pid] = known
            } else if let kind {
                var new = SampleAESElementaryStream(kind, pid: stream.pid, largestPacket: Self.largestPacket)
                try new.begin(key)
                streams[stream.pid] = new
                order.append(stream.pid)
            }
        }
    }
}
