import ByteCoding
import MediaFormats
import SampleEncryption

/// A decryptor for packed audio with SAMPLE-AES: frames of AAC, AC-3 or E-AC-3 without a container, preceded by an ID3
/// tag (RFC 8216bis, 3.1.4). The output has the size of the input.
package struct PackedAudioDecryptor {
    /// The number of frames in a batch.
    private static let batchCount = 1024

    /// The result so far; nil before the first frame.
    package private(set) var report: DecryptedTrack?

    /// Creates a decryptor for a stream from its start.
    package init() {}

    /// Decrypts a segment, or a file of several segments.
    ///
    /// - Parameters:
    ///   - input: ID3 tags and whole frames.
    ///   - key: the key and its IV.
    ///   - base: the offset of the first byte in the file, for errors.
    ///   - output: memory of the size of `input`.
    /// - Throws: ``DecryptionError`` and `ParseError`.
    package mutating func decrypt(
        _ input: RawSpan,
        key: DecryptionKey,
        base: Int = 0,
        into output: inout MutableRawSpan
    ) throws {
        precondition(input.byteCount == output.byteCount, "the output must have the size of the input")
        output.withUnsafeMutableBytes { output in input.withUnsafeBytes { output.copyMemory(from: $0) } }
        var position = 0
        var batch = SampleBatch()
        var setup: (kind: SampleAESStream, cipher: SampleCipher)?
        while position < input.byteCount {
            if let tag = try LocatedID3Tag(input, at: position) {
                tag.clear(in: &output)
                position = tag.range.upperBound
                continue
            }
            let rest = input.extracting(position..<input.byteCount)
            let current = try setup ?? begin(rest, key, base + position)
            setup = current
            batch.removeAll()
            var count = 0
            let size = try ProtectedAudioFrames(kind: current.kind).forEach(
                in: rest,
                base: base + position,
                isFinal: true,
                limit: Self.batchCount
            ) { frame in
                batch.append(
                    offset: position + frame.range.lowerBound,
                    size: frame.range.count,
                    subsamples: frame.subsamples
                )
                count += 1
            }
            guard size > 0 else {
                throw ParseError(
                    .truncated,
                    reading: "\(current.kind.name) frame",
                    offset: base + position,
                    reason: "the frame is truncated: only \(input.byteCount - position) bytes are left"
                )
            }
            do throws(SampleEncryptionError) {
                try current.cipher.process(batch, in: &output)
            } catch {
                throw DecryptionError.cipherFailure(error, "\(current.kind.name) frames from byte \(base + position)")
            }
            report?.decrypted += count
            position += size
        }
    }

    private mutating func begin(
        _ frames: RawSpan,
        _ key: DecryptionKey,
        _ base: Int
    ) throws -> (kind: SampleAESStream, cipher: SampleCipher) {
        guard let kind = MediaFileKind.audio(frames) else {
            throw ParseError(
                .invalidValue,
                reading: "packed audio",
                offset: base,
                reason: "expected a frame of AAC, AC-3 or E-AC-3"
            )
        }
        guard let iv = key.iv else {
            throw DecryptionError(
                .missingIV,
                "packed audio",
                "SAMPLE-AES media contain no initialization vector; specify it after the key, as KID:KEY:IV"
            )
        }
        if report == nil { report = DecryptedTrack(name: "packed audio", format: kind.name, scheme: "SAMPLE-AES") }
        do throws(SampleEncryptionError) {
            let cipher = try SampleCipher(.sampleAES(kind.format), .decrypt, key: key.key, constantIV: iv)
            return (kind, cipher)
        } catch {
            throw DecryptionError.cipherFailure(error, "packed audio")
        }
    }
}
