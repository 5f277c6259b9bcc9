public import ByteCoding

/// A splitter that detects the start of access units in a stream of NAL units (ITU-T H.264, 7.4.1.2.3 and 7.4.1.2.4).
///
/// Pass it the NAL units in the order of the stream. It stores the parameter sets of the stream.
public struct H264AccessUnitSplitter: Sendable {
    /// The active parameter sets.
    public private(set) var parameterSets: H264ParameterSets
    private var hasBegun = false
    private var hasSlice = false
    private var last: H264SliceHeader?

    /// Creates a splitter for a stream from its start.
    public init(parameterSets: H264ParameterSets = H264ParameterSets()) { self.parameterSets = parameterSets }

    /// Processes the next NAL unit and returns whether an access unit starts with it.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes; not empty.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError`, as for parameter sets and slice headers. The NAL unit then belongs to the previous
    ///   access unit.
    public mutating func startsAccessUnit(_ unit: RawSpan, base: Int = 0) throws(ParseError) -> Bool {
        guard unit.byteCount > 0 else { return false }
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        let starts: Bool
        switch type.rawValue {
        case 1, 5:
            let header = try H264SliceHeader(unit, parameterSets: parameterSets, base: base)
            // A redundant slice never starts a picture.
            if hasSlice, header.redundantPictureCount > 0 { return false }
            starts = !hasBegun || hasSlice && isNewPicture(header)
            hasSlice = true
            last = header
        // Type 14 is excluded: a prefix NAL unit precedes each slice of a scalable stream's base layer, not only the
        // first.
        case 6...9, 15...18:
            // The update is first: if it fails, the previous access unit continues, and the next slice is checked.
            try parameterSets.update(unit, base: base)
            starts = !hasBegun || hasSlice
            if starts { hasSlice = false }
        default:
            starts = !hasBegun
        }
        hasBegun = true
        return starts
    }

    /// Returns whether a slice belongs to a different picture than the previous slice (7.4.1.2.4).
    private func isNewPicture(_ slice: H264SliceHeader) -> Bool {
        guard let last else { return true }
        let isIDR = slice.nal.type == .idrSlice
        return slice.frameNumber != last.frameNumber
            || slice.pictureParameterSetID != last.pictureParameterSetID
            || slice.isField != last.isField
            || slice.isBottomField != last.isBottomField
            || (slice.nal.referenceIDC == 0) != (last.nal.referenceIDC == 0)
            || slice.pictureOrder != last.pictureOrder
            || slice.bottomFieldOrderDelta != last.bottomFieldOrderDelta
            || slice.orderDelta0 != last.orderDelta0
            || slice.orderDelta1 != last.orderDelta1
            || isIDR != (last.nal.type == .idrSlice)
            || isIDR && slice.idrPictureID != last.idrPictureID
    }
}
