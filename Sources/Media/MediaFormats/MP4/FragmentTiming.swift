/// How the times of a track are written into fragments, so that decode times are never negative and the track begins
/// where it did.
///
/// - Video: the delay that B-frames cause is taken out of every composition offset, so that the first frame is
///   presented at 0 and offsets below 0 appear. Such a file needs no edit list, as the brand `cmf2` demands (ISO/IEC
///   23000-19).
/// - Audio: priming is left in the media and cut off by an edit list whose media time says how long it is.
/// - A track that begins later than the presentation has its decode times moved by as much; CMAF knows no empty edits.
///   If it has priming as well, the priming is presented in the gap before its beginning, as far as it does not fit
///   before 0: all other times stay exact.
public struct FragmentTiming: Hashable, Sendable {
    /// What is added to each decode time, in the timescale of the media.
    public var decodeTimeShift: UInt64
    /// What is added to each composition offset, in the timescale of the media; never above 0.
    public var compositionShift: Int32
    /// What stands in the init segment; nil: nothing is cut off.
    public var editList: EditListBox?

    /// Finds out how to write a track.
    ///
    /// - Parameters:
    ///   - timing: What its edit list means.
    ///   - kind: The kind of media: `vide`, `soun` ...
    ///   - firstCompositionOffset: That of its first sample.
    public init(_ timing: TrackTiming, kind: FourCC, firstCompositionOffset: Int32) {
        decodeTimeShift = timing.delay
        // Frames that lie before the cut stay before it: only the delay itself is taken out.
        let shift = kind == "vide" ? min(timing.mediaTime, UInt64(max(0, firstCompositionOffset))) : 0
        compositionShift = -Int32(clamping: shift)
        let rest = timing.mediaTime - shift
        editList =
            rest == 0
            ? nil : EditListBox(entries: [EditListBox.Entry(segmentDuration: 0, mediaTime: Int64(clamping: rest))])
    }
}

extension FileTypeBox {
    /// What the init segment of a CMAF track conforms to (ISO/IEC 23000-19).
    ///
    /// - Parameters:
    ///   - hasEditList: Whether it has an edit list, which `cmf2` does not allow for video.
    ///   - isSingleFile: Whether an index and the segments follow in the same file: `dash` (ISO/IEC 23009-1, 6.3.4).
    public static func cmafHeader(kind: FourCC, hasEditList: Bool, isSingleFile: Bool = false) -> FileTypeBox {
        var brands: [FourCC] = ["iso6", "cmfc"]
        if kind != "vide" || !hasEditList { brands.append("cmf2") }
        if isSingleFile { brands.append("dash") }
        return FileTypeBox(majorBrand: "iso6", compatibleBrands: brands)
    }

    /// What a CMAF segment conforms to (ISO/IEC 23000-19).
    public static let cmafSegment = FileTypeBox(majorBrand: "msdh", compatibleBrands: ["msdh", "cmfs"])
}
