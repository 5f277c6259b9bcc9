import ByteCoding
import MediaFormats

func checkH264(_ units: [[UInt8]]) {
    var sets = H264ParameterSets()
    var sequences: [[UInt8]] = []
    var pictures: [[UInt8]] = []
    for unit in units {
        do throws(ParseError) {
            guard try sets.update(unit.span.bytes) else {
                checkSlice(unit, sets)
                continue
            }
        } catch {
            precondition((0...unit.count).contains(error.offset))
            continue
        }
        if H264NALHeader(rawValue: unit[0]).type == .sequenceParameterSet {
            sequences.append(unit)
            guard let set = sets.latestSequence else { preconditionFailure("the last parameter set is missing") }
            precondition(sets.sequence(set.id) == set && set.codecs().utf8.count == 11)
            precondition(set.croppedSize.width <= set.codedSize.width && set.croppedSize.width > 0)
            precondition(set.croppedSize.height <= set.codedSize.height && set.croppedSize.height > 0)
            _ = set.displaySize
            _ = set.fixedFrameRate?.value
            checkRange(set.usability)
        } else {
            pictures.append(unit)
            // Both kinds of parameter sets are found by their IDs; an unused ID gives none.
            for id in [0, 1, 255, -1, 256] { precondition(sets.picture(id).map { $0.id == id } ?? true) }
        }
    }
    checkConfiguration(sequences.suffix(3), pictures.suffix(3))
    checkAccessUnits(units)
}

/// The values of the track's box have priority over those of the codec.
func checkRange(_ usability: VideoUsabilityInformation) {
    let range = DynamicRange(container: nil, codec: usability.color)
    precondition(range == usability.color?.dynamicRange ?? .sdr)
    precondition(DynamicRange(container: usability.color, codec: nil, alternativeTransfer: 18) == .hlg)
}

/// A slice header ends where it declares: with exactly its bytes it is the same, with one byte less parsing fails.
private func checkSlice(_ unit: [UInt8], _ sets: H264ParameterSets) {
    guard let slice = try? H264SliceHeader(unit.span.bytes, parameterSets: sets) else { return }
    precondition(slice.clearByteCount <= unit.count && slice.bitCount > 8)
    precondition(H264NALHeader(rawValue: unit[0]).type.isVideoCodingLayer)
    let clear = Array(unit[..<slice.clearByteCount])
    precondition(unescape(clear).count == (slice.bitCount + 7) / 8)
    let same = try? H264SliceHeader(clear.span.bytes, parameterSets: sets)
    precondition(same == slice)
    let less = Array(clear.dropLast())
    let none = try? H264SliceHeader(less.span.bytes, parameterSets: sets)
    precondition(none == nil)
}

/// Parameter sets that are put into an avcC box can be read back, and are active.
private func checkConfiguration(_ sequences: ArraySlice<[UInt8]>, _ pictures: ArraySlice<[UInt8]>) {
    func fits(_ unit: [UInt8]) -> Bool { unit.count < 1 << 16 }
    guard
        let box = try? AVCConfigurationBox(
            sequenceParameterSets: sequences.filter(fits),
            pictureParameterSets: pictures.filter(fits)
        )
    else { return }
    let raw = RawBox(box)
    guard let same = try? raw.parse(as: AVCConfigurationBox.self) else {
        preconditionFailure("the written box cannot be parsed")
    }
    precondition(same == box && box.codecs(sampleEntry: "avc3").utf8.count == 11)
    _ = try? H264ParameterSets(box)
}

/// Access units that are written as a byte stream are unchanged when read, each after a delimiter.
private func checkAccessUnits(_ units: [[UInt8]]) {
    var splitter = H264AccessUnitSplitter()
    // Invalid NAL units do not affect the following ones.
    let readable = units.filter { (try? splitter.startsAccessUnit($0.span.bytes)) != nil }
    splitter = H264AccessUnitSplitter()
    let accessUnits = split(readable) { unit throws(ParseError) in try splitter.startsAccessUnit(unit.span.bytes) }
    // Without parameter sets in the box, none are inserted.
    guard
        let box = try? RawBox(type: "avcC", content: [1, 66, 0, 30, 0xFF, 0xE0, 0]).parse(as: AVCConfigurationBox.self)
    else { preconditionFailure("an avcC box without parameter sets") }
    let writer = ByteStreamWriter(box)
    var stream: [UInt8] = []
    for accessUnit in accessUnits {
        let sample = lengthPrefixed(accessUnit, 4)
        guard let summary = try? H264AccessUnit.summary(sample.span.bytes, lengthSize: 4) else {
            preconditionFailure("lengths that are not valid")
        }
        let slices = accessUnit.filter { [1, 2, 5].contains($0[0] & 31) }
        precondition(summary.sliceCount == slices.count)
        precondition(summary.randomAccess.isSyncSample == slices.contains { $0[0] & 31 == 5 })
        precondition(summary.startsWithDelimiter == (accessUnit[0][0] & 31 == 9))
        stream += written(sample, writer.maximumSize(of: sample.count)) { output throws(ParseError) in
            try writer.write(sample.span.bytes, into: &output)
        }
    }
    var again = H264AccessUnitSplitter()
    let same = split(byteStreamUnits(stream)) { unit throws(ParseError) in try again.startsAccessUnit(unit.span.bytes) }
    func undelimited(_ accessUnit: [[UInt8]]) -> [[UInt8]] { accessUnit.filter { $0[0] & 31 != 9 } }
    precondition(same.count == accessUnits.count, "\(same.count) access units, expected \(accessUnits.count)")
    precondition(same.map(undelimited) == accessUnits.map(undelimited))
    precondition(same.allSatisfy { $0[0][0] & 31 == 9 })
}

/// Splits NAL units into access units; a unit that cannot be parsed belongs to the access unit before it.
func split(_ units: [[UInt8]], _ starts: ([UInt8]) throws(ParseError) -> Bool) -> [[[UInt8]]] {
    var accessUnits: [[[UInt8]]] = []
    for unit in units {
        if (try? starts(unit)) ?? false || accessUnits.isEmpty { accessUnits.append([]) }
        accessUnits[accessUnits.count - 1].append(unit)
    }
    return accessUnits
}

/// Returns the bytes that are written into a buffer of sufficient size.
func written(_ sample: [UInt8], _ size: Int, _ write: (inout MutableRawSpan) throws(ParseError) -> Int?) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xAA, count: size)
    var span = bytes.mutableSpan
    var output = span.mutableBytes
    let count: Int?
    do throws(ParseError) { count = try write(&output) } catch { preconditionFailure("\(error)") }
    guard let count else { preconditionFailure("the buffer is too small") }
    return Array(bytes[..<count])
}
