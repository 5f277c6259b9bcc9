/// Whether decoding can start with a sample, and how.
public enum RandomAccess: Hashable, Sendable {
    /// It cannot.
    case none
    /// An IDR picture: nothing behind it refers to anything before it. HEVC says whether there may be leading pictures,
    /// which can all be decoded.
    case idr(mayHaveLeadingPictures: Bool)
    /// A clean random access picture (HEVC). Leading pictures that follow may not be decodable; they are not shown
    /// then.
    case cra
    /// A broken link access picture (HEVC): as CRA, and its RASL pictures are never shown.
    case bla(mayHaveLeadingPictures: Bool)
    /// No IDR picture, but a recovery point: all is right after so many frames, with 0 at once (open GOP in H.264).
    case recoveryPoint(frames: Int)

    /// Whether a sample is a sync sample (ISO/IEC 14496-15, 5.3.1 and 8.4.3): IDR, CRA and BLA pictures are. A recovery
    /// point of H.264 is not: it is signaled by a sample group or as a partial sync sample.
    public var isSyncSample: Bool {
        switch self {
        case .idr, .cra, .bla: true
        case .none, .recoveryPoint: false
        }
    }
}

/// What kinds of NAL units a sample holds, as far as segmenting and transport streams ask.
public struct AccessUnitSummary: Hashable, Sendable {
    /// How decoding can start here.
    public var randomAccess = RandomAccess.none
    /// Whether the first NAL unit is an access unit delimiter. Transport streams ask for one (ISO/IEC 13818-1, 2.14.1).
    public var startsWithDelimiter = false
    /// Whether there are parameter sets: all kinds that the codec has.
    public var hasParameterSets = false
    /// How many slices, or slice segments, there are.
    public var sliceCount = 0
    /// Whether the picture is a leading picture (HEVC).
    public var isLeading = false
}
