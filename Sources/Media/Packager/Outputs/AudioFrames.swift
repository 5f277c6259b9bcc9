import ByteCoding
import MediaFormats
import SampleEncryption

/// Audio frames for transport streams and packed audio: AAC in ADTS frames, AC-3 and E-AC-3 unchanged. Frames are
/// buffered and encrypted in batches.
struct AudioFrames {
    private enum Codec {
        case aac(ADTSFraming)
        case ac3
        case enhancedAC3
    }

    /// The target size in bytes of a batch.
    static let partSize = 64 << 10
    /// The maximum size of a sample in bytes: at least one sample must fit in a PES packet.
    static let maximumSampleSize = 65_000

    private let codec: Codec
    private let cipher: SampleCipher?
    /// Shared by copies, because a copy of the buffer generates each segment.
    private let meter: ProtectionMeter?
    private var batch = SampleBatch()
    private var subsamples: [Subsample] = []
    /// The frames, concatenated.
    private(set) var bytes: [UInt8] = []

    /// Creates a buffer for a track.
    ///
    /// - Parameter protection: The SAMPLE-AES encryption of the frames; nil if they are clear.
    /// - Throws: ``OutputFailure`` if the track is not audio; `ParseError` if ADTS headers cannot represent its AAC
    ///   configuration.
    init(_ track: MediaTrack, protection: TrackProtection?) throws {
        let format: SampleAESFormat
        switch track.format {
        case .aac(let configuration):
            codec = .aac(try ADTSFraming(try AudioSpecificConfig(configuration.span.bytes)))
            format = .aac
        case .ac3: (codec, format) = (.ac3, .ac3)
        case .enhancedAC3: (codec, format) = (.enhancedAC3, .enhancedAC3)
        case .h264, .hevc, .webVTT: throw OutputFailure("a \(track.kind.rawValue) track cannot be written as audio")
        }
        cipher = try protection.map {
            guard let iv = $0.iv else { throw OutputFailure("SAMPLE-AES requires an IV") }
            return try SampleCipher(.sampleAES(format), .encrypt, key: $0.key, constantIV: iv)
        }
        meter = cipher.map(ProtectionMeter.init)
    }

    /// Removes the frames, but keeps the allocated capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        batch.removeAll()
    }

    /// Appends a sample as a frame.
    ///
    /// - Throws: ``OutputFailure`` if the sample is too large; `ParseError` if a syncframe to be encrypted is damaged.
    mutating func append(_ sample: MediaSample) throws {
        guard sample.size <= Self.maximumSampleSize else {
            throw OutputFailure(
                "the audio sample at byte \(sample.offset) has \(sample.size) bytes; the maximum is "
                    + "\(Self.maximumSampleSize)"
            )
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
        guard let meter else { return }
        meter.addSample()
        switch codec {
        case .aac:
            let header = ADTSHeader.shortestSize
            batch.append(offset: start + header, size: bytes.count - start - header)
            meter.add(coded: bytes.count - start - header)
        case .ac3, .enhancedAC3:
            subsamples.removeAll(keepingCapacity: true)
            var clear = sample.size
            try sample.withBytes { source in
                var frames = AC3Syncframes(base: sample.offset)
                while let range = try frames.next(source) {
                    subsamples.append(Subsample(clear: 0, protected: range.count))
                    meter.add(coded: range.count)
                    clear -= range.count
                }
            }
            meter.add(clear: clear)
            batch.append(offset: start, size: bytes.count - start, subsamples: subsamples)
        }
    }

    /// Ends a segment that was written, and returns what was encrypted of it.
    ///
    /// - Throws: ``ProtectionFailure`` if it is not sufficiently encrypted.
    func end(_ segment: TrackSegment) throws(ProtectionFailure) -> EncryptionCount {
        try meter?.end(segment) ?? EncryptionCount()
    }

    /// Encrypts the frames that were appended.
    mutating func encrypt() throws {
        guard let cipher, !batch.isEmpty else { return }
        try cipher.process(batch, in: &bytes)
        batch.removeAll()
    }
}

extension AudioSetupInformation {
    /// Creates the description of an encrypted track.
    ///
    /// - Parameter first: The first sample, which describes AC-3.
    init(_ track: MediaTrack, first: MediaSample) throws {
        switch track.format {
        case .aac(let configuration): self.init(try AudioSpecificConfig(configuration.span.bytes))
        case .ac3: self = try first.withBytes { try AudioSetupInformation(ac3: $0, base: first.offset) }
        case .enhancedAC3:
            guard let configuration = try track.sampleEntry?.enhancedAC3Configuration() else {
                throw OutputFailure("the E-AC-3 track has no dec3 box, which SAMPLE-AES requires")
            }
            self.init(configuration)
        case .h264, .hevc, .webVTT: throw OutputFailure("a \(track.kind.rawValue) track cannot be written as audio")
        }
    }
}
