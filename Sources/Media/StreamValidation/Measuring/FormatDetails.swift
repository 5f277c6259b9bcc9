import ByteCoding
public import MediaFormats

extension TrackFormat {
    /// The parts of a decoder configuration that few rules need.
    public struct Details: Hashable, Sendable {
        /// The signaling of spectral band replication in the AudioSpecificConfig of AAC.
        public enum BandReplication: Hashable, Sendable {
            /// It is not signaled, but the stream can contain it.
            case implicit
            /// An extension after the configuration of the core signals it.
            case backwardCompatible
            /// The audio object type is 5 or 29.
            case explicit
        }

        /// The profile and the base layer of Dolby Vision.
        public struct DolbyVision: Hashable, Sendable {
            /// The profile.
            public var profile: Int
            /// The level.
            public var level: Int
            /// The value of SUPPLEMENTAL-CODECS; nil if Dolby Vision belongs in CODECS.
            public var supplementalCodecs: String?
        }

        /// The color description; nil if it is not specified.
        public var color: ColorDescription?
        /// False if the sample entry has no parameter sets, although it promises them.
        public var hasParameterSets = true
        /// True if the sequence parameter set allows interlaced pictures.
        public var mayBeInterlaced = false
        /// True if the configuration has the mastering display of HDR10.
        public var hasMasteringDisplay = false
        /// True if the configuration has the content light level of HDR10.
        public var hasContentLightLevel = false
        /// The configuration of Dolby Vision; nil without one.
        public var dolbyVision: DolbyVision?
        /// True if the video has a second view (MV-HEVC).
        public var isStereo = false
        /// True if the sample entry has a `vexu` box, which describes the views.
        public var hasExtendedUsage = false
        /// The signaling of spectral band replication; nil if the format is not AAC, or the container has no
        /// configuration.
        public var bandReplication: BandReplication?
        /// The loudness in the user data of the track; nil without a `ludt` box.
        public var loudness: LoudnessBox?
        /// False if the samples are in another file.
        public var isSelfContained = true

        /// Creates the details of a format of which nothing else is known.
        public init() {}
    }
}

extension TrackFormat.Details {
    /// Reads the details of a sample entry.
    init(_ track: Track, _ entry: SampleEntry) {
        loudness = track.loudness
        isSelfContained = track.dataReferences?.isSelfContained(entry.dataReferenceIndex) ?? true
        hasMasteringDisplay = entry.boxes.first("mdcv") != nil
        hasContentLightLevel = entry.boxes.first("clli") != nil
        isStereo = entry.boxes.first("lhvC") != nil
        hasExtendedUsage = entry.boxes.first("vexu") != nil
        if let configuration = entry.dolbyVision {
            dolbyVision = DolbyVision(
                profile: Int(configuration.profile),
                level: Int(configuration.level),
                supplementalCodecs: configuration.supplementalCodecs(sampleEntry: entry.originalFormat)
            )
        }
        color = try? entry.boxes.first("colr")?.parse(as: ColorInformationBox.self).description
        switch entry.originalFormat {
        case "avc1": read(try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self))
        case "hvc1", "dvh1": read(try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self))
        case "mp4a":
            bandReplication = (try? entry.audioSpecificConfig()).map { config in
                switch config.signaling {
                case .implicit, .backwardCompatible(nil): .implicit
                case .backwardCompatible: .backwardCompatible
                case .hierarchical: .explicit
                }
            }
        default: break
        }
    }

    private mutating func read(_ configuration: AVCConfigurationBox?) {
        let sets = configuration?.sequenceParameterSets ?? []
        hasParameterSets = !sets.isEmpty && configuration?.pictureParameterSets.isEmpty == false
        guard let unit = sets.first, let set = try? H264SequenceParameterSet(unit.span.bytes) else { return }
        mayBeInterlaced = !set.hasFramesOnly
        color = color ?? set.usability.color
    }

    private mutating func read(_ configuration: HEVCConfigurationBox?) {
        let sets = configuration?.units(.sequenceParameterSet) ?? []
        hasParameterSets = !sets.isEmpty && configuration?.units(.pictureParameterSet).isEmpty == false
        if color == nil, let unit = sets.first {
            color = (try? HEVCSequenceParameterSet(unit.span.bytes))?.usability.color
        }
        for unit in configuration?.units(.prefixSEI) ?? [] {
            for message in (try? SEIMessage.messages(unit.span.bytes, headerSize: 2)) ?? [] {
                if case .masteringDisplay = message { hasMasteringDisplay = true }
                if case .contentLightLevel = message { hasContentLightLevel = true }
            }
        }
    }
}

extension TrackFormat {
    /// Returns the element of CODECS for the content of an `av1C` box (AV1 Codec ISO Media File Format Binding, 2.3 and
    /// 5), such as `av01.0.04M.10`; nil if it is truncated.
    static func codecs(av1 configuration: [UInt8]) -> String? {
        guard configuration.count >= 4 else { return nil }
        let level = configuration[1] & 31
        let tier = configuration[2] & 0x80 == 0 ? "M" : "H"
        let depth = configuration[2] & 0x40 == 0 ? "08" : configuration[2] & 0x20 == 0 ? "10" : "12"
        return "av01.\(configuration[1] >> 5).\(level < 10 ? "0" : "")\(level)\(tier).\(depth)"
    }
}
