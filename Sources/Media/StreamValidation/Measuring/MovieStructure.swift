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
    /// True if the sizes in `saiz` are not those of the entries in `senc`.
    public var hasWrongAuxiliarySizes = false
    /// True if a track fragment has groups of samples (`sgpd`, `sbgp`).
    public var hasSampleGroups = false

    /// Reads the boxes of a segment. What is damaged is left out, because the samples show it.
    ///
    /// - Parameter ivSizes: The sizes of the initialization vectors in `senc` in bytes, by track ID; without the tracks
    ///   for which they are not known.
    init(_ segment: RawSpan, ivSizes: [UInt32: Int] = [:]) {
        var reader = ByteReader(segment)
        Self.forEachBox(&reader) { type, content in
            if type == "moov" { hasMovie = true }
            guard type == "moof" else { return }
            fragmentCount += 1
            Self.forEachBox(&content) { type, content in
                if type == "traf" { addTrackFragment(&content, ivSizes) }
            }
        }
    }

    private mutating func addTrackFragment(_ reader: inout ByteReader, _ ivSizes: [UInt32: Int]) {
        var types: Set<FourCC> = []
        var ivSize: Int?
        var declared: AuxiliaryInformationSizesBox?
        var actual: [UInt16]?
        Self.forEachBox(&reader) { type, content in
            types.insert(type)
            switch type {
            case "tfhd":
                guard let header = try? TrackFragmentHeaderBox(reading: &content) else { return }
                if header.baseDataOffset != nil { hasFileOffsets = true }
                ivSize = ivSizes[header.trackID]
            case "saiz": declared = try? AuxiliaryInformationSizesBox(reading: &content)
            case "senc": actual = ivSize.flatMap { try? Self.entrySizes(&content, ivSize: $0) }
            default: break
            }
        }
        // Groups of samples can have other sizes of initialization vectors.
        if let declared, let actual, !types.contains("sgpd"), !types.contains("sbgp"),
            [nil, "cbcs", "cenc", "cens", "cbc1"].contains(declared.infoType), !declared.matches(actual)
        {
            hasWrongAuxiliarySizes = true
        }
        if !types.contains("tfdt") { lacksDecodeTime = true }
        if !types.contains("senc"), !types.isSuperset(of: ["saiz", "saio"]) { lacksAuxiliaryInformation = true }
        if types.contains("sgpd") || types.contains("sbgp") { hasSampleGroups = true }
    }

    /// Returns the sizes of the entries of a `senc` box in bytes; nil if they have no bytes.
    private static func entrySizes(_ reader: inout ByteReader, ivSize: Int) throws(ParseError) -> [UInt16]? {
        let hasSubsamples = try FullBoxHeader(reading: &reader, of: "senc", newest: 0).flags & 2 != 0
        let least = ivSize + (hasSubsamples ? 2 : 0)
        let count = Int(try reader.readUInt32("number of samples in the senc box"))
        guard least > 0, count <= reader.remaining / least else { return nil }
        var sizes: [UInt16] = []
        sizes.reserveCapacity(count)
        for _ in 0..<count {
            try reader.skip(ivSize, "initialization vector")
            let subsamples = hasSubsamples ? Int(try reader.readUInt16("number of subsamples")) : 0
            try reader.skip(6 * subsamples, "subsamples")
            sizes.append(UInt16(clamping: least + 6 * subsamples))
        }
        return sizes
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

extension AuxiliaryInformationSizesBox {
    /// Returns whether the box has these sizes. A size that does not fit in the box cannot be wrong in it.
    fileprivate func matches(_ actual: [UInt16]) -> Bool {
        guard actual.allSatisfy({ $0 <= 255 }) else { return true }
        guard sampleCount == actual.count else { return false }
        return defaultSize > 0
            ? actual.allSatisfy { $0 == UInt16(defaultSize) } : zip(sizes, actual).allSatisfy { UInt16($0) == $1 }
    }
}
