public import FPSCrypto

/// METHOD=AES-128 for one segment that comes in parts of any size: AES-128-CBC with PKCS #7 padding at its end
/// (RFC 8216bis, 4.4.4.4). ``SegmentCipher`` is faster for several segments that are at hand together.
public struct SegmentStream: ~Copyable {
    private var stream: AES128PaddedStream

    /// Sets up a key of 16 bytes and the segment's IV of 16 bytes.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidKey``, ``SampleEncryptionError/Code/invalidIV``.
    public init(
        _ direction: SampleCipher.Direction,
        key: SecretBytes,
        iv: CipherIV
    ) throws(SampleEncryptionError) {
        try checkKey(key)
        guard iv.count == 16 else {
            throw SampleEncryptionError(.invalidIV, reason: "\(iv.count) bytes, must be 16")
        }
        do throws(CryptoError) {
            stream = try AES128PaddedStream(direction == .encrypt ? .encrypt : .decrypt, key: key, iv: iv.block)
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Passes the next part through and appends to `output` what is complete: up to 16 bytes less than what came in, or
    /// 15 more.
    public mutating func append(_ part: RawSpan, to output: inout [UInt8]) throws(SampleEncryptionError) {
        do throws(CryptoError) {
            try stream.update(part, appendingTo: &output)
        } catch {
            throw SampleEncryptionError(error)
        }
    }

    /// Ends the segment and appends to `output` what is left.
    ///
    /// - Throws: ``SampleEncryptionError/Code/damagedSegment`` when decryption ends within a block or on padding that
    ///   is wrong.
    public consuming func finish(to output: inout [UInt8]) throws(SampleEncryptionError) {
        do throws(CryptoError) {
            try stream.finish(appendingTo: &output)
        } catch  where error.code == .decryptionFailed {
            throw SampleEncryptionError(.damagedSegment, reason: "its size or its padding is wrong")
        } catch {
            throw SampleEncryptionError(error)
        }
    }
}
