/// The result of trying to open an encrypted track of a segment with the key that the playlist refers to.
public struct MeasuredDecryption: Hashable, Sendable {
    /// The conclusion.
    public enum Verdict: String, Hashable, Sendable {
        /// The key and the initialization vector open the content.
        case opened
        /// The key does not open the content.
        case wrongKey = "wrong key"
        /// The key is right, but the initialization vector is wrong: only the first 16 bytes of each chain are damaged.
        case wrongIV = "wrong IV"
        /// The content is clear, although it is declared as encrypted.
        case notEncrypted = "not encrypted"
        /// Too few samples were encrypted, or no test applies to the codec.
        case undecided
    }

    /// Another key with which the content opens.
    public enum OtherKey: Hashable, Sendable {
        /// The key of the period before or after; the number of segments from the change of keys to this segment.
        case neighbor(isBefore: Bool, distance: Int)
        /// The key of another tag, with its URI as ``MeasuredKey/uri``.
        case other(uri: String)
        /// A key that anyone can guess, by its description.
        case weak(String)
    }

    /// The track ID of MP4 or the PID of a transport stream; 0 otherwise.
    public var track: UInt32
    /// The kind of media; nil for a segment that is encrypted as a whole.
    public var kind: TrackFormat.Kind?
    /// The identity of the key.
    public var key: MeasuredKey.ID
    /// The conclusion.
    public var verdict: Verdict
    /// The number of frames or pictures that were tried.
    public var frameCount: Int
    /// The tests that led to the verdict, as a part of a sentence.
    public var evidence: String
    /// Another key that opens the content; nil if none does, or none was tried.
    public var opensWith: OtherKey?
    /// The source of an initialization vector that opens the content, as a part of a sentence; nil if none does.
    public var opensWithIV: String?
    /// True if the initialization vectors of the media and of the key response are both known and differ.
    public var hasDifferentVectors = false
    /// The loudness that the decrypted audio frames declare, if the key opens them.
    public var loudness = StreamLoudness()
    /// The encrypted ends of AAC frames, which prove a key together with those of other segments.
    var ends = FrameTests.Ends()
}
