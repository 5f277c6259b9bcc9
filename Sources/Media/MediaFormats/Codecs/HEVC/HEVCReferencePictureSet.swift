import ByteCoding

/// A short-term reference picture set (ITU-T H.265, 7.3.7 and 7.4.8).
///
///     inter_ref_pic_set_prediction_flag    u(1)      unless it is the first
///     delta_idx_minus1                     ue     ┐  in a slice header
///     delta_rps_sign                       u(1)   │  predicted from another set
///     abs_delta_rps_minus1                 ue     │
///     used_by_curr_pic_flag                u(1)   │  each picture of the other set, and one more
///     use_delta_flag                       u(1)   ┘  if that was 0
///     num_negative_pics                    ue     ┐  otherwise
///     num_positive_pics                    ue     │
///     delta_poc_minus1                     ue     │  each
///     used_by_curr_pic_flag                u(1)   ┘
struct HEVCReferencePictureSet: Sendable {
    /// The maximum number of pictures in a set: the maximum size of the decoded picture buffer minus one.
    static let limit = 16

    /// Picture order counts relative to the current picture: negative ones first, each half starting with the nearest.
    /// Only the first ``count`` values are used.
    var deltas = SIMD16<Int32>(repeating: 0)
    /// The number of negative picture order counts.
    var negatives = 0
    /// The number of pictures in the set.
    var count = 0
    /// A bit mask of the pictures that the current picture refers to. The first is bit 0.
    var used: UInt32 = 0

    /// The number of pictures that the current picture refers to.
    var usedCount: Int { used.nonzeroBitCount }

    /// Reads a set.
    ///
    /// - Parameters:
    ///   - index: the index of the set; in a slice header, the number of sets in the sequence parameter set.
    ///   - sets: the preceding sets.
    ///   - isInSliceHeader: whether the set is in a slice header.
    init(
        _ reader: inout BitReader,
        index: Int,
        sets: [HEVCReferencePictureSet],
        isInSliceHeader: Bool
    ) throws(ParseError) {
        if index > 0, try reader.readFlag("inter_ref_pic_set_prediction_flag") {
            let back = isInSliceHeader ? 1 + (try reader.readUE("delta_idx_minus1", upTo: index - 1)) : 1
            try readPrediction(&reader, from: sets[index - back])
        } else {
            try readExplicit(&reader)
        }
    }

    private mutating func readExplicit(_ reader: inout BitReader) throws(ParseError) {
        negatives = try reader.readUE("num_negative_pics", upTo: Self.limit)
        count = negatives + (try reader.readUE("num_positive_pics", upTo: Self.limit - negatives))
        var delta: Int32 = 0
        for index in 0..<count {
            if index == negatives { delta = 0 }
            let step = Int32(1 + (try reader.readUE("delta_poc_minus1", upTo: 32767)))
            delta += index < negatives ? -step : step
            deltas[index] = delta
            if try reader.readFlag("used_by_curr_pic_flag") { used |= 1 << UInt32(index) }
        }
    }

    /// Derives the set from another set (7-61 and 7-62): each picture of the other set, and the other set's current
    /// picture, moved by a distance, if its flags are set.
    private mutating func readPrediction(
        _ reader: inout BitReader,
        from other: HEVCReferencePictureSet
    ) throws(ParseError) {
        let isNegative = try reader.readFlag("delta_rps_sign")
        let distance = Int32(1 + (try reader.readUE("abs_delta_rps_minus1", upTo: 32767))) * (isNegative ? -1 : 1)
        // Bit j is for picture j of the other set, the last bit for the other set's current picture.
        var usedFlags: UInt32 = 0
        var includedFlags: UInt32 = 0
        for index in 0...other.count {
            let bit: UInt32 = 1 << UInt32(index)
            if try reader.readFlag("used_by_curr_pic_flag") {
                usedFlags |= bit
                includedFlags |= bit
            } else if try reader.readFlag("use_delta_flag") {
                includedFlags |= bit
            }
        }
        func addPicture(_ index: Int, where isIncluded: (Int32) -> Bool) throws(ParseError) {
            let delta = distance + (index == other.count ? 0 : other.deltas[index])
            guard includedFlags >> UInt32(index) & 1 == 1, isIncluded(delta) else { return }
            guard count < Self.limit else {
                throw reader.failure(
                    .invalidValue,
                    "short-term reference picture set",
                    "the set has more than 16 pictures"
                )
            }
            deltas[count] = delta
            if usedFlags >> UInt32(index) & 1 == 1 { used |= 1 << UInt32(count) }
            count += 1
        }
        for index in (other.negatives..<other.count).reversed() { try addPicture(index) { $0 < 0 } }
        try addPicture(other.count) { $0 < 0 }
        for index in 0..<other.negatives { try addPicture(index) { $0 < 0 } }
        negatives = count
        for index in (0..<other.negatives).reversed() { try addPicture(index) { $0 > 0 } }
        try addPicture(other.count) { $0 > 0 }
        for index in other.negatives..<other.count { try addPicture(index) { $0 > 0 } }
    }
}

extension HEVCReferencePictureSet: Hashable {
    static func == (left: HEVCReferencePictureSet, right: HEVCReferencePictureSet) -> Bool {
        left.count == right.count && left.negatives == right.negatives && left.used == right.used
            && (0..<left.count).allSatisfy { left.deltas[$0] == right.deltas[$0] }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(used)
        for index in 0..<count { hasher.combine(deltas[index]) }
    }
}
