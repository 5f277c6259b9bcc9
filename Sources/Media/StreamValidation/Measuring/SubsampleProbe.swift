import ByteCoding
import MediaFormats

/// A fault in the choice of the encrypted bytes of a picture with cbcs (ISO/IEC 23001-7, 9.5.2.4).
public enum SubsampleFault: String, Hashable, Sendable, CaseIterable {
    /// The encrypted part begins within a slice header, which players have to read.
    case encryptsSliceHeader
    /// The encrypted part begins much later than the slice header ends.
    case startsLate
    /// A NAL unit that is not a slice is encrypted.
    case encryptsOtherUnit
    /// A slice is clear.
    case leavesSliceClear
}

/// Compares the encrypted parts of pictures with their slice headers, which stay clear.
struct SubsampleProbe: Sendable {
    /// The parameter sets of the codec.
    enum ParameterSets: Sendable {
        case h264(H264ParameterSets)
        case hevc(HEVCParameterSets)
    }

    /// The number of clear bytes after a slice header from which on a packager is supposed not to know its end.
    private static let tolerance = 32
    /// The number of bytes after the slice header from which on a slice has at least one encrypted block.
    private static let smallestSlice = 64
    let sets: ParameterSets
    let lengthSize: Int

    /// Reads the parameter sets of a sample entry; nil for formats without NAL units.
    init?(_ entry: SampleEntry) {
        switch entry.originalFormat {
        case "avc1", "avc3":
            guard let box = try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self),
                let sets = try? H264ParameterSets(box)
            else { return nil }
            (self.sets, lengthSize) = (.h264(sets), box.lengthSize)
        case "hvc1", "hev1", "dvh1", "dvhe":
            guard let box = try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self),
                let sets = try? HEVCParameterSets(box)
            else { return nil }
            (self.sets, lengthSize) = (.hevc(sets), box.lengthSize)
        default: return nil
        }
    }

    /// True if pictures of the track can be coded as fields.
    var mayHaveFields: Bool {
        if case .h264(let sets) = sets { sets.latestSequence?.hasFramesOnly == false } else { false }
    }

    /// Returns whether the first slice of a sample belongs to a field; false if its header cannot be read.
    func isField(_ sample: RawSpan) throws(ParseError) -> Bool {
        guard case .h264(let sets) = sets else { return false }
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            let unit = sample.extracting(range)
            let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
            if type.isSlice { return (try? H264SliceHeader(unit, parameterSets: sets))?.isField == true }
        }
        return false
    }

    /// Returns the faults of a sample.
    ///
    /// - Parameters:
    ///   - sample: The bytes of the sample.
    ///   - subsamples: Its parts, in their order.
    func faults(
        _ sample: RawSpan,
        _ subsamples: [SampleEncryptionBox.Subsample]
    ) throws(ParseError) -> Set<SubsampleFault> {
        var parts: [Range<Int>] = []
        var position = 0
        for subsample in subsamples {
            position += Int(subsample.clear)
            let end = position + Int(subsample.protected)
            if subsample.protected > 0 { parts.append(position..<end) }
            position = end
        }
        var faults: Set<SubsampleFault> = []
        var next = 0
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            while next < parts.count, parts[next].upperBound <= range.lowerBound { next += 1 }
            let part = next < parts.count && parts[next].lowerBound < range.upperBound ? parts[next] : nil
            let unit = sample.extracting(range)
            guard isSlice(unit) else {
                if part != nil { faults.insert(.encryptsOtherUnit) }
                continue
            }
            let header = headerSize(unit)
            guard let part else {
                if let header, range.count - header >= Self.smallestSlice { faults.insert(.leavesSliceClear) }
                continue
            }
            let clear = part.lowerBound - range.lowerBound
            // Without its header, a slice has at least one byte of slice header.
            if clear < header ?? (minimumHeaderSize + 1) { faults.insert(.encryptsSliceHeader) }
            if let header, clear - header > Self.tolerance { faults.insert(.startsLate) }
        }
        return faults
    }

    private var minimumHeaderSize: Int { if case .h264 = sets { 1 } else { 2 } }

    private func isSlice(_ unit: RawSpan) -> Bool {
        switch sets {
        case .h264: H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type.isVideoCodingLayer
        case .hevc: HEVCNALHeader(unit)?.type.isVideoCodingLayer == true
        }
    }

    /// The size in bytes of the NAL unit header and the slice header; nil if they cannot be read.
    private func headerSize(_ unit: RawSpan) -> Int? {
        switch sets {
        case .h264(let sets): (try? H264SliceHeader(unit, parameterSets: sets))?.clearByteCount
        case .hevc(let sets): (try? HEVCSliceHeader(unit, parameterSets: sets))?.clearByteCount
        }
    }
}
