import ByteCoding
import MediaFormats

/// Checks that escaped bytes unescape to the same, contain no start code, and have the required size.
func checkEmulationPrevention(_ input: [UInt8]) {
    let escaped = escape(input)
    precondition(escaped.count <= EmulationPrevention.maximumEscapedSize(of: input.count))
    precondition(escaped == naiveEscape(input))
    precondition(unescape(escaped) == input)
    precondition(unescape(input) == naiveUnescape(input))
    if !escaped.isEmpty {
        var small = [UInt8](repeating: 0, count: escaped.count - 1)
        var span = small.mutableSpan
        var output = span.mutableBytes
        let none = EmulationPrevention.escape(input.span.bytes, into: &output)
        precondition(none == nil)
    }
}

func escape(_ bytes: [UInt8]) -> [UInt8] {
    var escaped = [UInt8](repeating: 0xAA, count: EmulationPrevention.maximumEscapedSize(of: bytes.count))
    var span = escaped.mutableSpan
    var output = span.mutableBytes
    guard let size = EmulationPrevention.escape(bytes.span.bytes, into: &output) else {
        preconditionFailure("the buffer is too small")
    }
    escaped.removeLast(escaped.count - size)
    return escaped
}

func unescape(_ bytes: [UInt8]) -> [UInt8] {
    var unescaped = [UInt8](repeating: 0xAA, count: bytes.count)
    var span = unescaped.mutableSpan
    var output = span.mutableBytes
    guard let size = EmulationPrevention.unescape(bytes.span.bytes, into: &output) else {
        preconditionFailure("the buffer is too small")
    }
    unescaped.removeLast(unescaped.count - size)
    return unescaped
}

/// Escapes byte by byte (ITU-T H.264, 7.4.1.1).
private func naiveEscape(_ bytes: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    var zeros = 0
    for byte in bytes {
        if zeros == 2, byte <= 3 {
            escaped.append(3)
            zeros = 0
        }
        escaped.append(byte)
        zeros = byte == 0 ? zeros + 1 : 0
    }
    if zeros == 2 { escaped.append(3) }
    return escaped
}

/// Unescapes byte by byte (ITU-T H.264, 7.3.1).
private func naiveUnescape(_ bytes: [UInt8]) -> [UInt8] {
    var unescaped: [UInt8] = []
    var zeros = 0
    for byte in bytes {
        if zeros >= 2, byte == 3 {
            zeros = 0
            continue
        }
        unescaped.append(byte)
        zeros = byte == 0 ? zeros + 1 : 0
    }
    return unescaped
}

/// Returns, for each count of leading bytes, the number of bytes that are left without emulation prevention bytes.
private func cleanCounts(_ bytes: [UInt8]) -> [Int] {
    var counts = [0]
    counts.reserveCapacity(bytes.count + 1)
    var zeros = 0
    for byte in bytes {
        let isEmulation = zeros >= 2 && byte == 3
        zeros = byte == 0 ? zeros + 1 : 0
        counts.append(counts[counts.count - 1] + (isEmulation ? 0 : 1))
    }
    return counts
}

/// Checks that a reader that skips emulation prevention bytes reads the same as one that reads unescaped bytes.
func checkBits(_ input: [UInt8]) {
    let clean = naiveUnescape(input)
    let counts = cleanCounts(input)
    var escaped = BitReader(input.span.bytes)
    var plain = BitReader(clean.span.bytes, emulationPrevention: false)
    precondition(escaped.hasMoreData == plain.hasMoreData || clean.count < input.count)
    for byte in input {
        let isRead =
            switch byte >> 6 {
            case 0:
                readSame(&plain, &escaped) { reader throws(ParseError) in try reader.readInt(Int(byte & 31) + 1, "") }
            case 1: readSame(&plain, &escaped) { reader throws(ParseError) in try reader.readUE("") }
            case 2: readSame(&plain, &escaped) { reader throws(ParseError) in try reader.readSE("") }
            default:
                readSame(&plain, &escaped) { reader throws(ParseError) in try reader.readTE("", upTo: Int(byte & 3)) }
            }
        guard isRead else { return }
        precondition(escaped.bitsRead == plain.bitsRead && escaped.bitsRead <= clean.count * 8)
        precondition(escaped.bytesTouched <= input.count && plain.bytesTouched == (plain.bitsRead + 7) / 8)
        precondition(escaped.emulationBytesPassed == escaped.bytesTouched - plain.bytesTouched)
        precondition(counts[escaped.bytesTouched] == plain.bytesTouched)
        precondition(escaped.isByteAligned == plain.isByteAligned)
    }
}

/// Returns whether there is a number; it must be the same for both readers, or missing for both.
private func readSame(
    _ plain: inout BitReader,
    _ escaped: inout BitReader,
    _ read: (inout BitReader) throws(ParseError) -> Int
) -> Bool {
    let value = try? read(&plain)
    let other = try? read(&escaped)
    precondition(value == other)
    return value != nil
}
