/// The adjustments of a track's times for fragments, so that decode times are never negative and the start of the track
/// does not change.
///
/// - Video: the delay that B-frames cause is subtracted from every composition offset, so that the first frame is
///   presented at 0 and composition offsets can be negative. Such a file needs no edit list, as the brand `cmf2`
///   requires (ISO/IEC 23000-19).
/// - Audio: priming remains in the media, and an edit list removes it; its media time is the duration of the priming.
/// - A track that starts later than the presentation: its decode times increase by the difference, because CMAF does
///   not allow empty edits. If the track has priming as well, the part of the priming that does not fit before 0 is
///   presented in the gap before the start of the track. All other times stay exact.
public struct FragmentTiming: Hashable, Sendable {
    /// The offset that is added to each decode time, in the timescale of the media.
    public var decodeTimeShift: UInt64
    /// The offset that is added to each composition offset, in the timescale of the media; never positive.
    public var compositionShift: Int32
    /// The edit list of the initialization segment; nil if nothing is removed.
    public var editList: EditListBox?

    /// Computes the adjustments for a track.
    ///
    /// - Parameters:
    ///   - timing: the timing that the track's edit list specifies.
    ///   - kind: the handler type of the media, for example `vide` or `soun`.
    ///   - firstCompositionOffset: the composition offset of the first sample.
    public init(_ timing: TrackTiming, kind: FourCC, firstCompositionOffset: Int32) {
        decodeTimeShift = timing.delay
        // Frames before the edit's start stay before it: only the delay is subtracted.
        let shift = kind == "vide" ? min(timing.mediaTime, UInt64(max(0, firstCompositionOffset))) : 0
        compositionShift = -Int32(clamping: shift)
        let rest = timing.mediaTime - shift
        editList =
            rest == 0
            ? nil : EditListBox(entries: [EditListBox.Entry(segmentDuration: 0, mediaTime: Int64(clamping: rest))])
    }
}

extension FileTypeBox {
    /// Returns the file type of a CMAF track's initialization segment (ISO/IEC 23000-19).
    ///
    /// - Parameters:
    ///   - kind: the handler type of the media.
    ///   - hasEditList: whether the segment has an edit list, which `cmf2` does not allow for video.
    ///   - isSingleFile: whether an index and the segments follow in the same file, which adds the brand `dash`
    ///     (ISO/IEC 23009-1, 6.3.4).
    public static func cmafHeader(kind: FourCC, hasEditList: Bool, isSingleFile: Bool = false) -> FileTypeBox {
        var brands: [FourCC] = ["iso6", "cmfc"]
        if kind != "vide" || !hasEditList { brands.append("cmf2") }
        if isSingleFile { brands.append("dash") }
        return FileTypeBox(majorBrand: "iso6", compatibleBrands: brands)
    }

    /// The segment type of a CMAF segment (ISO/IEC 23000-19).
    public static let cmafSegment = FileTypeBox(majorBrand: "msdh", compatibleBrands: ["msdh", "cmfs"])
}
