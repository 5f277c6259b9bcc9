/// How samples are encrypted: which of their bytes, and in which mode of AES-128.
///
/// Whole segments are encrypted by ``SegmentCipher`` instead.
public enum ProtectionScheme: Hashable, Sendable {
    /// ISO/IEC 23001-7, 10.1: CTR. All protected bytes of a sample are one stream, as if nothing were between them.
    case cenc
    /// ISO/IEC 23001-7, 10.3: CTR over a pattern of blocks, which starts anew with each subsample; the counter does
    /// not.
    case cens(EncryptionPattern)
    /// ISO/IEC 23001-7, 10.2: CBC. All protected blocks of a sample are one chain.
    case cbc1
    /// ISO/IEC 23001-7, 10.4: CBC over a pattern of blocks. The pattern and the chain start anew with each subsample.
    /// What is left of a subsample after the last whole block stays clear, and so do blocks after the last whole group
    /// of the pattern that are fewer than it encrypts.
    case cbcs(EncryptionPattern)
    /// SAMPLE-AES in transport streams and packed audio (Apple, MPEG-2 Stream Encryption Format).
    case sampleAES(SampleAESFormat)

    /// cbcs as HLS wants it for video: one block of ten.
    public static let cbcsVideo = ProtectionScheme.cbcs(.video)
    /// cbcs as HLS wants it for audio: all whole blocks of a sample.
    public static let cbcsAudio = ProtectionScheme.cbcs(.wholeBlocks)
}

/// How many blocks of 16 bytes are encrypted before how many are skipped: `default_crypt_byte_block` and
/// `default_skip_byte_block` of `tenc`, 0 to 15 each (ISO/IEC 23001-7, 8.2 and 9.6).
public struct EncryptionPattern: Hashable, Sendable {
    /// How many blocks are encrypted. 0 only together with ``skipBlocks`` 0.
    public let cryptBlocks: Int
    /// How many blocks are skipped then. 0: every whole block is encrypted.
    public let skipBlocks: Int

    /// 1:9, for video.
    public static let video = EncryptionPattern(checkedCrypt: 1, skip: 9)
    /// 0:0, every whole block: for audio.
    public static let wholeBlocks = EncryptionPattern(checkedCrypt: 0, skip: 0)

    /// Makes a pattern.
    ///
    /// - Throws: ``SampleEncryptionError/Code/invalidPattern`` when a number is not in 0...15, or when blocks are to be
    ///   skipped but none encrypted.
    public init(cryptBlocks: Int, skipBlocks: Int) throws(SampleEncryptionError) {
        guard (0...15).contains(cryptBlocks), (0...15).contains(skipBlocks), cryptBlocks > 0 || skipBlocks == 0 else {
            throw SampleEncryptionError(.invalidPattern, reason: "\(cryptBlocks):\(skipBlocks)")
        }
        self.init(checkedCrypt: cryptBlocks, skip: skipBlocks)
    }

    private init(checkedCrypt crypt: Int, skip: Int) {
        cryptBlocks = crypt
        skipBlocks = skip
    }

    /// How many blocks of a protected part of `size` bytes are encrypted. A last group that is shorter than
    /// ``cryptBlocks`` stays clear (9.6.1), which other packagers and players agree on.
    func encryptedBlocks(in size: Int) -> Int {
        let blocks = size / 16
        guard skipBlocks > 0 else { return blocks }
        let (groups, rest) = blocks.quotientAndRemainder(dividingBy: cryptBlocks + skipBlocks)
        return groups * cryptBlocks + (rest >= cryptBlocks ? cryptBlocks : 0)
    }
}

/// What a SAMPLE-AES sample consists of. Each subsample's protected part is one *unit*, whole; which of its bytes are
/// encrypted follows from the table. Blocks are of 16 bytes; what does not fill one stays clear.
///
/// | Format | Unit | Clear at its start | Encrypted | The IV starts |
/// |---|---|---|---|---|
/// | `h264` | a NAL unit without start code | 32 bytes | 1 block of 10, while more than 16 bytes are left | each unit |
/// | `aac` | an ADTS frame without its header | 16 bytes | all whole blocks | each unit |
/// | `ac3` | a syncframe | 16 bytes | all whole blocks | each unit |
/// | `enhancedAC3` | a syncframe | 16 bytes | all whole blocks | each sample |
///
/// Of H.264 only NAL units of the types 1 and 5 that are longer than 48 bytes are encrypted.
public enum SampleAESFormat: Hashable, Sendable {
    /// H.264 video.
    case h264
    /// AAC audio in ADTS frames.
    case aac
    /// AC-3 audio.
    case ac3
    /// Enhanced AC-3 audio, of which a sample may have several syncframes.
    case enhancedAC3
}
