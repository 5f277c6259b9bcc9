import BulkAES
import ByteCoding
public import FPSCrypto

/// METHOD=AES-128: encrypts or decrypts whole media segments with AES-128-CBC and PKCS #7 padding
/// (RFC 8216bis, 4.4.4.4), several at once under one key. For a segment that comes in parts there is ``SegmentStream``.
///
/// One value serves one call at a time. It keeps the key schedules, which are wiped when it goes.
public final class SegmentCipher {
    private let encryption: BulkCBC
    private let decryption: BulkCBC

    /// Sets up a key of 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``.
    public init(key: SecretBytes) throws(SampleEncryptionError) {
        try checkKey(key)
        encryption = try translating { () throws(CryptoError) in try BulkCBC(.encrypt, key: key) }
        decryption = try translating { () throws(CryptoError) in try BulkCBC(.decrypt, key: key) }
    }

    /// The size of an encrypted segment: the next multiple of 16 bytes above `size`.
    public static func encryptedSize(of size: Int) -> Int { size / 16 * 16 + 16 }

    /// Pads and encrypts segments, each with its own IV of 16 bytes. One segment alone takes three times as long as
    /// each of eight together.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidIV`` when there are more or fewer IVs than segments, or one is not
    ///   of 16 bytes; nothing has changed then.
    public func encrypt(
        _ segments: inout [[UInt8]],
        ivs: [CipherIV]
    ) throws(SampleEncryptionError) {
        try check(ivs, count: segments.count)
        for index in segments.indices {
            let padding = 16 - segments[index].count % 16
            segments[index].append(contentsOf: repeatElement(UInt8(padding), count: padding))
        }
        for start in stride(from: 0, to: segments.count, by: Self.lentAtOnce) {
            let range = start..<min(start + Self.lentAtOnce, segments.count)
            try lend(&segments, range, after: []) { buffers throws(SampleEncryptionError) in
                var ivs = Array(ivs[range])
                try encrypt(unsafeWholeBlocks: buffers, ivs: &ivs)
            }
        }
    }

    /// Encrypts whole blocks of several segments in place, without padding: for segments that are written in parts but
    /// together. Each IV becomes the one to go on with; the end of a segment brings its padding along.
    ///
    /// The caller keeps the memory valid, and lets nobody else use it, during the call.
    ///
    /// - Throws: ``SampleEncryptionError/Code/partialBlock`` when a size is no multiple of 16;
    ///   ``SampleEncryptionError/Code/invalidIV`` as ``encrypt(_:ivs:)``.
    public func encrypt(
        unsafeWholeBlocks buffers: [UnsafeMutableRawBufferPointer],
        ivs: inout [CipherIV]
    ) throws(SampleEncryptionError) {
        try check(ivs, count: buffers.count)
        for (index, buffer) in buffers.enumerated() where !buffer.count.isMultiple(of: 16) {
            throw SampleEncryptionError(.partialBlock, index: index, reason: "\(buffer.count) bytes")
        }
        let runs = buffers.indices.map {
            BlockRun(buffer: $0, offset: 0, blocks: buffers[$0].count / 16, iv: ivs[$0].block)
        }
        do throws(CryptoError) {
            try encryption.process(runs, unsafeBuffers: buffers)
        } catch {
            throw SampleEncryptionError(error)
        }
        for (index, buffer) in buffers.enumerated() where buffer.count > 0 {
            let last = buffer.loadUnaligned(fromByteOffset: buffer.count - 16, as: SIMD16<UInt8>.self)
            ivs[index] = CipherIV(block: last)
        }
    }

    /// Decrypts a segment in place and takes its padding off.
    ///
    /// - Throws: ``SampleEncryptionError/Code/damagedSegment``; the segment is of no use then.
    ///   ``SampleEncryptionError/Code/invalidIV`` when the IV is not of 16 bytes.
    public func decrypt(_ segment: inout [UInt8], iv: CipherIV) throws(SampleEncryptionError) {
        try check([iv], count: 1)
        guard !segment.isEmpty, segment.count.isMultiple(of: 16) else {
            throw SampleEncryptionError(.damagedSegment, reason: "\(segment.count) bytes, no multiple of 16")
        }
        var span = segment.mutableSpan
        var raw = span.mutableBytes
        do throws(CryptoError) {
            try decryption.process([BlockRun(offset: 0, blocks: raw.byteCount / 16, iv: iv.block)], in: &raw)
        } catch {
            throw SampleEncryptionError(error)
        }
        let padding = segment.last.map(Int.init) ?? 0
        guard (1...16).contains(padding), segment.suffix(padding).allSatisfy({ $0 == UInt8(padding) }) else {
            throw SampleEncryptionError(.damagedSegment, reason: "its padding is wrong")
        }
        segment.removeLast(padding)
    }

    private func check(_ ivs: [CipherIV], count: Int) throws(SampleEncryptionError) {
        guard ivs.count == count else {
            throw SampleEncryptionError(.invalidIV, reason: "\(ivs.count) for \(count) segments")
        }
        for (index, iv) in ivs.enumerated() where iv.count != 16 {
            throw SampleEncryptionError(.invalidIV, index: index, reason: "\(iv.count) bytes, must be 16")
        }
    }

    /// How many segments are encrypted together: twice as many as advance side by side.
    private static let lentAtOnce = 32

    /// Lends the memory of the segments in `range` at once, one call within the other.
    private func lend(
        _ segments: inout [[UInt8]],
        _ range: Range<Int>,
        after lent: [UnsafeMutableRawBufferPointer],
        _ body: ([UnsafeMutableRawBufferPointer]) throws(SampleEncryptionError) -> Void
    ) throws(SampleEncryptionError) {
        guard let index = range.first else { return try body(lent) }
        // Taken out of the list, so that the list can lend the others meanwhile.
        var segment: [UInt8] = []
        swap(&segment, &segments[index])
        defer { swap(&segment, &segments[index]) }
        try segment.withUnsafeMutableBufferPointer { segment throws(SampleEncryptionError) in
            let lent = lent + [UnsafeMutableRawBufferPointer(segment)]
            try lend(&segments, range.dropFirst(), after: lent, body)
        }
    }
}

/// Holds that a key has the size of AES-128.
func checkKey(_ key: SecretBytes) throws(SampleEncryptionError) {
    guard key.count == AES128.blockSize else {
        throw SampleEncryptionError(.invalidKey, reason: "\(key.count) bytes, must be \(AES128.blockSize)")
    }
}
