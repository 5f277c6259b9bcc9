import MediaFormats
import SampleEncryption

/// Measures the encryption of segments while they are written, so that nothing is published as encrypted that is not.
///
/// Two counts are compared at the end of each protected segment. The first is computed from the sizes of slices and
/// audio frames: the bytes that the scheme must encrypt. The second is the cipher's: the bytes that it has changed.
///
///     scheme       of a slice or an audio frame of n bytes, the scheme encrypts
///     cenc         all bytes after the slice header, in video only whole blocks of 16
///     cbcs         video: 1 of 10 blocks after the slice header; audio: all whole blocks
///     SAMPLE-AES   H.264: from 49 bytes, 1 of 10 blocks after the first 32; audio: whole blocks after the first 16
///
/// A sample of video without a slice is refused before, because nothing of it can be encrypted. NAL units that may
/// contain a picture, but that the scheme leaves clear (data partitions, layers above the base layer, unknown types),
/// must not outweigh the slices.
final class ProtectionMeter {
    /// The number of clear bytes of such NAL units that each sample may have in any case: encoders add private data.
    private static let allowance = 256

    private let cipher: SampleCipher
    /// The cipher's count at the start of the segment.
    private var start: Int
    private var expected = 0
    private var coded = 0
    private var clear = 0
    private var sampleCount = 0

    /// Creates a meter for the segments that a cipher encrypts.
    init(_ cipher: SampleCipher) {
        self.cipher = cipher
        start = cipher.encryptedByteCount
    }

    /// Counts a sample.
    func addSample() { sampleCount += 1 }

    /// Counts the part of a slice or an audio frame that is passed to the cipher.
    func add(coded size: Int) {
        coded += size
        expected += cipher.scheme.encryptedByteCount(ofProtected: size)
    }

    /// Counts a NAL unit that may contain a picture and stays clear, or the bytes of an audio sample outside of its
    /// frames.
    func add(clear size: Int) { clear += size }

    /// Ends a segment that has been written, and returns what was encrypted of it.
    ///
    /// - Throws: ``ProtectionFailure``.
    func end(_ segment: TrackSegment) throws(ProtectionFailure) -> EncryptionCount {
        let encrypted = cipher.encryptedByteCount - start
        defer {
            start = cipher.encryptedByteCount
            (expected, coded, clear, sampleCount) = (0, 0, 0, 0)
        }
        guard encrypted >= expected else {
            throw ProtectionFailure(
                segment: segment.index + 1,
                reason: "only \(encrypted) of \(expected) bytes are encrypted"
            )
        }
        guard clear <= coded + Self.allowance * sampleCount else {
            throw ProtectionFailure(
                segment: segment.index + 1,
                reason: "\(clear) bytes would stay clear, which are not in slices or audio frames and may contain "
                    + "pictures or sound, and only \(coded) bytes can be encrypted: encode the input again, or leave "
                    + "this track clear (policy=clear)"
            )
        }
        return EncryptionCount(encrypted: encrypted, coded: coded)
    }
}

/// The amount of encrypted data in the segments of a rendition.
package struct EncryptionCount: Hashable, Sendable {
    /// The size in bytes of slices from which on some of them must be encrypted. Less is a few pictures of one color.
    private static let limit = 16 << 10

    /// The number of encrypted bytes.
    package var encrypted = 0
    /// The number of bytes of slices and audio frames in encrypted segments.
    package var coded = 0

    /// True if nothing is encrypted of more than a few pictures.
    var isUnprotected: Bool { encrypted == 0 && coded > Self.limit }

    static func += (left: inout EncryptionCount, right: EncryptionCount) {
        left.encrypted += right.encrypted
        left.coded += right.coded
    }
}

/// An error for a segment that is to be encrypted, but cannot be encrypted sufficiently. It must not be published.
struct ProtectionFailure: Error {
    /// The number of the segment in its rendition, from 1.
    let segment: Int
    /// The reason and how to correct it.
    let reason: String

    /// Returns the failure of the input.
    func failure(of input: String, rendition: String) -> InputFailure {
        InputFailure(input, "segment \(segment) of \(rendition) is not published: \(reason)")
    }

    /// Returns the failure for a video rendition of which nothing was encrypted, because all its slices are too short.
    static func nothingEncrypted(of rendition: PackagingPlan.Rendition, input: String) -> InputFailure {
        let scheme = rendition.protection?.scheme.rawValue ?? "the scheme"
        return InputFailure(
            input,
            "nothing of \(rendition.folder) is encrypted, because all its slices are too short for \(scheme): use "
                + "another scheme, or leave this track clear (policy=clear)"
        )
    }
}
