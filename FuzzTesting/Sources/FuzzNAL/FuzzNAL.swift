import ByteCoding
import MediaFormats

// NAL units: start codes and length prefixes give the same units; emulation prevention is undone; parameter sets and
// slice headers end inside their NAL units, at the same bit whatever follows; access units are unchanged after a round
// trip.

/// Tests one byte stream, parsed as H.264 and as HEVC.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let units = checkByteStream(input)
    checkEmulationPrevention(input)
    checkBits(input)
    checkH264(units)
    checkHEVC(units)
    for unit in units {
        for headerSize in 1...2 {
            guard let messages = try? SEIMessage.messages(unit.span.bytes, headerSize: headerSize) else { continue }
            // An SEI message has a type and a size, of at least a byte each.
            precondition(messages.count <= unit.count / 2)
        }
    }
    return 0
}

/// Converts the NAL units of a byte stream to samples with length prefixes and back.
func checkByteStream(_ input: [UInt8]) -> [[UInt8]] {
    let stream = input.span.bytes
    let units = byteStreamUnits(input)
    precondition(units == naiveUnits(input))

    var sample = [UInt8](repeating: 0xAA, count: AnnexB.maximumLengthPrefixedSize(of: input.count))
    var span = sample.mutableSpan
    var output = span.mutableBytes
    guard let size = AnnexB.write(byteStream: stream, into: &output) else {
        preconditionFailure("the buffer is too small")
    }
    precondition(size == units.reduce(0) { $0 + 4 + $1.count })
    if size > 0 {
        var small = [UInt8](repeating: 0, count: size - 1)
        var span = small.mutableSpan
        var output = span.mutableBytes
        let none = AnnexB.write(byteStream: stream, into: &output)
        precondition(none == nil)
    }
    sample.removeLast(sample.count - size)
    precondition(lengthPrefixed(sample, 4) == units)
    // One size per input: all sizes would take longer than all other checks.
    let lengthSize = [1, 2, 4][input.count % 3]
    checkLengths(units, lengthSize)
    // The input itself as a sample.
    checkSample(input, lengthSize)
    return units
}

/// Returns the NAL units of a byte stream.
func byteStreamUnits(_ stream: [UInt8]) -> [[UInt8]] {
    var cursor = AnnexBNALUnits()
    var units: [[UInt8]] = []
    while let unit = cursor.next(stream.span.bytes) {
        precondition(!unit.isEmpty && stream[unit].last != 0)
        units.append(Array(stream[unit]))
    }
    return units
}

/// Finds start codes byte by byte.
private func naiveUnits(_ input: [UInt8]) -> [[UInt8]] {
    var units: [[UInt8]] = []
    var begin: Int?
    func close(_ end: Int) {
        guard let begin else { return }
        let unit = Array(input[begin..<end].reversed().drop { $0 == 0 }.reversed())
        if !unit.isEmpty { units.append(unit) }
    }
    var index = 0
    while index + 2 < input.count {
        if input[index] == 0, input[index + 1] == 0, input[index + 2] == 1 {
            close(index)
            begin = index + 3
            index += 3
        } else {
            index += 1
        }
    }
    close(input.count)
    return units
}

/// Returns the NAL units of a sample; nil if its lengths are not valid.
private func lengthPrefixed(_ sample: [UInt8], _ lengthSize: Int) -> [[UInt8]]? {
    var cursor = LengthPrefixedNALUnits(lengthSize: lengthSize)
    var units: [[UInt8]] = []
    do throws(ParseError) {
        while let unit = try cursor.next(sample.span.bytes) { units.append(Array(sample[unit])) }
        return units
    } catch {
        precondition((0...sample.count).contains(error.offset))
        return nil
    }
}

/// Converts NAL units with length prefixes to start codes and back.
private func checkLengths(_ units: [[UInt8]], _ lengthSize: Int) {
    let fitting = units.filter { lengthSize == 4 || $0.count < 1 << (8 * lengthSize) }
    let sample = lengthPrefixed(fitting, lengthSize)
    precondition(lengthPrefixed(sample, lengthSize) == fitting)
    precondition(byteStreamUnits(checkSample(sample, lengthSize) ?? []) == fitting)
}

/// Returns a sample of NAL units, each with a length prefix of `lengthSize` bytes.
func lengthPrefixed(_ units: [[UInt8]], _ lengthSize: Int) -> [UInt8] {
    var sample: [UInt8] = []
    for unit in units {
        for index in (0..<lengthSize).reversed() { sample.append(UInt8(truncatingIfNeeded: unit.count >> (8 * index))) }
        sample += unit
    }
    return sample
}

/// Writes a sample as a byte stream; nil if its lengths are not valid.
@discardableResult
private func checkSample(_ sample: [UInt8], _ lengthSize: Int) -> [UInt8]? {
    var stream = [UInt8](repeating: 0xAA, count: AnnexB.maximumSize(of: sample.count, lengthSize: lengthSize))
    var span = stream.mutableSpan
    var output = span.mutableBytes
    let units = lengthPrefixed(sample, lengthSize)
    do throws(ParseError) {
        let size = try AnnexB.write(lengthPrefixed: sample.span.bytes, lengthSize: lengthSize, into: &output)
        guard let size, let units else { preconditionFailure("the buffer is too small, or the lengths are not valid") }
        stream.removeLast(stream.count - size)
        var expected: [UInt8] = []
        for unit in units where !unit.isEmpty { expected += [0, 0, 0, 1] + unit }
        precondition(stream == expected)
        return stream
    } catch {
        precondition(units == nil)
        return nil
    }
}
