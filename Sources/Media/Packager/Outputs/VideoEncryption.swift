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
    private let meter: ProtectionMeter
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
        meter = ProtectionMeter(cipher)
    }

    /// Starts another segment.
    func begin() { (end, position) = (0, 0) }

    /// Ends a segment that was written, and returns what was encrypted of it.
    ///
    /// - Throws: ``ProtectionFailure`` if it is not sufficiently encrypted.
    func end(_ segment: TrackSegment) throws(ProtectionFailure) -> EncryptionCount { try meter.end(segment) }

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
            let hasSlice = try sample.withBytes { try append($0, codec, base: sample.offset) }
            guard hasSlice else { throw SampleFailure(withoutSlice: sample) }
            size += sample.size
            end += 1
        }
        try cipher.process(batch, in: &bytes)
    }

    /// Adds the slices of a sample to the batch.
    ///
    /// - Returns: Whether the sample has a slice. A slice can be too short to be encrypted.
    private func append(_ sample: RawSpan, _ codec: VideoByteStream, base: Int) throws -> Bool {
        var units = LengthPrefixedNALUnits(lengthSize: codec.lengthSize, base: base)
        var hasSlice = false
        meter.addSample()
        while let range = try units.next(sample) {
            guard !range.isEmpty else { continue }
            let unit = sample.extracting(range)
            let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
            hasSlice = hasSlice || type.isSlice
            if type.isSlice {
                meter.add(coded: range.count)
            } else if type.mayHavePicture {
                meter.add(clear: range.count)
            }
            guard codec.isEncrypted(unit) else { continue }
            batch.append(offset: bytes.count, size: range.count)
            unit.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return hasSlice
    }

    /// Returns the range of the next NAL unit, whose size is known, and advances.
    func nextRange(_ count: Int) -> Range<Int> {
        defer { position += count }
        return position..<position + count
    }
}
