import ByteCoding
import MediaFormats

func checkHEVC(_ units: [[UInt8]]) {
    var sets = HEVCParameterSets()
    var byType: [HEVCNALUnitType: [[UInt8]]] = [:]
    for unit in units {
        guard let header = HEVCNALHeader(unit.span.bytes) else { continue }
        if header.type == .videoParameterSet { _ = try? HEVCVideoParameterSet(unit.span.bytes) }
        do throws(ParseError) {
            guard try sets.update(unit.span.bytes) else {
                checkSlice(unit, sets)
                continue
            }
        } catch {
            precondition((0...unit.count).contains(error.offset))
            continue
        }
        byType[header.type, default: []].append(unit)
        // Parameter sets are found by their IDs; an unused ID gives none.
        for id in [0, 1, 63, -1, 64] { precondition(sets.picture(id).map { $0.id == id } ?? true) }
        if header.type == .sequenceParameterSet {
            guard let set = sets.latestSequence else { preconditionFailure("the last parameter set is missing") }
            precondition(sets.sequence(set.id) == set && set.profileTierLevel.codecs().hasPrefix("hvc1."))
            precondition(set.croppedSize.width <= set.codedSize.width && set.croppedSize.width > 0)
            precondition(set.croppedSize.height <= set.codedSize.height && set.croppedSize.height > 0)
            _ = set.displaySize
            precondition(set.fixedFrameRate.map { $0 == set.nominalFrameRate } ?? true)
            checkRange(set.usability)
        }
    }
    checkConfiguration(byType)
    checkAccessUnits(units)
}

/// A slice segment header ends where it declares: with exactly its bytes it is the same, with one less parsing fails.
private func checkSlice(_ unit: [UInt8], _ sets: HEVCParameterSets) {
    guard let slice = try? HEVCSliceHeader(unit.span.bytes, parameterSets: sets) else { return }
    precondition(slice.clearByteCount <= unit.count && slice.bitCount % 8 == 0 && slice.bitCount > 16)
    precondition(HEVCNALHeader(unit.span.bytes).map { (-1...6).contains($0.temporalLayer) } ?? false)
    let clear = Array(unit[..<slice.clearByteCount])
    precondition(unescape(clear).count == slice.bitCount / 8)
    let same = try? HEVCSliceHeader(clear.span.bytes, parameterSets: sets)
    precondition(same == slice)
    let less = Array(clear.dropLast())
    let none = try? HEVCSliceHeader(less.span.bytes, parameterSets: sets)
    precondition(none == nil)
}

/// Parameter sets that are put into an hvcC box can be read back, and are active.
private func checkConfiguration(_ byType: [HEVCNALUnitType: [[UInt8]]]) {
    func last(_ type: HEVCNALUnitType) -> [[UInt8]] { (byType[type] ?? []).suffix(3).filter { $0.count < 1 << 16 } }
    guard
        let box = try? HEVCConfigurationBox(
            videoParameterSets: last(.videoParameterSet),
            sequenceParameterSets: last(.sequenceParameterSet),
            pictureParameterSets: last(.pictureParameterSet)
        )
    else { return }
    let raw = RawBox(box)
    guard let same = try? raw.parse(as: HEVCConfigurationBox.self) else {
        preconditionFailure("the written box cannot be parsed")
    }
    precondition(same == box)
    _ = try? HEVCParameterSets(box)
}

/// Access units that are written as a byte stream are unchanged when read, each after a delimiter.
private func checkAccessUnits(_ units: [[UInt8]]) {
    // Less than a header is not a NAL unit; other layers form separate access units.
    let units = units.filter { HEVCNALHeader($0.span.bytes)?.layer == 0 }
    var splitter = HEVCAccessUnitSplitter()
    let accessUnits = split(units) { unit in splitter.startsAccessUnit(unit.span.bytes) }
    var content = [UInt8](repeating: 0, count: 23)
    (content[0], content[21]) = (1, 3)
    guard let box = try? RawBox(type: "hvcC", content: content).parse(as: HEVCConfigurationBox.self) else {
        preconditionFailure("an hvcC box without parameter sets")
    }
    let writer = ByteStreamWriter(box)
    var stream: [UInt8] = []
    for accessUnit in accessUnits {
        let sample = lengthPrefixed(accessUnit, 4)
        guard let summary = try? HEVCAccessUnit.summary(sample.span.bytes, lengthSize: 4) else {
            preconditionFailure("lengths that are not valid")
        }
        let slices = accessUnit.map(type).filter(\.isSlice)
        precondition(summary.sliceCount == slices.count)
        let isIntra = slices.contains { $0.isIDR || $0.isBLA || $0 == .cra }
        precondition(summary.randomAccess.isSyncSample == isIntra)
        precondition(summary.startsWithDelimiter == (type(accessUnit[0]) == .accessUnitDelimiter))
        stream += written(sample, writer.maximumSize(of: sample.count)) { output throws(ParseError) in
            try writer.write(sample.span.bytes, into: &output)
        }
    }
    var again = HEVCAccessUnitSplitter()
    let same = split(byteStreamUnits(stream)) { unit in again.startsAccessUnit(unit.span.bytes) }
    func undelimited(_ accessUnit: [[UInt8]]) -> [[UInt8]] { accessUnit.filter { type($0) != .accessUnitDelimiter } }
    precondition(same.count == accessUnits.count, "\(same.count) access units, expected \(accessUnits.count)")
    precondition(same.map(undelimited) == accessUnits.map(undelimited))
    precondition(same.allSatisfy { type($0[0]) == .accessUnitDelimiter })
}

private func type(_ unit: [UInt8]) -> HEVCNALUnitType {
    HEVCNALHeader(unit.span.bytes)?.type ?? HEVCNALUnitType(rawValue: 63)
}
