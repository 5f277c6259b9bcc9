import MediaFormats
import SampleEncryption

/// Encrypts the slices of several samples in one call of the cipher: the set-up is paid once, and the chains of up to
/// 16 NAL units advance side by side.
final class VideoEncryption {
    /// How many bytes of samples are gathered, as a rule: they stay in the cache until they lie in packets.
    private static let partSize = 256 << 10
    /// More than this is gathered for no sample.
    private static let greatestSample = 64 << 20

    private let cipher: SampleCipher
    private var batch = SampleBatch()
    /// The NAL units that are encrypted, one behind the other.
    private(set) var bytes: [UInt8] = []
    /// Where the next one lies.
    private var position = 0
    /// The sample behind the last one that was gathered.
    private(set) var end = 0

    /// Sets up the key.
    ///
    /// - Throws: ``OutputFailure`` without an IV.
    init(_ protection: TrackProtection) throws {
        guard let iv = protection.iv else { throw OutputFailure("SAMPLE-AES needs an IV") }
        cipher = try SampleCipher(.sampleAES(.h264), .encrypt, key: protection.key, constantIV: iv)
    }

    /// Prepares for the samples of another segment.
    func begin() { (end, position) = (0, 0) }

    /// Takes the slices of a sample, and of those behind it up to ``partSize``.
    func gather(_ samples: [MediaSample], from index: Int, _ codec: VideoByteStream) throws {
        bytes.removeAll(keepingCapacity: true)
        batch.removeAll()
        (end, position) = (index, 0)
        var size = 0
        while end < samples.count, end == index || size + samples[end].size <= Self.partSize {
            let sample = samples[end]
            guard sample.size <= Self.greatestSample else {
                throw OutputFailure("a sample of \(sample.size) bytes is too large to be encrypted")
            }
            try sample.withBytes { try append($0, codec, base: sample.offset) }
            size += sample.size
            end += 1
        }
        try cipher.process(batch, in: &bytes)
    }

    private func append(_ sample: RawSpan, _ codec: VideoByteStream, base: Int) throws {
        var units = LengthPrefixedNALUnits(lengthSize: codec.lengthSize, base: base)
        while let range = try units.next(sample) {
            let unit = sample.extracting(range)
            guard codec.isEncrypted(unit) else { continue }
            batch.append(offset: bytes.count, size: range.count)
            unit.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// Where the next NAL unit lies, of a size that is known.
    func take(_ count: Int) -> Range<Int> {
        defer { position += count }
        return position..<position + count
    }
}
