public import ByteCoding

/// The parameter sets that a slice builds on, with what follows from both of them.
final class HEVCSliceContext: Sendable {
    let sequence: HEVCSequenceParameterSet
    let picture: HEVCPictureParameterSet
    /// Bits of `slice_segment_address`.
    let addressBits: Int
    /// Bits of `short_term_ref_pic_set_idx`.
    let setIndexBits: Int
    /// Bits of `lt_idx_sps`.
    let longTermIndexBits: Int
    /// The most entry points that a slice segment can have.
    let maximumEntryPoints: Int

    init(_ sequence: HEVCSequenceParameterSet, _ picture: HEVCPictureParameterSet) {
        self.sequence = sequence
        self.picture = picture
        let blocks = sequence.sizeInTreeBlocks
        addressBits = Self.ceilLog2(blocks.width * blocks.height)
        setIndexBits = Self.ceilLog2(sequence.referencePictureSets.count)
        longTermIndexBits = Self.ceilLog2(sequence.longTermUsed.count)
        // 7.4.7.1: as many as there are rows of blocks, tiles, or rows in tiles, less one.
        switch (picture.hasTiles, picture.hasEntropySync) {
        case (true, true): maximumEntryPoints = picture.tiles.width * blocks.height - 1
        case (true, false): maximumEntryPoints = picture.tiles.width * picture.tiles.height - 1
        case (false, _): maximumEntryPoints = blocks.height - 1
        }
    }

    /// Ceil(Log2(count)); 0 for 0.
    static func ceilLog2(_ count: Int) -> Int { count < 2 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount }
}

/// The parameter sets of a track that are in force, by ID. They come from `hvcC` and, in hev1 and in transport streams,
/// from the stream itself, where a new one takes the place of the old one with its ID.
public struct HEVCParameterSets: Sendable {
    private var sequences = [HEVCSequenceParameterSet?](repeating: nil, count: 16)
    private var pictures = [HEVCPictureParameterSet?](repeating: nil, count: 64)
    private var contexts = [HEVCSliceContext?](repeating: nil, count: 64)
    /// The ID of the sequence parameter set that came last.
    private var latest: Int?

    /// Makes an empty store.
    public init() {}

    /// Makes a store with the parameter sets of a `hvcC` box. Those of layers above the base layer are passed over.
    ///
    /// - Throws: `ParseError`; its offset is that in the parameter set.
    public init(_ configuration: HEVCConfigurationBox) throws(ParseError) {
        for array in configuration.arrays {
            for unit in array.units { try update(unit.span.bytes) }
        }
    }

    /// The sequence parameter set with an ID.
    public func sequence(_ id: Int) -> HEVCSequenceParameterSet? {
        sequences.indices.contains(id) ? sequences[id] : nil
    }

    /// The picture parameter set with an ID.
    public func picture(_ id: Int) -> HEVCPictureParameterSet? { pictures.indices.contains(id) ? pictures[id] : nil }

    /// The sequence parameter set that came last.
    public var latestSequence: HEVCSequenceParameterSet? { latest.flatMap { sequences[$0] } }

    /// Takes note of a NAL unit if it is a sequence or picture parameter set of the base layer; passes over others.
    ///
    /// - Parameters:
    ///   - unit: The NAL unit, header included, emulation prevention bytes in place.
    ///   - base: What its first byte counts as in errors.
    /// - Returns: Whether it was one.
    /// - Throws: `ParseError` as the parameter sets do. What was in force stays in force then.
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

    /// What slices need that name this picture parameter set, 0 to 63.
    @inline(__always)
    func context(_ id: Int) -> HEVCSliceContext? { contexts[id] }
}
