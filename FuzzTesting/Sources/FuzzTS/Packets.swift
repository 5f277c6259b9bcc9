import ByteCoding
import MediaFormats

/// Returns the stream with a sync byte in each packet, and a correct checksum in each section that is within one
/// packet.
func repaired(_ input: [UInt8]) -> [UInt8] {
    var bytes = input
    for offset in stride(from: 0, through: bytes.count - 188, by: 188) {
        bytes[offset] = TransportPacketHeader.syncByte
        guard let section = section(bytes, offset) else { continue }
        let end = section.upperBound - 4
        let checksum = checksum(bytes[section.lowerBound..<end])
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * index)) }
    }
    return bytes
}

/// Returns the range of the section that starts in a packet, if it ends there.
private func section(_ bytes: [UInt8], _ offset: Int) -> Range<Int>? {
    guard let header = try? TransportPacketHeader(bytes.span.bytes, at: offset), header.isUnitStart,
        let payload = header.payload, !payload.isEmpty
    else { return nil }
    let start = offset + payload.lowerBound + 1 + Int(bytes[offset + payload.lowerBound])
    // A PES packet starts with 00 00 01: a section cannot have such a length.
    guard start + 3 <= offset + 188, bytes[start + 1] & 0x80 != 0 else { return nil }
    let end = start + 3 + Int(bytes[start + 1] & 0x0F) << 8 + Int(bytes[start + 2])
    return end - start >= 12 && end <= offset + 188 ? start..<end : nil
}

/// Computes CRC-32 of ISO/IEC 13818-1, annex A, bit by bit.
private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        value ^= UInt32(byte) << 24
        for _ in 0..<8 { value = value & 0x8000_0000 == 0 ? value << 1 : value << 1 ^ 0x04C1_1DB7 }
    }
    return value
}

/// Checks that tables and PES headers have the same meaning after they are written, and are then written identically.
func checkPackets(_ input: [UInt8]) {
    for offset in stride(from: 0, through: input.count - 188, by: 188) {
        guard let header = try? TransportPacketHeader(input.span.bytes, at: offset) else { continue }
        precondition(header.pid <= ReservedPID.null && header.continuityCounter < 16)
        guard let payload = header.payload else { continue }
        precondition(payload.lowerBound >= 4 && payload.upperBound == 188)
        if let section = section(input, offset) { checkTables(Array(input[section])) }
        checkPES(Array(input[offset + payload.lowerBound..<offset + 188]))
    }
}

private func checkTables(_ section: [UInt8]) {
    do throws(ParseError) {
        var reader = ByteReader(section.span.bytes)
        let table = try ProgramAssociationTable(reading: &reader)
        var again = ByteReader(table.bytes.span.bytes)
        guard let same = try? ProgramAssociationTable(reading: &again) else {
            preconditionFailure("the written table cannot be parsed")
        }
        precondition(same == table && again.remaining == 0 && same.bytes == table.bytes)
    } catch {
        precondition((0...section.count).contains(error.offset))
    }
    do throws(ParseError) {
        var reader = ByteReader(section.span.bytes)
        let table = try ProgramMapTable(reading: &reader)
        var again = ByteReader(table.bytes.span.bytes)
        guard let same = try? ProgramMapTable(reading: &again) else {
            preconditionFailure("the written table cannot be parsed")
        }
        precondition(same == table && again.remaining == 0 && same.bytes == table.bytes)
    } catch {
        precondition((0...section.count).contains(error.offset))
    }
}

private func checkPES(_ payload: [UInt8]) {
    var reader = ByteReader(payload.span.bytes)
    guard var header = try? PESHeader(reading: &reader) else { return }
    // One timestamp is sufficient if both are the same.
    if header.decodeTime == header.presentationTime { header.decodeTime = nil }
    let bytes = header.bytes
    var again = ByteReader(bytes.span.bytes)
    let same = try? PESHeader(reading: &again)
    precondition(same == header && again.remaining == 0, "\(header)")
    precondition(same?.bytes == bytes)
}
