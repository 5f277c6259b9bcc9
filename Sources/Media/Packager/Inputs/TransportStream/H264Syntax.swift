import ByteCoding
import MediaFormats

/// H.264 in a transport stream (ISO/IEC 13818-1, 2.14).
struct H264Syntax: VideoSyntax {
    private var splitter = H264AccessUnitSplitter()

    mutating func parse(_ unit: RawSpan, isAfterSlice: Bool) -> VideoUnit {
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        var result = VideoUnit(role: role(type))
        do {
            result.isStart = try splitter.startsAccessUnit(unit)
            switch type {
            case .sequenceParameterSet:
                result.role = .parameterSet(
                    VideoUnit.SetID(type: type.rawValue, id: try H264SequenceParameterSet(unit).id)
                )
            case .pictureParameterSet:
                let set = try H264PictureParameterSet(
                    unit,
                    chromaFormat: { splitter.parameterSets.sequence($0)?.chromaFormat }
                )
                result.role = .parameterSet(VideoUnit.SetID(type: type.rawValue, id: set.id))
            case .slice, .idrSlice:
                if type == .idrSlice { result.randomAccess = .idr(mayHaveLeadingPictures: false) }
                if splitter.parameterSets.latestSequence?.hasFramesOnly == false { result.field = try field(unit) }
            default: break
            }
        } catch {
            result.isInvalid = type.isSlice
        }
        // After a slice, these types start an access unit, whatever their content (7.4.1.2.3).
        if isAfterSlice, (6...9).contains(type.rawValue) { result.isStart = true }
        return result
    }

    private func role(_ type: H264NALUnitType) -> VideoUnit.Role {
        switch type {
        case .slice, .idrSlice, .partitionA: .slice
        case .sequenceParameterSet, .pictureParameterSet: .parameterSet(nil)
        case .sei: .message
        case .accessUnitDelimiter, .filler: .discarded
        default: .other
        }
    }

    private func field(_ unit: RawSpan) throws(ParseError) -> VideoUnit.Field? {
        let slice = try H264SliceHeader(unit, parameterSets: splitter.parameterSets)
        guard slice.isField else { return nil }
        return VideoUnit.Field(
            isBottom: slice.isBottomField,
            frameNumber: slice.frameNumber,
            isReference: slice.nal.referenceIDC > 0
        )
    }

    func messages(_ unit: RawSpan) -> [SEIMessage] { (try? SEIMessage.messages(unit, headerSize: 1)) ?? [] }

    func description(of sets: [VideoUnit.SetID: [UInt8]]) throws(ParseError) -> VideoDescription {
        let sorted = sets.sorted { $0.key < $1.key }
        func units(_ type: H264NALUnitType) -> [[UInt8]] {
            sorted.filter { $0.key.type == type.rawValue }.map(\.value)
        }
        let configuration = try AVCConfigurationBox(
            sequenceParameterSets: units(.sequenceParameterSet),
            pictureParameterSets: units(.pictureParameterSet)
        )
        guard let first = configuration.sequenceParameterSets.first, !configuration.pictureParameterSets.isEmpty else {
            throw ParseError(.unknownParameterSet, reading: "H.264 stream", offset: 0, reason: "the stream has no PPS")
        }
        let set = try H264SequenceParameterSet(first.span.bytes)
        return VideoDescription(
            format: .h264(configuration),
            sampleEntry: "avc1",
            configuration: RawBox(configuration),
            codecs: configuration.codecs(sampleEntry: "avc1"),
            size: set.croppedSize,
            displaySize: set.displaySize,
            usability: set.usability,
            // A tick is the duration of a field.
            frameDuration: set.usability.timing.flatMap { $0.duration(ticks: 2) }
        )
    }
}
