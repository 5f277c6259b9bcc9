import BulkAES
import ByteCoding
public import FPSCrypto

/// A cipher for METHOD=AES-128, which encrypts or decrypts whole media segments with AES-128-CBC and PKCS #7 padding
/// (RFC 8216bis, 4.4.4.4), several at once under one key. For a segment that arrives in parts use ``SegmentStreamCipher``.
///
/// Not thread-safe: make one call at a time. The object stores the key schedules, which are wiped on deinitialization.
public final class SegmentCipher {
    private let encryption: BulkCBC
    private let decryption: BulkCBC

    /// Creates a cipher with a key of 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``.
    public init(key: SecretBytes) throws(SampleEncryptionError) {
        try requireKeySize(key)
        encryption = try convertingCryptoErrors { () throws(CryptoError) in try BulkCBC(.encrypt, key: key) }
        decryption = try convertingCryptoErrors { () throws(CryptoError) in try BulkCBC(.decrypt, key: key) }
    }

    /// Returns the size of an encrypted segment in bytes: the next multiple of 16 above `size`.
    public static func encryptedSize(of size: Int) -> Int { size / 16 * 16 + 16 }

    /// Pads and encrypts segments, each with its own IV of 16 bytes. Encrypting one segment takes three times as long
    /// as encrypting each of eight in one call.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidIV`` if the number of IVs is not the number of segments, or if an
    ///   IV does not have 16 bytes. In these cases no segment has changed.
    public func encrypt(
        _ segments: inout [[UInt8]],
        ivs: [CipherIV]
    ) throws(SampleEncryptionError) {
        try check(ivs, count: segments.count)
        for index in segments.indices {
            let padding = 16 - segments[index].count % 16
            segments[index].append(contentsOf: repeatElement(UInt8(padding), count: padding))
        }
        for start in stride(from: 0, to: segments.count, by: Self.segmentsPerCall) {
            let range = start..<min(start + Self.segmentsPerCall, segments.count)
            try withBuffers(of: &segments, range, appendedTo: []) { buffers throws(SampleEncryptionError) in
                var ivs = Array(ivs[range])
                try encrypt(unsafeWholeBlocks: buffers, ivs: &ivs)
            }
        }
    }

    /// Encrypts whole blocks of several segments in place, without padding, for segments that are written in parts but
    /// in parallel. Each IV is replaced with the IV for the segment's next part. The caller adds the padding to the
    /// last part of a segment.
    ///
    /// The caller must keep the memory valid and exclusive during the call.
    ///
    /// - Throws: ``SampleEncryptionError/Code/partialBlock`` if a size is not a multiple of 16;
    ///   ``SampleEncryptionError/Code/invalidIV`` as ``encrypt(_:ivs:)``.
    public func encrypt(
        unsafeWholeBlocks buffers: [UnsafeMutableRawBufferPointer],
        ivs: inout [CipherIV]
    ) throws(SampleEncryptionError) {
        try check(ivs, count: buffers.count)
        for (index, buffer) in buffers.enumerated() where !buffer.count.isMultiple(of: 16) {
            throw SampleEncryptionError(
                .partialBlock,
                index: index,
                reason: "\(buffer.count) bytes, must be a multiple of 16"
            )
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

    /// Decrypts a segment in place and removes its padding.
    ///
    /// - Throws: ``SampleEncryptionError/Code/damagedSegment``, after which the content of `segment` is not usable;
    ///   ``SampleEncryptionError/Code/invalidIV`` if the IV does not have 16 bytes.
    public func decrypt(_ segment: inout [UInt8], iv: CipherIV) throws(SampleEncryptionError) {
        try check([iv], count: 1)
        guard !segment.isEmpty, segment.count.isMultiple(of: 16) else {
            throw SampleEncryptionError(.damagedSegment, reason: "\(segment.count) bytes, must be a multiple of 16")
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
            throw SampleEncryptionError(.damagedSegment, reason: "the padding is invalid")
        }
        segment.removeLast(padding)
    }

    private func check(_ ivs: [CipherIV], count: Int) throws(SampleEncryptionError) {
        guard ivs.count == count else {
            throw SampleEncryptionError(.invalidIV, reason: "\(ivs.count) IVs for \(count) segments")
        }
        for (index, iv) in ivs.enumerated() where iv.count != 16 {
            throw SampleEncryptionError(.invalidIV, index: index, reason: "the IV has \(iv.count) bytes, must be 16")
        }
    }

    /// The number of segments that are encrypted in one call: twice the number that the cipher processes in parallel.
    private static let segmentsPerCall = 32

    /// Calls `body` with the memory of all segments in `range`. Recurses once per segment.
    private func withBuffers(
        of segments: inout [[UInt8]],
        _ range: Range<Int>,
        appendedTo buffers: [UnsafeMutableRawBufferPointer],
        _ body: ([UnsafeMutableRawBufferPointer]) throws(SampleEncryptionError) -> Void
    ) throws(SampleEncryptionError) {
        guard let index = range.first else { return try body(buffers) }
        // The segment is moved out of the list, so that the recursive call can access the other segments.
        var segment: [UInt8] = []
        swap(&segment, &segments[index])
        defer { swap(&segment, &segments[index]) }
        try segment.withUnsafeMutableBufferPointer { segment throws(SampleEncryptionError) in
            let buffers = buffers + [UnsafeMutableRawBufferPointer(segment)]
            try withBuffers(of: &segments, range.dropFirst(), appendedTo: buffers, body)
        }
    }
}

/// Throws an error unless the key has the size of an AES-128 key.
func requireKeySize(_ key: SecretBytes) throws(SampleEncryptionError) {
    guard key.count == AES128.blockSize else {
        throw SampleEncryptionError(.invalidKey, reason: "the key has \(key.count) bytes, must be \(AES128.blockSize)")
    }
}
