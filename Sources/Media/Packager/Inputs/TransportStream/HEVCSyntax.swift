import ByteCoding
import MediaFormats

/// HEVC in a transport stream (ISO/IEC 13818-1, 2.17).
struct HEVCSyntax: VideoSyntax {
    private var splitter = HEVCAccessUnitSplitter()
    private var sets = HEVCParameterSets()

    mutating func parse(_ unit: RawSpan, isAfterSlice: Bool) -> VideoUnit {
        var result = VideoUnit(role: .other)
        result.isStart = splitter.startsAccessUnit(unit)
        guard let header = HEVCNALHeader(unit), header.layer == 0 else { return result }
        switch header.type {
        case .videoParameterSet, .sequenceParameterSet, .pictureParameterSet:
            let id = try? setID(unit, header.type)
            if id != nil { _ = try? sets.update(unit) }
            result.role = .parameterSet(id.map { VideoUnit.SetID(type: header.type.rawValue, id: $0) })
        case .prefixSEI: result.role = .message
        case .accessUnitDelimiter, .filler: result.role = .discarded
        case let type where type.isSlice:
            result.role = .slice
            result.isInvalid = (try? HEVCSliceHeader(unit, parameterSets: sets)) == nil
            result.isSkippedLeading = type == .raslN || type == .raslR
            result.randomAccess = randomAccess(type)
        default: break
        }
        return result
    }

    private func randomAccess(_ type: HEVCNALUnitType) -> RandomAccess {
        switch type {
        case .idrWRADL, .idrNLP: .idr(mayHaveLeadingPictures: type == .idrWRADL)
        case .blaWLP, .blaWRADL, .blaNLP: .bla(mayHaveLeadingPictures: type != .blaNLP)
        case .cra: .cra
        default: .none
        }
    }

    private func setID(_ unit: RawSpan, _ type: HEVCNALUnitType) throws(ParseError) -> Int {
        switch type {
        case .videoParameterSet: try HEVCVideoParameterSet(unit).id
        case .sequenceParameterSet: try HEVCSequenceParameterSet(unit).id
        default: try HEVCPictureParameterSet(unit).id
        }
    }

    func messages(_ unit: RawSpan) -> [SEIMessage] { (try? SEIMessage.messages(unit, headerSize: 2)) ?? [] }

    func description(of sets: [VideoUnit.SetID: [UInt8]]) throws(ParseError) -> VideoDescription {
        let sorted = sets.sorted { $0.key < $1.key }
        func units(_ type: HEVCNALUnitType) -> [[UInt8]] {
            sorted.filter { $0.key.type == type.rawValue }.map(\.value)
        }
        let configuration = try HEVCConfigurationBox(
            videoParameterSets: units(.videoParameterSet),
            sequenceParameterSets: units(.sequenceParameterSet),
            pictureParameterSets: units(.pictureParameterSet),
            isComplete: true
        )
        guard configuration.arrays.allSatisfy({ !$0.units.isEmpty }),
            let first = configuration.units(.sequenceParameterSet).first
        else {
            throw ParseError(
                .unknownParameterSet,
                reading: "HEVC stream",
                offset: 0,
                reason: "the stream has no VPS or PPS"
            )
        }
        let set = try HEVCSequenceParameterSet(first.span.bytes)
        return VideoDescription(
            format: .hevc(configuration),
            sampleEntry: "hvc1",
            configuration: RawBox(configuration),
            codecs: configuration.profileTierLevel.codecs(sampleEntry: "hvc1"),
            size: set.croppedSize,
            displaySize: set.displaySize,
            usability: set.usability,
            frameDuration: set.usability.timing.flatMap { $0.duration(ticks: 1) }
        )
    }
}

extension HEVCNALUnitType {
    /// Filler data (ITU-T H.265, Table 7-1).
    fileprivate static let filler = HEVCNALUnitType(rawValue: 38)
}
