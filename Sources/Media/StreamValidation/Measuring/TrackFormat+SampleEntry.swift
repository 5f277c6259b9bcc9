import ByteCoding
import MediaFormats

extension TrackFormat {
    /// Creates the format of a track of an MP4 file. A configuration that cannot be read leaves its values unknown.
    init(_ track: Track, _ entry: SampleEntry) {
        let kind: Kind =
            switch track.kind {
            case "vide": .video
            case "soun": .audio
            case "text", "subt", "sbtl", "clcp": .subtitles
            default: .other
            }
        let format = entry.originalFormat
        self.init(kind: kind, container: .mp4, sampleEntry: format.description, codecs: entry.codecs)
        switch format {
        case "avc1", "avc3": describe(try? entry.boxes.first("avcC")?.parse(as: AVCConfigurationBox.self), entry)
        case "hvc1", "hev1", "dvh1", "dvhe":
            describe(try? entry.boxes.first("hvcC")?.parse(as: HEVCConfigurationBox.self), entry)
        default: break
        }
        if format == "av01", let box = entry.boxes.first("av1C"), let known = Self.codecs(av1: box.content) {
            codecs = known
        }
        details = Details(track, entry)
        if let configuration = entry.dolbyVision, configuration.requiresDolbyVision {
            dynamicRange = configuration.dynamicRange
        }
        if let audio = try? entry.audioDescription() { describe(audio) }
        if size == nil, case .visual(let fields) = entry.fields {
            size = PictureSize(width: Int(fields.width), height: Int(fields.height))
        }
        protection = Protection(entry)
    }

    private mutating func describe(_ configuration: AVCConfigurationBox?, _ entry: SampleEntry) {
        guard let unit = configuration?.sequenceParameterSets.first,
            let set = try? H264SequenceParameterSet(unit.span.bytes)
        else { return }
        describe(set.displaySize, set.usability.color, entry)
    }

    private mutating func describe(_ configuration: HEVCConfigurationBox?, _ entry: SampleEntry) {
        guard let unit = configuration?.units(.sequenceParameterSet).first,
            let set = try? HEVCSequenceParameterSet(unit.span.bytes)
        else { return }
        describe(set.displaySize, set.usability.color, entry)
    }

    private mutating func describe(_ size: PictureSize, _ color: ColorDescription?, _ entry: SampleEntry) {
        self.size = size
        let container = try? entry.boxes.first("colr")?.parse(as: ColorInformationBox.self).description
        dynamicRange = DynamicRange(container: container, codec: color)
    }

    private mutating func describe(_ audio: AudioDescription) {
        channels = audio.channels
        sampleRate = audio.sampleRate > 0 ? audio.sampleRate : nil
        frameLength = audio.frameLength
    }
}

extension TrackFormat.Protection {
    /// Creates the description of a sample entry's protection; nil if it is clear.
    init?(_ entry: SampleEntry) {
        guard let protection = entry.commonEncryption ?? entry.protections.first else { return nil }
        self.init(scheme: protection.schemeType?.description ?? "an unknown scheme")
        guard let track = protection.trackEncryption else { return }
        keyID = KeyID(track.keyID)
        cryptByteBlock = track.cryptByteBlock
        skipByteBlock = track.skipByteBlock
        perSampleIVSize = track.perSampleIVSize
        constantIVSize = track.constantIV.count
        if !track.constantIV.isEmpty { constantIVHash = Self.hash(track.constantIV) }
    }

    /// Returns a hash of an initialization vector. It is different in each process.
    static func hash(_ initializationVector: [UInt8]) -> Int {
        var hasher = Hasher()
        hasher.combine(initializationVector)
        return hasher.finalize()
    }
}
