import ByteCoding
import MediaFormats

// NAL units: start codes and lengths are the same units; emulation prevention is undone; parameter sets and slice headers
// end inside their NAL units, at the same bit however much follows; access units come out as they went in.

/// One byte stream, taken as H.264 and as HEVC.
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
            // A message has a type and a size, a byte each at least.
            precondition(messages.count <= unit.count / 2)
        }
    }
    return 0
}

/// The NAL units of a byte stream, which come back from samples with lengths.
func checkByteStream(_ input: [UInt8]) -> [[UInt8]] {
    let stream = input.span.bytes
    let units = byteStreamUnits(input)
    precondition(units == naiveUnits(input))

    var sample = [UInt8](repeating: 0xAA, count: AnnexB.maximumLengthPrefixedSize(of: input.count))
    var span = sample.mutableSpan
    var output = span.mutableBytes
    guard let size = AnnexB.write(byteStream: stream, into: &output) else { preconditionFailure("no room") }
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
    // One size for each input: all would take longer than everything else.
    let lengthSize = [1, 2, 4][input.count % 3]
    checkLengths(units, lengthSize)
    // The input itself as a sample.
    checkSample(input, lengthSize)
    return units
}

/// The NAL units of a byte stream.
func byteStreamUnits(_ stream: [UInt8]) -> [[UInt8]] {
    var cursor = AnnexBNALUnits()
    var units: [[UInt8]] = []
    while let unit = cursor.next(stream.span.bytes) {
        precondition(!unit.isEmpty && stream[unit].last != 0)
        units.append(Array(stream[unit]))
    }
    return units
}

/// Start codes found byte by byte.
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

/// The NAL units of a sample; nil when its lengths do not fit.
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

/// NAL units behind lengths come back from behind start codes.
private func checkLengths(_ units: [[UInt8]], _ lengthSize: Int) {
    let fitting = units.filter { lengthSize == 4 || $0.count < 1 << (8 * lengthSize) }
    let sample = lengthPrefixed(fitting, lengthSize)
    precondition(lengthPrefixed(sample, lengthSize) == fitting)
    precondition(byteStreamUnits(checkSample(sample, lengthSize) ?? []) == fitting)
}

/// A sample of NAL units, each behind a length of `lengthSize` bytes.
func lengthPrefixed(_ units: [[UInt8]], _ lengthSize: Int) -> [UInt8] {
    var sample: [UInt8] = []
    for unit in units {
        for index in (0..<lengthSize).reversed() { sample.append(UInt8(truncatingIfNeeded: unit.count >> (8 * index))) }
        sample += unit
    }
    return sample
}

/// Writes a sample as a byte stream; nil when its lengths do not fit.
@discardableResult
private func checkSample(_ sample: [UInt8], _ lengthSize: Int) -> [UInt8]? {
    var stream = [UInt8](repeating: 0xAA, count: AnnexB.maximumSize(of: sample.count, lengthSize: lengthSize))
    var span = stream.mutableSpan
    var output = span.mutableBytes
    let units = lengthPrefixed(sample, lengthSize)
    do throws(ParseError) {
        let size = try AnnexB.write(lengthPrefixed: sample.span.bytes, lengthSize: lengthSize, into: &output)
        guard let size, let units else { preconditionFailure("no room, or lengths that do not fit") }
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
