/// An encryption scheme: which bytes of a sample are encrypted, and in which mode of AES-128.
///
/// ``SegmentCipher`` encrypts whole segments.
public enum ProtectionScheme: Hashable, Sendable {
    /// AES-CTR on all protected bytes of a sample as one continuous key stream (ISO/IEC 23001-7, 10.1).
    case cenc
    /// AES-CTR on a pattern of blocks (ISO/IEC 23001-7, 10.3). The pattern restarts with each subsample; the counter
    /// continues.
    case cens(EncryptionPattern)
    /// AES-CBC on all protected blocks of a sample as one chain (ISO/IEC 23001-7, 10.2).
    case cbc1
    /// AES-CBC on a pattern of blocks (ISO/IEC 23001-7, 10.4). The pattern and the chain restart with each subsample. A
    /// partial block at the end of a subsample stays clear, and so does a last group with fewer blocks than the pattern
    /// encrypts.
    case cbcs(EncryptionPattern)
    /// SAMPLE-AES in transport streams and packed audio (Apple, MPEG-2 Stream Encryption Format).
    case sampleAES(SampleAESFormat)

    /// The cbcs scheme for video in HLS: 1 block of 10 is encrypted.
    public static let cbcsVideo = ProtectionScheme.cbcs(.video)
    /// The cbcs scheme for audio in HLS: all whole blocks of a sample are encrypted.
    public static let cbcsAudio = ProtectionScheme.cbcs(.wholeBlocks)
}

/// A pattern of encrypted and skipped blocks of 16 bytes: `default_crypt_byte_block` and `default_skip_byte_block` of
/// `tenc`, 0 to 15 each (ISO/IEC 23001-7, 8.2 and 9.6).
public struct EncryptionPattern: Hashable, Sendable {
    /// The number of encrypted blocks in each group. 0 is allowed only if ``skipBlocks`` is 0.
    public let cryptBlocks: Int
    /// The number of clear blocks that follow in each group. If 0, every whole block is encrypted.
    public let skipBlocks: Int

    /// The pattern 1:9, for video.
    public static let video = EncryptionPattern(checkedCrypt: 1, skip: 9)
    /// The pattern 0:0, which encrypts every whole block, for audio.
    public static let wholeBlocks = EncryptionPattern(checkedCrypt: 0, skip: 0)

    /// Creates a pattern.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidPattern`` if a number is not in 0...15, or if `cryptBlocks` is 0
    ///   and `skipBlocks` is not.
    public init(cryptBlocks: Int, skipBlocks: Int) throws(SampleEncryptionError) {
        guard (0...15).contains(cryptBlocks), (0...15).contains(skipBlocks), cryptBlocks > 0 || skipBlocks == 0 else {
            throw SampleEncryptionError(
                .invalidPattern,
                reason: "the pattern is \(cryptBlocks):\(skipBlocks); both numbers must be 0 to 15, "
                    + "and the first must not be 0 unless the second is 0"
            )
        }
        self.init(checkedCrypt: cryptBlocks, skip: skipBlocks)
    }

    private init(checkedCrypt crypt: Int, skip: Int) {
        cryptBlocks = crypt
        skipBlocks = skip
    }

    /// Returns the number of encrypted blocks in a protected part of `size` bytes. A last group shorter than
    /// ``cryptBlocks`` stays clear (9.6.1), as in other packagers and players.
    func encryptedBlocks(in size: Int) -> Int {
        let blocks = size / 16
        guard skipBlocks > 0 else { return blocks }
        let (groups, rest) = blocks.quotientAndRemainder(dividingBy: cryptBlocks + skipBlocks)
        return groups * cryptBlocks + (rest >= cryptBlocks ? cryptBlocks : 0)
    }
}

/// The content of a SAMPLE-AES sample. The protected part of each subsample is one whole *unit*; the table specifies
/// which bytes of a unit are encrypted. Blocks have 16 bytes; a partial block stays clear.
///
/// | Format | Unit | Clear bytes at its start | Encrypted | The IV restarts with |
/// |---|---|---|---|---|
/// | `h264` | a NAL unit without start code | 32 bytes | 1 block of 10, while more than 16 bytes remain | each unit |
/// | `aac` | an ADTS frame without its header | 16 bytes | all whole blocks | each unit |
/// | `ac3` | a syncframe | 16 bytes | all whole blocks | each unit |
/// | `enhancedAC3` | a syncframe | 16 bytes | all whole blocks | each sample |
///
/// For H.264, only NAL units of types 1 and 5 that are longer than 48 bytes are encrypted.
public enum SampleAESFormat: Hashable, Sendable {
    /// H.264 video.
    case h264
    /// AAC audio in ADTS frames.
    case aac
    /// AC-3 audio.
    case ac3
    /// Enhanced AC-3 audio. A sample can contain several syncframes.
    case enhancedAC3
}
