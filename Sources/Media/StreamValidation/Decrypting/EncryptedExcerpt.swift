import ByteCoding
import FPSCrypto
import MediaFormats
import SampleEncryption

/// A bounded number of encrypted samples of a track, as they are in a segment, from which different keys and vectors can be
/// tried.
struct EncryptedExcerpt: Sendable {
    /// The limits of an excerpt, which bound its memory and the time to try a key.
    enum Limit {
        static let audioFrames = 256
        static let audioBytes = 256 << 10
        static let pictures = 12
        static let pictureBytes = 2 << 20
    }

    /// The format of the samples, which determines the tests.
    enum Format: Hashable, Sendable {
        /// AAC without headers (MP4).
        case aac(AACBlockSyntax)
        /// AAC in ADTS frames.
        case adts
        /// Syncframes of AC-3 or E-AC-3; in MP4 all those of an access unit are one sample.
        case ac3
        case h264
        case hevc
        /// A codec without tests.
        case other
    }

    /// A sample: NAL units of video, or one audio frame. Without NAL units, the lengths before them are wrong.
    typealias Frame = [[UInt8]]

    /// How the samples are decrypted.
    enum Scheme: Hashable, Sendable {
        /// Common Encryption in MP4.
        case common(ProtectionScheme)
        /// SAMPLE-AES in transport streams and packed audio.
        case sampleAES(SampleAESFormat)
    }

    struct Sample: Sendable {
        /// The range of the sample in the bytes of the excerpt.
        var range: Range<Int>
        /// The clear and the protected parts; empty if the sample is encrypted as a whole.
        var subsamples: [Subsample]
        /// The initialization vector in the media; nil if it is delivered with the key.
        var iv: CipherIV?
    }

    var track: UInt32 = 0
    var kind: TrackFormat.Kind
    var format: Format
    var scheme: Scheme
    /// The key ID; nil if the media have none.
    var keyID: KeyID?
    /// The bytes of all samples.
    var bytes: [UInt8] = []
    var samples: [Sample] = []
    /// The size of the length before each NAL unit in MP4; 0 for byte streams and audio.
    var lengthSize = 0
    /// The NAL units with the parameter sets of an init segment; empty if the samples contain them.
    var parameterSets: [[UInt8]] = []
    /// True if decoding can start at the first sample.
    var startsAtKeyFrame = false
    /// True if the samples after the last one were left out.
    var isCutOff = false

    /// The initialization vector of the media; nil if it is delivered with the key.
    var mediaIV: CipherIV? { samples.first?.iv }
    /// True if all samples have the same initialization vector.
    var hasConstantIV: Bool { samples.allSatisfy { $0.iv == mediaIV } }

    /// Returns the frames without decryption.
    func undecrypted() -> [Frame] {
        samples.map { split(Array(bytes[$0.range])) }
    }

    /// Returns the decrypted frames; nil if the excerpt cannot be decrypted, for example because there is no vector.
    ///
    /// - Parameter iv: The vector for all samples; nil for those of the samples.
    func decrypted(key: SecretBytes, iv: CipherIV?) -> [Frame]? {
        switch scheme {
        case .common(let scheme): decryptCommon(scheme, key, iv)
        case .sampleAES(let format): iv.flatMap { decryptSampleAES(format, key, $0) }
        }
    }

    private func decryptCommon(_ scheme: ProtectionScheme, _ key: SecretBytes, _ iv: CipherIV?) -> [Frame]? {
        guard let cipher = try? SampleCipher(scheme, .decrypt, key: key) else { return nil }
        var batch = SampleBatch()
        for sample in samples {
            guard var vector = iv ?? sample.iv else { return nil }
            if !scheme.usesCounter { vector = vector.paddedWithZeros }
            if sample.subsamples.isEmpty {
                batch.append(offset: sample.range.lowerBound, size: sample.range.count, iv: vector)
            } else {
                batch.append(
                    offset: sample.range.lowerBound,
                    size: sample.range.count,
                    subsamples: sample.subsamples,
                    iv: vector
                )
            }
        }
        var clear = bytes
        guard (try? cipher.process(batch, in: &clear)) != nil else { return nil }
        return samples.map { split(Array(clear[$0.range])) }
    }

    private func decryptSampleAES(_ format: SampleAESFormat, _ key: SecretBytes, _ iv: CipherIV) -> [Frame]? {
        guard let cipher = try? SampleCipher(.sampleAES(format), .decrypt, key: key, constantIV: iv) else { return nil }
        if format == .h264 {
            return samples.map { sample in
                split(Array(bytes[sample.range])).map { unit in
                    var clear: [UInt8] = []
                    return (try? cipher.appendNALUnit(unit.span.bytes, to: &clear)) == nil ? unit : clear
                }
            }
        }
        var batch = SampleBatch()
        for sample in samples {
            batch.append(offset: sample.range.lowerBound, size: sample.range.count, subsamples: sample.subsamples)
        }
        var clear = bytes
        guard (try? cipher.process(batch, in: &clear)) != nil else { return nil }
        return samples.map { split(Array(clear[$0.range])) }
    }

    /// Divides a sample into NAL units or syncframes.
    private func split(_ sample: [UInt8]) -> Frame {
        switch format {
        case .h264, .hevc:
            var result: Frame = []
            let span = sample.span.bytes
            if lengthSize > 0 {
                var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
                do {
                    while let range = try units.next(span) { result.append(Array(sample[range])) }
                } catch {
                    return []
                }
            } else {
                var units = AnnexBNALUnits()
                while let range = units.next(span) { result.append(Array(sample[range])) }
            }
            return result
        case .ac3:
            // Wrong bytes at the start of a sample leave it as a whole.
            var result: Frame = []
            var position = 0
            while position < sample.count {
                let rest = Array(sample[position...])
                guard let header = try? AC3Syncframe(rest.span.bytes), header.size <= rest.count else { break }
                result.append(Array(rest[..<header.size]))
                position += header.size
            }
            return position == sample.count ? result : [sample]
        case .aac, .adts, .other: return [sample]
        }
    }
}

extension EncryptedExcerpt {
    /// Returns the loudness that decrypted audio frames declare.
    func loudness(of frames: [Frame]) -> StreamLoudness {
        var loudness = StreamLoudness()
        for frame in frames {
            guard let first = frame.first else { continue }
            switch format {
            case .ac3: loudness.inspect(ac3: first.span.bytes)
            case .adts: loudness.inspect(adts: first.span.bytes)
            case .aac(let syntax):
                loudness.inspect(
                    aac: first.span.bytes,
                    channelConfiguration: UInt8(clamping: syntax.channelConfiguration)
                )
            case .h264, .hevc, .other: break
            }
        }
        return loudness
    }
}

extension ProtectionScheme {
    /// True for the schemes with AES-CTR, of which a wrong vector damages all bytes.
    var usesCounter: Bool {
        switch self {
        case .cenc, .cens: true
        case .cbcs, .cbc1, .sampleAES: false
        }
    }
}
