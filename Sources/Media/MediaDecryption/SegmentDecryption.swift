package import FPSCrypto
import MediaFormats
package import SampleEncryption

/// Decrypts a segment that is encrypted as a whole: METHOD=AES-128, AES-128-CBC with PKCS #7 padding (RFC 8216bis,
/// 4.4.4.4).
///
/// The last block is decrypted first: it says how long the segment is, and with a wrong key or vector it is not padded as
/// it should be, which shows before anything is written.
package struct SegmentDecryption {
    /// How much is decrypted at a time.
    private static let pieceSize = 1 << 20

    private let key: SecretBytes
    private let iv: CipherIV
    /// The size of the clear segment in bytes.
    package let clearSize: Int

    /// Looks at an encrypted segment.
    ///
    /// - Throws: ``DecryptionError``, which names `name`, when it cannot be one, or not with this key.
    package init(_ segment: RawSpan, key: SecretBytes, iv: CipherIV, name: String) throws {
        let size = segment.byteCount
        guard size >= 16, size.isMultiple(of: 16) else {
            let reason = "it has \(size) bytes, and a segment under AES-128 a multiple of 16"
            throw DecryptionError(.damaged, name, reason)
        }
        func bytes(_ range: Range<Int>) -> [UInt8] { segment.extracting(range).withUnsafeBytes { [UInt8]($0) } }
        do throws(SampleEncryptionError) {
            var last = bytes(size - 16..<size)
            let chain = size == 16 ? iv : try CipherIV(bytes(size - 32..<size - 16))
            try SegmentCipher(key: key).decrypt(&last, iv: chain)
            clearSize = size - 16 + last.count
        } catch {
            guard error.code == .damagedSegment else { throw DecryptionError.refusedByCipher(error, name) }
            throw DecryptionError(
                .damaged,
                name,
                "its padding is wrong: it is damaged, or the key is not the right one"
            )
        }
        self.key = key
        self.iv = iv
    }

    /// Writes the clear segment, which has ``clearSize`` bytes.
    package func decrypt(_ segment: RawSpan, into output: inout MutableRawSpan, at offset: Int, name: String) throws {
        do throws(SampleEncryptionError) {
            var stream = try SegmentStream(.decrypt, key: key, iv: iv)
            var piece: [UInt8] = []
            var written = offset
            var position = 0
            while position < segment.byteCount {
                let end = min(position + Self.pieceSize, segment.byteCount)
                try stream.append(segment.extracting(position..<end), to: &piece)
                position = end
                copy(piece, piece.indices, to: &output, at: written)
                written += piece.count
                piece.removeAll(keepingCapacity: true)
            }
            try stream.finish(to: &piece)
            copy(piece, piece.indices, to: &output, at: written)
        } catch {
            throw DecryptionError.refusedByCipher(error, name)
        }
    }
}
