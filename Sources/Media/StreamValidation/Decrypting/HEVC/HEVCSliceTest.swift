import ByteCoding
import MediaFormats

/// Finds out from the intra slices of decrypted pictures whether the key and the initialization vector were right.
struct HEVCSliceTest {
    /// The least number of encrypted bytes of a slice that decides: fewer could end at the right place by chance.
    private static let least = 128

    private var sets = HEVCParameterSets()
    /// The number of slices that were tested.
    private(set) var count = 0
    /// The number of them that end where they must.
    private(set) var passed = 0

    /// Tests pictures, each an array of NAL units.
    ///
    /// - Parameter parameterSets: The NAL units with the parameter sets of an init segment.
    init(_ pictures: [[[UInt8]]], parameterSets: [[UInt8]]) {
        for unit in parameterSets { _ = try? sets.update(unit.span.bytes) }
        for picture in pictures { test(picture) }
    }

    private mutating func test(_ units: [[UInt8]]) {
        var slices: [(header: HEVCSliceHeader, unit: [UInt8])] = []
        for unit in units {
            let span = unit.span.bytes
            guard (try? sets.update(span)) == false, let nal = HEVCNALHeader(span), nal.layer == 0, nal.type.isSlice,
                let header = try? HEVCSliceHeader(span, parameterSets: sets)
            else { continue }
            slices.append((header, unit))
        }
        for (index, slice) in slices.enumerated() {
            guard slice.unit.count - slice.header.clearByteCount >= Self.least,
                let picture = sets.picture(slice.header.pictureParameterSetID),
                let sequence = sets.sequence(picture.sequenceParameterSetID)
            else { continue }
            var payload = [UInt8](repeating: 0, count: slice.unit.count)
            var memory = payload.mutableSpan
            var bytes = memory.mutableBytes
            guard let size = EmulationPrevention.unescape(slice.unit.span.bytes, into: &bytes) else { continue }
            payload.removeLast(payload.count - size)
            guard var data = HEVCIntraSlice(payload, slice.header, sequence, picture) else { continue }
            let trees = sequence.sizeInTreeBlocks.width * sequence.sizeInTreeBlocks.height
            let next = index + 1 < slices.count ? slices[index + 1].header.address : trees
            count += 1
            if data.endAddress() == next { passed += 1 }
        }
    }
}
