public import ByteCoding

/// The fields of both parameter sets that slice header parsing requires, in one value without references.
struct H264SliceContext: Sendable {
    var frameNumberBits: Int
    var pictureOrderType: Int
    var pictureOrderBits: Int
    var defaultReferences0: Int
    var defaultReferences1: Int
    var weightedBipredictionIDC: Int
    var sliceGroupCycleBits: Int
    var chromaArrayType: Int
    var hasSeparateColorPlanes: Bool
    var hasFramesOnly: Bool
    var deltaPictureOrderIsZero: Bool
    var hasBottomFieldOrder: Bool
    var hasRedundantPictureCount: Bool
    var usesCABAC: Bool
    var hasWeightedPrediction: Bool
    var hasDeblockingControl: Bool

    init(_ sequence: H264SequenceParameterSet, _ picture: H264PictureParameterSet) {
        frameNumberBits = sequence.frameNumberBits
        pictureOrderType = sequence.pictureOrderType
        pictureOrderBits = sequence.pictureOrderBits
        defaultReferences0 = picture.defaultReferences0
        defaultReferences1 = picture.defaultReferences1
        weightedBipredictionIDC = picture.weightedBipredictionIDC
        chromaArrayType = sequence.chromaArrayType
        hasSeparateColorPlanes = sequence.hasSeparateColorPlanes
        hasFramesOnly = sequence.hasFramesOnly
        deltaPictureOrderIsZero = sequence.deltaPictureOrderIsZero
        hasBottomFieldOrder = picture.hasBottomFieldOrder
        hasRedundantPictureCount = picture.hasRedundantPictureCount
        usesCABAC = picture.usesCABAC
        hasWeightedPrediction = picture.hasWeightedPrediction
        hasDeblockingControl = picture.hasDeblockingControl
        sliceGroupCycleBits = 0
        if picture.sliceGroupChangeRate > 0 {
            // Ceil(Log2(size / rate + 1)) with an exact quotient (7.4.3): the smallest n with (2^n - 1) * rate >= size.
            let size = sequence.widthInMacroblocks * sequence.heightInMapUnits
            while (1 << sliceGroupCycleBits - 1) * picture.sliceGroupChangeRate < size { sliceGroupCycleBits += 1 }
        }
    }
}

/// The active parameter sets of a track by ID. They are read from `avcC` and, for avc3 and transport streams, from the
/// stream itself, where a new parameter set replaces the previous one with its ID.
public struct H264ParameterSets: Sendable {
    private var sequences = [H264SequenceParameterSet?](repeating: nil, count: 32)
    private var pictures = [H264PictureParameterSet?](repeating: nil, count: 256)
    private var contexts = [H264SliceContext?](repeating: nil, count: 256)
    /// The ID of the sequence parameter set that was read last.
    private var latest: Int?

    /// Creates an empty store.
    public init() {}

    /// Creates a store with the parameter sets of an `avcC` box.
    ///
    /// - Throws: `ParseError`, with the offset in the parameter set.
    public init(_ configuration: AVCConfigurationBox) throws(ParseError) {
        for set in configuration.sequenceParameterSets { try update(set.span.bytes) }
        for set in configuration.pictureParameterSets { try update(set.span.bytes) }
    }

    /// Returns the sequence parameter set with an ID, if any.
    public func sequence(_ id: Int) -> H264SequenceParameterSet? {
        sequences.indices.contains(id) ? sequences[id] : nil
    }

    /// Returns the picture parameter set with an ID, if any.
    public func picture(_ id: Int) -> H264PictureParameterSet? { pictures.indices.contains(id) ? pictures[id] : nil }

    /// The sequence parameter set that was read last.
    public var latestSequence: H264SequenceParameterSet? { latest.flatMap { sequences[$0] } }

    /// Stores a NAL unit if it is a parameter set; ignores other NAL units.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Returns: whether the NAL unit is a parameter set.
    /// - Throws: `ParseError`, as for parameter sets. The stored parameter sets do not change then.
    @discardableResult
    public mutating func update(_ unit: RawSpan, base: Int = 0) throws(ParseError) -> Bool {
        guard unit.byteCount > 0 else { return false }
        switch H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type {
        case .sequenceParameterSet:
            let set = try H264SequenceParameterSet(unit, base: base)
            latest = set.id
            guard sequences[set.id] != set else { return true }
            sequences[set.id] = set
            for index in contexts.indices { rebuild(index, of: set.id) }
            return true
        case .pictureParameterSet:
            let sequences = sequences
            let set = try H264PictureParameterSet(
                unit,
                chromaFormat: { sequences[$0]?.chromaFormat },
                base: base
            )
            guard pictures[set.id] != set else { return true }
            pictures[set.id] = set
            rebuild(set.id, of: set.sequenceParameterSetID)
            return true
        default: return false
        }
    }

    private mutating func rebuild(_ id: Int, of sequenceID: Int) {
        guard let picture = pictures[id], picture.sequenceParameterSetID == sequenceID else { return }
        contexts[id] = sequences[sequenceID].map { H264SliceContext($0, picture) }
    }

    /// Returns the fields for slices that refer to a picture parameter set ID, 0 to 255.
    @inline(__always)
    func context(_ id: Int) -> H264SliceContext? { contexts[id] }
}
