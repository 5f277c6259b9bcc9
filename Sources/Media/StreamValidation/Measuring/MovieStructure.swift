import ByteCoding
import MediaFormats

/// The structure of the fragments of a segment of MP4.
public struct MovieStructure: Hashable, Sendable {
    /// True if the segment has a `moov` box.
    public var hasMovie = false
    /// The number of fragments (`moof`).
    public var fragmentCount = 0
    /// True if a track fragment locates its samples by their offset in the file, and not in the fragment.
    public var hasFileOffsets = false
    /// True if a track fragment has no decode time (`tfdt`).
    public var lacksDecodeTime = false
    /// True if a track fragment has neither `senc` nor both `saiz` and `saio`.
    public var lacksAuxiliaryInformation = false
    /// True if a track fragment has groups of samples (`sgpd`, `sbgp`).
    public var hasSampleGroups = false

    /// Reads the boxes of a segment. What is damaged is left out, because the samples show it.
    init(_ segment: RawSpan) {
        var reader = ByteReader(segment)
        Self.forEachBox(&reader) { type, content in
            if type == "moov" { hasMovie = true }
            guard type == "moof" else { return }
            fragmentCount += 1
            Self.forEachBox(&content) { type, content in
                if type == "traf" { addTrackFragment(&content) }
            }
        }
    }

    private mutating func addTrackFragment(_ reader: inout ByteReader) {
        var types: Set<FourCC> = []
        Self.forEachBox(&reader) { type, content in
            types.insert(type)
            if type == "tfhd", let header = try? TrackFragmentHeaderBox(reading: &content) {
                if header.baseDataOffset != nil { hasFileOffsets = true }
            }
        }
        if !types.contains("tfdt") { lacksDecodeTime = true }
        if !types.contains("senc"), !types.isSuperset(of: ["saiz", "saio"]) { lacksAuxiliaryInformation = true }
        if types.contains("sgpd") || types.contains("sbgp") { hasSampleGroups = true }
    }

    private static func forEachBox(_ reader: inout ByteReader, _ body: (FourCC, inout ByteReader) -> Void) {
        while reader.remaining >= 8 {
            guard let header = try? BoxHeader(reading: &reader) else { return }
            let size = min(header.contentSize(of: reader.remaining), reader.remaining)
            guard var content = try? reader.split(size, "\(header.type) box") else { return }
            body(header.type, &content)
        }
    }
}
