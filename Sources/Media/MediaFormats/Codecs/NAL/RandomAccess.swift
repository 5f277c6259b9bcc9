/// The type of random access that a sample provides.
public enum RandomAccess: Hashable, Sendable {
    /// Decoding cannot start at the sample.
    case none
    /// An IDR picture: no picture after it refers to a picture before it. HEVC specifies whether there can be leading
    /// pictures, all of which can be decoded.
    case idr(mayHaveLeadingPictures: Bool)
    /// A clean random access (CRA) picture of HEVC. Leading pictures that follow may not be decodable and are not
    /// displayed if decoding starts here.
    case cra
    /// A broken link access (BLA) picture of HEVC: like CRA, but its RASL pictures are never displayed.
    case bla(mayHaveLeadingPictures: Bool)
    /// A recovery point that is not an IDR picture: the output is correct after the given number of frames, with 0
    /// immediately (open GOP in H.264).
    case recoveryPoint(frames: Int)

    /// True if a sample is a sync sample (ISO/IEC 14496-15, 5.3.1 and 8.4.3). IDR, CRA and BLA pictures are sync
    /// samples. A recovery point of H.264 is not; it is signaled by a sample group or as a partial sync sample.
    public var isSyncSample: Bool {
        switch self {
        case .idr, .cra, .bla: true
        case .none, .recoveryPoint: false
        }
    }
}

/// A summary of the NAL units in a sample, with the properties that segmenting and transport streams require.
public struct AccessUnitSummary: Hashable, Sendable {
    /// The type of random access at the sample.
    public var randomAccess = RandomAccess.none
    /// True if the first NAL unit is an access unit delimiter, which transport streams require (ISO/IEC 13818-1,
    /// 2.14.1).
    public var startsWithDelimiter = false
    /// True if the sample contains parameter sets of all types that the codec has.
    public var hasParameterSets = false
    /// The number of slices or slice segments.
    public var sliceCount = 0
    /// True if the picture is a leading picture (HEVC).
    public var isLeading = false
}
