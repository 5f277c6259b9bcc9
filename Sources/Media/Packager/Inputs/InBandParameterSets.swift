import ByteCoding
import MediaFormats

/// The parameter sets of a video track whose sample entry permits them in the samples: `hev1` and `avc3`, and `dvhe` and
/// `dvav` of Dolby Vision.
///
/// Apple's devices require `hvc1` and `avc1`, whose samples contain no parameter sets (ISO/IEC 14496-15, 5.4.2.1 and
/// 8.4.1.1). If the sets do not change, the track becomes such a track: the configuration contains them, and they are
/// removed from the samples.
struct InBandParameterSets {
    private let isHEVC: Bool
    private let lengthSize: Int
    private var sets: [VideoUnit.SetID: [UInt8]] = [:]
    /// True if the samples have had different parameter sets with the same ID.
    private(set) var hasChanged = false

    /// Starts with the sets in the configuration of a track; nil if its sample entry permits no others, or its
    /// configuration is invalid.
    init?(_ track: MediaTrack) {
        guard let entry = track.sampleEntry?.format, entry.withoutInBandSets != entry else { return nil }
        var units: [[UInt8]] = []
        switch track.format {
        case .h264(let configuration):
            (isHEVC, lengthSize) = (false, configuration.lengthSize)
            units = configuration.sequenceParameterSets + configuration.pictureParameterSets
        case .hevc(let configuration):
            (isHEVC, lengthSize) = (true, configuration.lengthSize)
            units = configuration.arrays.flatMap(\.units)
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
        for unit in units {
            guard let id = try? id(of: unit.span.bytes) else { continue }
            if let known = sets[id], known != unit { return nil }
            sets[id] = unit
        }
    }

    /// Returns the track with the parameter sets in its configuration, and the type of the sample entry that says so;
    /// nil if a kind of set is missing.
    func describe(_ track: MediaTrack) -> MediaTrack? {
        guard let entry = track.sampleEntry else { return nil }
        var track = track
        let box: RawBox
        switch track.format {
        case .h264(var configuration):
            configuration.sequenceParameterSets = units(H264NALUnitType.sequenceParameterSet.rawValue)
            configuration.pictureParameterSets = units(H264NALUnitType.pictureParameterSet.rawValue)
            guard !configuration.sequenceParameterSets.isEmpty, !configuration.pictureParameterSets.isEmpty else {
                return nil
            }
            track.format = .h264(configuration)
            box = RawBox(configuration)
        case .hevc(var configuration):
            let types = [HEVCNALUnitType.videoParameterSet, .sequenceParameterSet, .pictureParameterSet]
            let arrays = types.map {
                HEVCConfigurationBox.UnitArray(isComplete: true, type: $0, units: units($0.rawValue))
            }
            guard arrays.allSatisfy({ !$0.units.isEmpty }) else { return nil }
            configuration.arrays = arrays + configuration.arrays.filter { !types.contains($0.type) }
            track.format = .hevc(configuration)
            box = RawBox(configuration)
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
        track.sampleEntry?.boxes = entry.boxes.map { $0.type == box.type ? box : $0 }
        track.setSampleEntry(entry.format.withoutInBandSets)
        return track
    }

    /// Continues with the sets of the last samples, which the next configuration contains.
    mutating func acceptChanges() { hasChanged = false }

    private func units(_ type: UInt8) -> [[UInt8]] {
        sets.filter { $0.key.type == type }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Records the parameter sets of a sample.
    ///
    /// - Parameter isComplete: Whether the configuration has been written, so that a set with a new ID is a change.
    /// - Throws: `ParseError` if a NAL unit is truncated, or a set is invalid.
    mutating func record(_ sample: RawSpan, isComplete: Bool) throws(ParseError) {
        var iterator = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try iterator.next(sample) {
            let unit = sample.extracting(range)
            guard let id = try id(of: unit) else { continue }
            let known = sets[id]
            if let known, Self.isEqual(known, unit) { continue }
            if known != nil || isComplete { hasChanged = true }
            sets[id] = unit.withUnsafeBytes { [UInt8]($0) }
        }
    }

    /// Returns a sample without its parameter sets, which the configuration contains. Usually they are its first bytes,
    /// so that nothing is copied.
    ///
    /// - Throws: `ParseError` if a NAL unit is truncated, or a set is invalid.
    func removeSets(from sample: MediaSample) throws -> MediaSample {
        let kept = try sample.withBytes { try self.kept($0) }
        guard kept != [0..<sample.size] else { return sample }
        var result = sample
        if kept.count == 1, let range = kept.first {
            result.offset += range.lowerBound
            result.size = range.count
            return result
        }
        var bytes: [UInt8] = []
        sample.withBytes { source in
            for range in kept { source.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) } }
        }
        result.size = bytes.count
        result.offset = 0
        result.bytes = BufferedBytes(bytes)
        return result
    }

    /// Returns the ranges of a sample that remain, with the length fields of their NAL units.
    private func kept(_ sample: RawSpan) throws(ParseError) -> [Range<Int>] {
        var iterator = LengthPrefixedNALUnits(lengthSize: lengthSize)
        var kept: [Range<Int>] = []
        while let range = try iterator.next(sample) {
            if try id(of: sample.extracting(range)) != nil { continue }
            let start = range.lowerBound - lengthSize
            if let last = kept.last, last.upperBound == start {
                kept[kept.count - 1] = last.lowerBound..<range.upperBound
            } else {
                kept.append(start..<range.upperBound)
            }
        }
        return kept
    }

    /// Returns the type and ID of a parameter set; nil for other NAL units, and for sets of layers above the base layer.
    private func id(of unit: RawSpan) throws(ParseError) -> VideoUnit.SetID? {
        guard unit.byteCount > 2 else { return nil }
        if isHEVC {
            guard let header = HEVCNALHeader(unit), header.layer == 0 else { return nil }
            let id =
                switch header.type {
                case .videoParameterSet: try HEVCVideoParameterSet(unit).id
                case .sequenceParameterSet: try HEVCSequenceParameterSet(unit).id
                case .pictureParameterSet: try HEVCPictureParameterSet(unit).id
                default: -1
                }
            return id < 0 ? nil : VideoUnit.SetID(type: header.type.rawValue, id: id)
        }
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        let id: Int
        switch type {
        case .sequenceParameterSet: id = try H264SequenceParameterSet(unit).id
        case .pictureParameterSet:
            // The ID is the first field, and does not depend on the sequence parameter set.
            var reader = BitReader(unit)
            try reader.skip(bits: 8, "NAL unit header")
            id = try reader.readUE("pic_parameter_set_id")
        default: return nil
        }
        return VideoUnit.SetID(type: type.rawValue, id: id)
    }

    private static func isEqual(_ set: [UInt8], _ unit: RawSpan) -> Bool {
        set.count == unit.byteCount && unit.withUnsafeBytes { $0.elementsEqual(set) }
    }
}

extension FourCC {
    /// The type of the sample entry whose samples contain no parameter sets.
    fileprivate var withoutInBandSets: FourCC {
        switch self {
        case "hev1": "hvc1"
        case "dvhe": "dvh1"
        case "avc3": "avc1"
        case "dvav": "dva1"
        default: self
        }
    }
}

extension MovieTracks {
    /// Moves parameter sets from the samples of a file to the configurations of its tracks, where they do not change.
    /// Reads the NAL unit headers of all samples of such tracks.
    ///
    /// - Returns: The sets to remove from samples, by track.
    mutating func moveParameterSets(of movie: MovieFile, in file: RawSpan) -> [Int: InBandParameterSets] {
        var found: [Int: InBandParameterSets] = [:]
        for (index, track) in tracks.enumerated() { found[index] = InBandParameterSets(track) }
        guard !found.isEmpty else { return [:] }
        let identifiers = trackIndexes.filter { found[$0.value] != nil }.keys
        var cursor = movie.samples(of: Set(identifiers), endsAtMissingTail: true)
        do {
            while let sample = try cursor.next(file) {
                guard let index = trackIndexes[sample.trackID] else { continue }
                try found[index]?.record(file.extracting(sample.range), isComplete: false)
            }
        } catch {
            // Packaging ends, or reports the damage, when it reaches the sample.
        }
        return describe(found)
    }

    /// Moves parameter sets of a stream to the configurations of its tracks, as far as these are complete.
    ///
    /// - Returns: The sets to remove from samples, by track.
    mutating func moveParameterSets() -> [Int: InBandParameterSets] {
        var found: [Int: InBandParameterSets] = [:]
        for (index, track) in tracks.enumerated() { found[index] = InBandParameterSets(track) }
        return describe(found)
    }

    private mutating func describe(_ found: [Int: InBandParameterSets]) -> [Int: InBandParameterSets] {
        found.filter { index, sets in
            if !sets.hasChanged, let track = sets.describe(tracks[index]) {
                tracks[index] = track
                return true
            }
            tracks[index].notes.append(
                "the sample entry \(tracks[index].sampleEntry?.format ?? "hev1") is kept, because the parameter sets "
                    + (sets.hasChanged ? "change within the video" : "are only in the samples")
                    + ", but Apple's devices do not play it: encode the video again with one configuration, for example "
                    + "with ffmpeg and -tag:v hvc1"
            )
            return false
        }
    }
}
