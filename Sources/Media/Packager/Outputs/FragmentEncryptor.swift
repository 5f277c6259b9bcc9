import ByteCoding
import MediaFormats
import SampleEncryption

/// Encrypts the samples of fragments with cbcs or cenc: determines the protected bytes of each sample, assigns IVs, and
/// encrypts many samples at once. The key may change between segments.
final class FragmentEncryptor {
    /// The number of bytes buffered before they are written.
    private static let bufferSize = 256 << 10

    /// The key and its encryption parameters.
    private(set) var protection: TrackProtection
    /// The `pssh` boxes of the key's init segments.
    private(set) var systems: [ProtectionSystemHeaderBox]
    /// The metadata of the samples in the current fragment.
    var fragment: FragmentWriter

    private let kind: MediaTrack.Kind
    private let scheme: ProtectionScheme
    private var cipher: SampleCipher
    private var meter: ProtectionMeter
    /// The per-sample IVs, with cenc.
    private var vectors: SampleIVs
    /// The subsample parser for video; nil for audio.
    private var units: NALUnitProtection?
    /// The buffer of encrypted samples, and the number of its bytes that are in use or reserved.
    private var buffer: [UInt8] = []
    private var size = 0
    private var batch = SampleBatch()
    /// The subsamples of a fragment's samples, concatenated, and the number for each sample.
    private var subsamples: [SampleEncryptionBox.Subsample] = []
    private var subsampleCounts: [Int] = []

    /// Creates an encryptor for a track; nil if the protection does not encrypt samples in fragments.
    ///
    /// - Throws: `ParseError`, `SampleEncryptionError`; ``OutputFailure`` for cenc without an IV.
    init?(
        _ track: MediaTrack,
        trackID: UInt32,
        protection: TrackProtection,
        systems: [ProtectionSystemHeaderBox]
    ) throws {
        guard let scheme = protection.sampleScheme(track.kind) else { return nil }
        self.scheme = scheme
        self.protection = protection
        self.systems = systems
        kind = track.kind
        vectors = SampleIVs(first: scheme == .cenc ? protection.iv : nil)
        fragment = FragmentWriter(
            trackID: trackID,
            encryption: scheme == .cenc
                ? (track.kind == .video ? .vectorsAndSubsamples : .vectors)
                : (track.kind == .video ? .subsamples : .wholeSamples)
        )
        cipher = try Self.cipher(scheme, protection)
        meter = ProtectionMeter(cipher)
        units = try NALUnitProtection(track.format, wholeBlocks: scheme == .cenc)
    }

    /// Changes the key, under the same scheme.
    ///
    /// - Throws: `SampleEncryptionError`; ``OutputFailure`` for cenc without an IV, or for another scheme.
    func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws {
        guard protection.sampleScheme(kind) == scheme else {
            throw OutputFailure("key rotation cannot change the encryption scheme")
        }
        cipher = try Self.cipher(scheme, protection)
        meter = ProtectionMeter(cipher)
        vectors = SampleIVs(first: scheme == .cenc ? protection.iv : nil)
        self.protection = protection
        self.systems = systems
    }

    private static func cipher(_ scheme: ProtectionScheme, _ protection: TrackProtection) throws -> SampleCipher {
        if scheme == .cenc, protection.iv == nil { throw OutputFailure("cenc requires an IV") }
        return try SampleCipher(
            scheme,
            .encrypt,
            key: protection.key,
            constantIV: scheme == .cenc ? nil : protection.iv
        )
    }

    /// Adds samples to ``fragment``. They must be the next samples to be written.
    ///
    /// - Throws: ``SampleFailure``.
    func describe(_ samples: ArraySlice<MediaSample>, _ timing: FragmentTiming) throws {
        try findSubsamples(samples)
        var next = 0
        for (index, (sample, count)) in zip(samples, subsampleCounts).enumerated() {
            let list = subsamples.span.extracting(next..<next + count)
            fragment.append(FragmentSample(sample, timing), iv: SampleIV(vectors[index]), subsamples: list)
            next += count
        }
    }

    private func findSubsamples(_ samples: ArraySlice<MediaSample>) throws {
        subsamples.removeAll(keepingCapacity: true)
        subsampleCounts.removeAll(keepingCapacity: true)
        vectors.removeAll()
        for sample in samples {
            let before = subsamples.count
            meter.addSample()
            do {
                if let coverage = try sample.withBytes({ try units?.append($0, to: &subsamples) }) {
                    // An empty sample repeats the previous picture.
                    guard coverage.hasSlice || sample.size == 0 else { throw SampleFailure(withoutSlice: sample) }
                    meter.add(clear: coverage.clearByteCount)
                } else {
                    meter.add(coded: sample.size)
                }
            } catch let error as ParseError {
                throw SampleFailure(sample, error)
            }
            subsampleCounts.append(subsamples.count - before)
            var listed = 0
            for subsample in subsamples[before...] {
                meter.add(coded: Int(subsample.protected))
                listed += Int(subsample.protected)
            }
            vectors.append(protecting: units == nil ? sample.size : listed)
        }
    }

    /// Ends a segment whose samples were written, and returns what was encrypted of it.
    ///
    /// - Throws: ``ProtectionFailure`` if they are not sufficiently encrypted.
    func end(_ segment: TrackSegment) throws(ProtectionFailure) -> EncryptionCount { try meter.end(segment) }

    /// Encrypts the samples that were added, many at a time, and writes them.
    func write(_ samples: ArraySlice<MediaSample>, to output: any SegmentOutput) throws {
        size = 0
        batch.removeAll()
        var (source, next) = (samples.first?.bytes, 0)
        for (index, (sample, count)) in zip(samples, subsampleCounts).enumerated() {
            if sample.bytes !== source {
                try encrypt(from: source)
                source = sample.bytes
            }
            if size + sample.size > Self.bufferSize, size > 0 {
                try encrypt(from: source)
                try flush(to: output)
            }
            let (offset, iv) = (size, vectors[index])
            if kind == .video {
                let list = subsamples[next..<next + count].lazy.map {
                    Subsample(clear: Int($0.clear), protected: Int($0.protected))
                }
                batch.append(
                    offset: offset,
                    source: sample.range.lowerBound,
                    size: sample.size,
                    subsamples: list,
                    iv: iv
                )
            } else {
                batch.append(offset: offset, source: sample.range.lowerBound, size: sample.size, iv: iv)
            }
            size += sample.size
            next += count
        }
        try encrypt(from: source)
        try flush(to: output)
    }

    /// Encrypts the pending samples, which are all in the same source bytes, into the buffer.
    private func encrypt(from source: (any SampleBytes)?) throws {
        guard let source, !batch.isEmpty else { return }
        if buffer.count < size { buffer.append(contentsOf: repeatElement(0, count: size - buffer.count)) }
        try source.withBytes { bytes in
            try buffer.withUnsafeMutableBytes { buffer in
                var output = buffer.mutableBytes
                try cipher.process(batch, from: bytes, to: &output)
            }
        }
        batch.removeAll()
    }

    private func flush(to output: any SegmentOutput) throws {
        try buffer.withUnsafeBytes { try output.write(UnsafeRawBufferPointer(rebasing: $0[..<size]).bytes) }
        size = 0
    }
}
