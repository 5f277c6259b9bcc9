import MediaFormats
import SampleEncryption

/// Encrypts the slices of several samples in one call of the cipher: the setup cost is paid once, and the CBC chains of
/// up to 16 NAL units are interleaved.
final class VideoEncryption {
    /// The target size in bytes of a batch of samples, which stay in the CPU cache until they are written to packets.
    private static let partSize = 256 << 10
    /// The maximum size of a sample in bytes.
    private static let maximumSampleSize = 64 << 20

    private let cipher: SampleCipher
    private var batch = SampleBatch()
    /// The encrypted NAL units, concatenated.
    private(set) var bytes: [UInt8] = []
    /// The offset of the next NAL unit.
    private var position = 0
    /// The index after the last sample of the batch.
    private(set) var end = 0

    /// Creates the cipher.
    ///
    /// - Throws: ``OutputFailure`` if there is no IV.
    init(_ protection: TrackProtection) throws {
        guard let iv = protection.iv else { throw OutputFailure("SAMPLE-AES requires an IV") }
        cipher = try SampleCipher(.sampleAES(.h264), .encrypt, key: protection.key, constantIV: iv)
    }

    /// Starts another segment.
    func begin() { (end, position) = (0, 0) }

    /// Encrypts the slices of a sample and of the following samples, up to ``partSize``.
    func gather(_ samples: [MediaSample], from index: Int, _ codec: VideoByteStream) throws {
        bytes.removeAll(keepingCapacity: true)
        batch.removeAll()
        (end, position) = (index, 0)
        var size = 0
        while end < samples.count, end == index || size + samples[end].size <= Self.partSize {
            let sample = samples[end]
            guard sample.size <= Self.maximumSampleSize else {
                throw OutputFailure("a sample of \(sample.size) bytes is too large to encrypt")
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

    /// Returns the range of the next NAL unit, whose size is known, and advances.
    func nextRange(_ count: Int) -> Range<Int> {
        defer { position += count }
        return position..<position + count
    }
}
