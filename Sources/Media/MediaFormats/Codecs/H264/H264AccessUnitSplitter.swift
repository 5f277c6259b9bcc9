public import ByteCoding

/// Finds where access units begin in a stream of NAL units (ITU-T H.264, 7.4.1.2.3 and 7.4.1.2.4).
///
/// NAL units go in, in the order of the stream; each answer says whether a new access unit begins with this one.
/// Parameter sets are taken note of on the way.
public struct H264AccessUnitSplitter: Sendable {
    /// The parameter sets in force.
    public private(set) var parameterSets: H264ParameterSets
    private var hasBegun = false
    private var hasSlice = false
    private var last: H264SliceHeader?

    /// Starts at the beginning of a stream.
    public init(parameterSets: H264ParameterSets = H264ParameterSets()) { self.parameterSets = parameterSets }

    /// Takes the next NAL unit.
    ///
    /// - Parameters:
    ///   - unit: Header included, emulation prevention bytes in place; not empty.
    ///   - base: What its first byte counts as in errors.
    /// - Returns: Whether an access unit begins with it.
    /// - Throws: `ParseError` as parameter sets and slice headers do. The unit then belongs to the access unit before
    ///   it.
    public mutating func startsAccessUnit(_ unit: RawSpan, base: Int = 0) throws(ParseError) -> Bool {
        guard unit.byteCount > 0 else { return false }
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        let starts: Bool
        switch type.rawValue {
        case 1, 5:
            let header = try H264SliceHeader(unit, parameterSets: parameterSets, base: base)
            // A redundant slice never begins a picture.
            if hasSlice, header.redundantPictureCount > 0 { return false }
            starts = !hasBegun || hasSlice && isNewPicture(header)
            hasSlice = true
            last = header
        // Not 14: a prefix stands before each slice of a scalable stream's base layer, not only before the first.
        case 6...9, 15...18:
            // First: where this fails, the access unit before goes on, and the next slice decides.
            try parameterSets.update(unit, base: base)
            starts = !hasBegun || hasSlice
            if starts { hasSlice = false }
        default:
            starts = !hasBegun
        }
        hasBegun = true
        return starts
    }

    /// Whether a slice belongs to another picture than the one before it (7.4.1.2.4).
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
