package import FPSCrypto
import MediaFormats
package import SampleEncryption

/// A decryptor for a segment that is encrypted as a whole: METHOD=AES-128, AES-128-CBC with PKCS #7 padding (RFC
/// 8216bis, 4.4.4.4).
///
/// The initializer decrypts the last block to get the size of the clear segment. With a wrong key or IV the padding of
/// that block is invalid, which is detected before any output is written.
package struct SegmentDecryptor {
    /// The number of bytes that are decrypted at a time.
    private static let chunkSize = 1 << 20

    private let key: SecretBytes
    private let iv: CipherIV
    /// The size of the clear segment in bytes.
    package let clearSize: Int

    /// Decrypts the last block of an encrypted segment and checks its padding.
    ///
    /// - Throws: ``DecryptionError`` about `name`, if the segment is damaged or the key is wrong.
    package init(_ segment: RawSpan, key: SecretBytes, iv: CipherIV, name: String) throws {
        let size = segment.byteCount
        guard size >= 16, size.isMultiple(of: 16) else {
            let reason = "it has \(size) bytes, but the size of an AES-128 segment is a multiple of 16"
            throw DecryptionError(.damaged, name, reason)
        }
        func bytes(_ range: Range<Int>) -> [UInt8] { segment.extracting(range).withUnsafeBytes { [UInt8]($0) } }
        do throws(SampleEncryptionError) {
            var last = bytes(size - 16..<size)
            let chain = size == 16 ? iv : try CipherIV(bytes(size - 32..<size - 16))
            try SegmentCipher(key: key).decrypt(&last, iv: chain)
            clearSize = size - 16 + last.count
        } catch {
            guard error.code == .damagedSegment else { throw DecryptionError.cipherFailure(error, name) }
            throw DecryptionError(
                .damaged,
                name,
                "its padding is invalid: the key or IV is wrong, or the segment is damaged"
            )
        }
        self.key = key
        self.iv = iv
    }

    /// Writes the clear segment of ``clearSize`` bytes to `output`.
    package func decrypt(_ segment: RawSpan, into output: inout MutableRawSpan, at offset: Int, name: String) throws {
        do throws(SampleEncryptionError) {
            var stream = try SegmentStreamCipher(.decrypt, key: key, iv: iv)
            var chunk: [UInt8] = []
            var written = offset
            var position = 0
            while position < segment.byteCount {
                let end = min(position + Self.chunkSize, segment.byteCount)
                try stream.append(segment.extracting(position..<end), to: &chunk)
                position = end
                copy(chunk, chunk.indices, to: &output, at: written)
                written += chunk.count
                chunk.removeAll(keepingCapacity: true)
            }
            try stream.finish(to: &chunk)
            copy(chunk, chunk.indices, to: &output, at: written)
        } catch {
            throw DecryptionError.cipherFailure(error, name)
        }
    }
}
