public import FPSCrypto

/// A METHOD=AES-128 cipher for one segment that arrives in parts of any size: AES-128-CBC with PKCS #7 padding at the
/// end (RFC 8216bis, 4.4.4.4). ``SegmentCipher`` is faster for several complete segments.
public struct SegmentStreamCipher: ~Copyable {
    private var stream: AES128PaddedStream

    /// Creates a cipher with a key of 16 bytes and the segment's IV of 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``, ``SampleEncryptionError/Code/invalidIV``.
    public init(
        _ direction: SampleCipher.Direction,
        key: SecretBytes,
        iv: CipherIV
    ) throws(SampleEncryptionError) {
        try requireKeySize(key)
        guard iv.count == 16 else {
            throw SampleEncryptionError(.invalidIV, reason: "the IV has \(iv.count) bytes, must be 16")
        }
        do throws(CryptoError) {
            stream = try AES128PaddedStream(direction == .encrypt ? .encrypt : .decrypt, key: key, iv: iv.block)
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Processes the next part and appends the available output to `output`. The output has between 16 bytes less and
    /// 15 bytes more than `part`.
    public mutating func append(_ part: RawSpan, to output: inout [UInt8]) throws(SampleEncryptionError) {
        do throws(CryptoError) {
            try stream.update(part, appendingTo: &output)
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Finishes the segment and appends the remaining output to `output`.
    ///
    /// - Throws: ``SampleEncryptionError/Code/damagedSegment`` if decryption ends within a block or the padding is
    ///   invalid.
    public consuming func finish(to output: inout [UInt8]) throws(SampleEncryptionError) {
        do throws(CryptoError) {
            try stream.finish(appendingTo: &output)
        } catch  where error.code == .decryptionFailed {
            throw SampleEncryptionError(.damagedSegment, reason: "the size or the padding is invalid")
        } catch {
            throw SampleEncryptionError(error)
        }
    }
}
