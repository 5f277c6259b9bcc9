import ByteCoding
import MediaFormats
import SampleEncryption

/// Audio as it stands in transport streams and packed audio: AAC in ADTS frames, AC-3 and E-AC-3 as they are. Frames
/// are gathered, and encrypted together.
struct AudioFrames {
    private enum Codec {
        case aac(ADTSFraming)
        case ac3
        case enhancedAC3
    }

    /// How many bytes are gathered, as a rule.
    static let partSize = 64 << 10
    /// No sample is larger: a PES packet has room for one at least.
    static let greatestSample = 65_000

    private let codec: Codec
    private let cipher: SampleCipher?
    private var batch = SampleBatch()
    private var subsamples: [Subsample] = []
    /// The frames, one behind the other.
    private(set) var bytes: [UInt8] = []

    /// Prepares for a track.
    ///
    /// - Parameter protection: How frames are encrypted, by SAMPLE-AES; nil: they are not.
    /// - Throws: ``OutputFailure`` when the track is not audio; `ParseError` when ADTS cannot say what its AAC is.
    init(_ track: MediaTrack, protection: TrackProtection?) throws {
        let format: SampleAESFormat
        switch track.format {
        case .aac(let configuration):
            codec = .aac(try ADTSFraming(try AudioSpecificConfig(configuration.span.bytes)))
            format = .aac
        case .ac3: (codec, format) = (.ac3, .ac3)
        case .enhancedAC3: (codec, format) = (.enhancedAC3, .enhancedAC3)
        case .h264, .hevc, .webVTT: throw OutputFailure("\(track.kind.rawValue) is no audio")
        }
        cipher = try protection.map {
            guard let iv = $0.iv else { throw OutputFailure("SAMPLE-AES needs an IV") }
            return try SampleCipher(.sampleAES(format), .encrypt, key: $0.key, constantIV: iv)
        }
    }

    /// Forgets the frames, but keeps their room.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        batch.removeAll()
    }

    /// Appends a sample as a frame.
    ///
    /// - Throws: ``OutputFailure`` when it is too large; `ParseError` when a syncframe is damaged that is to be
    ///   encrypted.
    mutating func append(_ sample: MediaSample) throws {
        guard sample.size <= Self.greatestSample else {
            throw OutputFailure("a sample of \(sample.size) bytes at byte \(sample.offset) is too large for audio")
        }
        let start = bytes.count
        let codec = codec
        try sample.withBytes { source in
            if case .aac(let framing) = codec {
                try framing.append(source, to: &bytes)
            } else {
                source.withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        }
        guard cipher != nil else { return }
        switch codec {
        case .aac:
            let header = ADTSHeader.shortestSize
            batch.append(offset: start + header, size: bytes.count - start - header)
        case .ac3, .enhancedAC3:
            subsamples.removeAll(keepingCapacity: true)
            try sample.withBytes { source in
                var frames = AC3Syncframes(base: sample.offset)
                while let range = try frames.next(source) {
                    subsamples.append(Subsample(clear: 0, protected: range.count))
                }
            }
            batch.append(offset: start, size: bytes.count - start, subsamples: subsamples)
        }
    }

    /// Encrypts what was appended.
    mutating func seal() throws {
        guard let cipher, !batch.isEmpty else { return }
        try cipher.process(batch, in: &bytes)
        batch.removeAll()
    }
}

extension AudioSetupInformation {
    /// What describes a track that is encrypted.
    ///
    /// - Parameter first: Its first sample: AC-3 is described by that.
    init(_ track: MediaTrack, first: MediaSample) throws {
        switch track.format {
        case .aac(let configuration): self.init(try AudioSpecificConfig(configuration.span.bytes))
        case .ac3: self = try first.withBytes { try AudioSetupInformation(ac3: $0, base: first.offset) }
        case .enhancedAC3:
            guard let configuration = try track.sampleEntry?.enhancedAC3Configuration() else {
                throw OutputFailure("the E-AC-3 track has no dec3 box, which SAMPLE-AES needs")
            }
            self.init(configuration)
        case .h264, .hevc, .webVTT: throw OutputFailure("\(track.kind.rawValue) is no audio")
        }
    }
}
