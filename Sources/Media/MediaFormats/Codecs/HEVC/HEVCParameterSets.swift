public import ByteCoding

/// The parameter sets of a slice, with values derived from both of them.
final class HEVCSliceContext: Sendable {
    let sequence: HEVCSequenceParameterSet
    let picture: HEVCPictureParameterSet
    /// The size of `slice_segment_address` in bits.
    let addressBits: Int
    /// The size of `short_term_ref_pic_set_idx` in bits.
    let setIndexBits: Int
    /// The size of `lt_idx_sps` in bits.
    let longTermIndexBits: Int
    /// The maximum number of entry points in a slice segment.
    let maximumEntryPoints: Int

    init(_ sequence: HEVCSequenceParameterSet, _ picture: HEVCPictureParameterSet) {
        self.sequence = sequence
        self.picture = picture
        let blocks = sequence.sizeInTreeBlocks
        addressBits = Self.ceilLog2(blocks.width * blocks.height)
        setIndexBits = Self.ceilLog2(sequence.referencePictureSets.count)
        longTermIndexBits = Self.ceilLog2(sequence.longTermUsed.count)
        // 7.4.7.1: the number of rows of blocks, of tiles, or of rows in tiles, minus one.
        switch (picture.hasTiles, picture.hasEntropySync) {
        case (true, true): maximumEntryPoints = picture.tiles.width * blocks.height - 1
        case (true, false): maximumEntryPoints = picture.tiles.width * picture.tiles.height - 1
        case (false, _): maximumEntryPoints = blocks.height - 1
        }
    }

    /// Returns Ceil(Log2(count)); 0 for 0.
    static func ceilLog2(_ count: Int) -> Int { count < 2 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount }
}

/// The active parameter sets of a track by ID. They are read from `hvcC` and, for hev1 and transport streams, from the
/// stream itself, where a new parameter set replaces the previous one with its ID.
public struct HEVCParameterSets: Sendable {
    private var sequences = [HEVCSequenceParameterSet?](repeating: nil, count: 16)
    private var pictures = [HEVCPictureParameterSet?](repeating: nil, count: 64)
    private var contexts = [HEVCSliceContext?](repeating: nil, count: 64)
    /// The ID of the sequence parameter set that was read last.
    private var latest: Int?

    /// Creates an empty store.
    public init() {}

    /// Creates a store with the parameter sets of an `hvcC` box. Those of layers above the base layer are ignored.
    ///
    /// - Throws: `ParseError`, with the offset in the parameter set.
    public init(_ configuration: HEVCConfigurationBox) throws(ParseError) {
        for array in configuration.arrays {
            for unit in array.units { try update(unit.span.bytes) }
        }
    }

    /// Returns the sequence parameter set with an ID, if any.
    public func sequence(_ id: Int) -> HEVCSequenceParameterSet? {
        sequences.indices.contains(id) ? sequences[id] : nil
    }

    /// Returns the picture parameter set with an ID, if any.
    public func picture(_ id: Int) -> HEVCPictureParameterSet? { pictures.indices.contains(id) ? pictures[id] : nil }

    /// The sequence parameter set that was read last.
    public var latestSequence: HEVCSequenceParameterSet? { latest.flatMap { sequences[$0] } }

    /// Stores a NAL unit if it is a sequence or picture parameter set of the base layer; ignores other NAL units.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Returns: whether the NAL unit is such a parameter set.
    /// - Throws: `ParseError`, as for parameter sets. The stored parameter sets do not change then.
    @discardableResult
    public mutating func update(_ unit: RawSpan, base: Int = 0) throws(ParseError) -> Bool {
        guard let header = HEVCNALHeader(unit), header.layer == 0 else { return false }
        switch header.type {
        case .sequenceParameterSet:
            let set = try HEVCSequenceParameterSet(unit, base: base)
            latest = set.id
            guard sequences[set.id] != set else { return true }
            sequences[set.id] = set
            for index in contexts.indices { rebuild(index, of: set.id) }
            return true
        case .pictureParameterSet:
            let set = try HEVCPictureParameterSet(unit, base: base)
            guard pictures[set.id] != set else { return true }
            pictures[set.id] = set
            rebuild(set.id, of: set.sequenceParameterSetID)
            return true
        default: return false
        }
    }

    private mutating func rebuild(_ id: Int, of sequenceID: Int) {
        guard let picture = pictures[id], picture.sequenceParameterSetID == sequenceID else { return }
        contexts[id] = sequences[sequenceID].map { HEVCSliceContext($0, picture) }
    }

    /// Returns the parameter sets for slices that refer to a picture parameter set ID, 0 to 63.
    @inline(__always)
    func context(_ id: Int) -> HEVCSliceContext? { contexts[id] }
}
