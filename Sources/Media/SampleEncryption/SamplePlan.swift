import BulkAES

/// The blocks or bytes of a batch's samples that the cipher must process. The lists' memory is reused.
struct SamplePlan {
    private(set) var blocks: [BlockRun] = []
    private(set) var bytes: [CounterRun] = []
    /// The number of bytes in the lists of all batches so far.
    private(set) var encryptedByteCount = 0
    private let scheme: ProtectionScheme
    private let constantIV: CipherIV?
    /// The distance in bytes from the offset of the current sample in the output to its offset in the input.
    private var shift = 0

    init(_ scheme: ProtectionScheme, constantIV: CipherIV?) {
        self.scheme = scheme
        self.constantIV = constantIV
    }

    /// Computes the lists for a batch.
    ///
    /// - Parameter input: the buffer that contains the samples; nil if it is `buffer`, the one that they are written
    ///   to.
    mutating func make(
        _ batch: SampleBatch,
        from input: RawSpan? = nil,
        in buffer: RawSpan
    ) throws(SampleEncryptionError) {
        blocks.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        let isMoved = input != nil
        let source = if let input { input } else { buffer }
        var end = 0
        for (index, sample) in batch.entries.enumerated() {
            try check(sample.size, at: sample.offset, index, in: buffer)
            if isMoved { try check(sample.size, at: sample.source, index, in: source) }
            shift = isMoved ? sample.source - sample.offset : 0
            guard sample.offset >= end else {
                let reason =
                    "the sample starts at byte \(sample.offset), before the end of the previous sample at byte \(end)"
                throw SampleEncryptionError(.overlap, index: index, reason: reason)
            }
            end = sample.offset + sample.size
            guard let iv = sample.iv ?? constantIV else {
                throw SampleEncryptionError(
                    .invalidIV,
                    index: index,
                    reason: "the sample has no IV, and the cipher has no constant IV"
                )
            }
            guard iv.count == 16 || scheme.usesCounterMode else {
                throw SampleEncryptionError(
                    .invalidIV,
                    index: index,
                    reason: "the IV has \(iv.count) bytes, must be 16"
                )
            }
            try make(sample, batch.subsamples, index, iv.block, in: source)
        }
    }

    private func check(_ size: Int, at offset: Int, _ index: Int, in buffer: RawSpan) throws(SampleEncryptionError) {
        guard offset >= 0, size >= 0, offset <= buffer.byteCount, size <= buffer.byteCount - offset else {
            let reason = "\(size) bytes at offset \(offset) are not within a buffer of \(buffer.byteCount) bytes"
            throw SampleEncryptionError(.outOfBounds, index: index, reason: reason)
        }
    }

    private mutating func make(
        _ sample: SampleBatch.Entry,
        _ subsamples: [Subsample],
        _ index: Int,
        _ iv: SIMD16<UInt8>,
        in buffer: RawSpan
    ) throws(SampleEncryptionError) {
        var isFirst = true
        guard let list = sample.subsamples else {
            let whole = scheme == .cbc1 ? sample.size / 16 * 16 : sample.size
            try add(sample.offset, whole, index, iv, &isFirst, in: buffer)
            return
        }
        var (position, left) = (sample.offset, sample.size)
        for subsample in subsamples[list] {
            guard subsample.clear >= 0, subsample.protected >= 0, subsample.clear <= left,
                subsample.protected <= left - subsample.clear
            else {
                let reason =
                    "the subsample has \(subsample.clear) clear and \(subsample.protected) protected bytes, but only "
                    + "\(left) bytes of the sample are left"
                throw SampleEncryptionError(.outOfBounds, index: index, reason: reason)
            }
            position += subsample.clear
            try add(position, subsample.protected, index, iv, &isFirst, in: buffer)
            position += subsample.protected
            left -= subsample.clear + subsample.protected
        }
    }

    /// Adds a protected part. `isFirst` is true until the chain or key stream of the sample has started.
    private mutating func add(
        _ offset: Int,
        _ size: Int,
        _ index: Int,
        _ iv: SIMD16<UInt8>,
        _ isFirst: inout Bool,
        in buffer: RawSpan
    ) throws(SampleEncryptionError) {
        switch scheme {
        case .cenc:
            addBytes(offset, size, iv, &isFirst)
        case .cens(let pattern) where pattern.skipBlocks == 0:
            addBytes(offset, size / 16 * 16, iv, &isFirst)
        case .cens(let pattern):
            let groups = pattern.encryptedBlocks(in: size) / pattern.cryptBlocks
            let stride = (pattern.cryptBlocks + pattern.skipBlocks) * 16
            for group in 0..<groups { addBytes(offset + group * stride, pattern.cryptBlocks * 16, iv, &isFirst) }
        case .cbc1:
            guard size.isMultiple(of: 16) else {
                throw SampleEncryptionError(
                    .partialBlock,
                    index: index,
                    reason: "\(size) protected bytes, must be a multiple of 16"
                )
            }
            addBlocks(offset, size / 16, .wholeBlocks, continues: true, iv, &isFirst)
        case .cbcs(let pattern):
            addBlocks(offset, pattern.encryptedBlocks(in: size), pattern, continues: false, iv, &isFirst)
        case .sampleAES(.h264):
            guard size >= SampleAESRules.minimumNALUnitSize,
                SampleAESRules.isEncrypted(header: buffer.unsafeLoad(fromByteOffset: offset + shift, as: UInt8.self))
            else { return }
            let blocks = SampleAESRules.videoBlocks(in: size)
            addBlocks(offset + SampleAESRules.clearVideoSize, blocks, .video, continues: false, iv, &isFirst)
        case .sampleAES(let format):
            let blocks = max(size - SampleAESRules.clearAudioSize, 0) / 16
            let continues = format == .enhancedAC3
            addBlocks(offset + SampleAESRules.clearAudioSize, blocks, .wholeBlocks, continues: continues, iv, &isFirst)
        }
    }

    private mutating func addBytes(_ offset: Int, _ count: Int, _ iv: SIMD16<UInt8>, _ isFirst: inout Bool) {
        guard count > 0 else { return }
        encryptedByteCount += count
        bytes.append(
            CounterRun(
                offset: offset,
                source: offset + shift,
                count: count,
                continuesStream: !isFirst,
                counter: iv
            )
        )
        isFirst = false
    }

    private mutating func addBlocks(
        _ offset: Int,
        _ count: Int,
        _ pattern: EncryptionPattern,
        continues: Bool,
        _ iv: SIMD16<UInt8>,
        _ isFirst: inout Bool
    ) {
        guard count > 0 else { return }
        encryptedByteCount += count * 16
        let run = BlockRun(
            offset: offset,
            blocks: count,
            cryptBlocks: max(pattern.cryptBlocks, 1),
            skipBlocks: pattern.skipBlocks,
            continuesChain: continues && !isFirst,
            iv: iv
        )
        blocks.append(run)
        isFirst = false
    }
}

extension ProtectionScheme {
    /// True if the scheme uses counter mode, which also allows IVs of 8 bytes.
    var usesCounterMode: Bool {
        switch self {
        case .cenc, .cens: true
        case .cbc1, .cbcs, .sampleAES: false
        }
    }

    /// Returns the number of encrypted bytes in a protected part of a sample: a subsample, or a unit of
    /// ``SampleAESFormat``. A NAL unit is expected to have type 1 or 5.
    package func encryptedByteCount(ofProtected size: Int) -> Int {
        switch self {
        case .cenc: size
        case .cbc1: size / 16 * 16
        case .cens(let pattern), .cbcs(let pattern): pattern.encryptedBlocks(in: size) * 16
        case .sampleAES(.h264):
            size >= SampleAESRules.minimumNALUnitSize ? SampleAESRules.videoBlocks(in: size) * 16 : 0
        case .sampleAES: max(size - SampleAESRules.clearAudioSize, 0) / 16 * 16
        }
    }
}

/// The constants of Apple's MPEG-2 Stream Encryption Format.
enum SampleAESRules {
    /// The size in bytes of the shortest NAL unit that is encrypted.
    static let minimumNALUnitSize = 49
    /// The number of clear bytes at the start of a NAL unit.
    static let clearVideoSize = 32
    /// The number of clear bytes at the start of an audio unit.
    static let clearAudioSize = 16

    /// Returns whether a NAL unit with this first byte is encrypted: types 1 and 5, slices without data partitioning.
    static func isEncrypted(header: UInt8) -> Bool { [1, 5].contains(header & 0x1f) }

    /// Returns the number of encrypted blocks in a NAL unit of `size` bytes: one block, then 144 clear bytes, repeated
    /// while more than 16 bytes remain.
    static func videoBlocks(in size: Int) -> Int {
        let rest = size - clearVideoSize
        return rest > 16 ? (rest - 17) / 160 + 1 : 0
    }
}
