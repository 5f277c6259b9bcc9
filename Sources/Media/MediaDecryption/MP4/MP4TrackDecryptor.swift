import ByteCoding
import MediaFormats
import SampleEncryption

/// Decrypts the samples of one track in place, in batches.
struct MP4TrackDecryptor {
    /// The parameters that samples must share to be decrypted with one cipher.
    private struct CipherID: Hashable {
        let key: KeyID
        let scheme: FourCC
        let cryptByteBlock: UInt8
        let skipByteBlock: UInt8

        init(_ protection: SampleProtection) {
            key = protection.keyID
            scheme = protection.scheme
            cryptByteBlock = protection.cryptByteBlock
            skipByteBlock = protection.skipByteBlock
        }
    }

    /// The maximum number of samples and bytes in a batch, chosen to fit into the processor's cache.
    private static let batchCount = 1024
    private static let batchSize = 1 << 20
    /// The maximum number of cached ciphers. A track with more keys sets up ciphers repeatedly.
    private static let maximumCipherCount = 64

    /// The result for the samples so far.
    private(set) var report: DecryptedTrack
    private let trackID: UInt32
    private let keys: DecryptionKeys
    private let byteCount: Int
    private var ciphers: [CipherID: SampleCipher] = [:]
    private var current: (id: CipherID, cipher: SampleCipher)?
    private var batch = SampleBatch()
    private var subsamples: [Subsample] = []
    /// The last IV, cached because a constant IV is the same for all samples.
    private var vector: (bytes: SampleIV, iv: CipherIV)?
    private var batchBytes = 0
    /// The number of the first sample in the batch.
    private var batchStart = 0
    private var batchEnd = 0
    private var sampleCount = 0
    private var totalSize = 0

    init(_ track: Track, keys: DecryptionKeys, byteCount: Int) {
        trackID = track.id
        self.keys = keys
        self.byteCount = byteCount
        let entry = track.descriptions.first { $0.commonEncryption != nil }
        report = DecryptedTrack(
            name: "track \(track.id)",
            format: entry?.originalFormat.description ?? "",
            scheme: entry?.commonEncryption?.schemeType?.description ?? ""
        )
    }

    /// Adds the next sample to the batch. It is decrypted now or in a later call.
    mutating func add(_ sample: Sample, of input: RawSpan, in output: inout MutableRawSpan) throws {
        sampleCount += 1
        guard sample.offset >= 0, sample.offset <= byteCount, sample.size <= byteCount - sample.offset else {
            throw ParseError(
                .truncated,
                reading: "sample \(sampleCount) of track \(trackID)",
                offset: sample.offset,
                reason: "its \(sample.size) bytes extend beyond the file of \(byteCount) bytes"
            )
        }
        // This check bounds the work: a few bytes of sample tables could describe any number of overlapping samples.
        totalSize += sample.size
        guard totalSize <= byteCount else {
            throw ParseError(
                .invalidValue,
                reading: "sample \(sampleCount) of track \(trackID)",
                offset: sample.offset,
                reason: "the samples of the track have more bytes than the file"
            )
        }
        guard let protection = sample.protection, sample.size > 0 else {
            report.clear += 1
            // The batch must contain consecutive samples, so that an error reports the right sample number.
            return try flush(&output)
        }
        report.decrypted += 1
        let id = CipherID(protection)
        if id != current?.id || batch.count == Self.batchCount || batchBytes > Self.batchSize
            || sample.offset < batchEnd
        {
            try flush(&output)
            if id != current?.id { current = (id, try cipher(id)) }
        }
        if batch.isEmpty { batchStart = sampleCount }
        let iv = try initializationVector(protection.iv, protection.scheme)
        if protection.subsamples.count == 0 {
            batch.append(offset: sample.offset, size: sample.size, iv: iv)
        } else {
            subsamples.removeAll(keepingCapacity: true)
            for index in 0..<protection.subsamples.count {
                let entry = protection.subsamples.entry(index, in: input)
                subsamples.append(Subsample(clear: Int(entry.clear), protected: Int(entry.protected)))
            }
            batch.append(offset: sample.offset, size: sample.size, subsamples: subsamples, iv: iv)
        }
        batchBytes += sample.size
        batchEnd = sample.offset + sample.size
    }

    /// Decrypts the samples in the batch.
    mutating func flush(_ output: inout MutableRawSpan) throws {
        guard let current, !batch.isEmpty else { return }
        do throws(SampleEncryptionError) {
            try current.cipher.process(batch, in: &output)
        } catch {
            let number = batchStart + (error.index ?? 0)
            throw DecryptionError.cipherFailure(error, "sample \(number) of track \(trackID)")
        }
        batch.removeAll()
        batchBytes = 0
        batchEnd = 0
    }

    /// Returns the IV of a sample. A constant IV can have 8 bytes (ISO/IEC 23001-7, 8.2), but the CBC mode of `cbcs`
    /// requires 16.
    private mutating func initializationVector(_ bytes: SampleIV, _ scheme: FourCC) throws -> CipherIV {
        if let vector, vector.bytes == bytes { return vector.iv }
        do throws(SampleEncryptionError) {
            let given = try CipherIV(bytes.bytes)
            let iv = scheme == "cbcs" ? given.paddedWithZeros : given
            vector = (bytes, iv)
            return iv
        } catch {
            throw DecryptionError.cipherFailure(error, "sample \(sampleCount) of track \(trackID)")
        }
    }

    private mutating func cipher(_ id: CipherID) throws -> SampleCipher {
        if let cipher = ciphers[id] { return cipher }
        guard let key = keys[id.key] else {
            throw DecryptionError.missingKey(
                id.key,
                "track \(trackID) (\(report.format)), sample \(sampleCount)",
                isInURI: keys.embedded?.keyID == id.key
            )
        }
        do throws(SampleEncryptionError) {
            let cipher = try SampleCipher(try scheme(id), .decrypt, key: key.key)
            if ciphers.count == Self.maximumCipherCount { ciphers.removeAll() }
            ciphers[id] = cipher
            if !report.keyIDs.contains(id.key) { report.keyIDs.append(id.key) }
            return cipher
        } catch {
            throw DecryptionError.cipherFailure(error, "track \(trackID)")
        }
    }

    private func scheme(_ id: CipherID) throws(SampleEncryptionError) -> ProtectionScheme {
        func pattern() throws(SampleEncryptionError) -> EncryptionPattern {
            try EncryptionPattern(cryptBlocks: Int(id.cryptByteBlock), skipBlocks: Int(id.skipByteBlock))
        }
        switch id.scheme {
        case "cbcs": return .cbcs(try pattern())
        case "cens": return .cens(try pattern())
        case "cbc1": return .cbc1
        default: return .cenc
        }
    }
}
