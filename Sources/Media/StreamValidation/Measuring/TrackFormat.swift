public import MediaFormats

/// The format of a track: what its init segment declares or, in transport streams and packed audio, its first frames.
public struct TrackFormat: Hashable, Sendable {
    /// The type of media in a track.
    public enum Kind: String, Hashable, Sendable {
        /// Video.
        case video
        /// Audio.
        case audio
        /// Subtitles.
        case subtitles
        /// Timed metadata and everything else.
        case other
    }

    /// The container of a segment.
    public enum Container: String, Hashable, Sendable {
        /// Fragmented MP4.
        case mp4
        /// An MPEG-2 transport stream.
        case transportStream = "mpeg-ts"
        /// Audio frames after an ID3 tag.
        case packedAudio = "packed-audio"
        /// WebVTT.
        case webVTT = "webvtt"
    }

    /// The encryption that a track declares. Initialization vectors are left out: with FairPlay they are as secret as
    /// keys.
    public struct Protection: Hashable, Sendable {
        /// The scheme: `cbcs`, `cenc`, `cens` or `cbc1` in MP4, and `SAMPLE-AES` in transport streams and packed audio.
        public var scheme: String
        /// The default key ID; nil if the container has none.
        public var keyID: KeyID?
        /// The number of encrypted blocks of 16 bytes in each pattern; 0 without a pattern.
        public var cryptByteBlock: UInt8 = 0
        /// The number of clear blocks in each pattern; 0 without a pattern.
        public var skipByteBlock: UInt8 = 0
        /// The size of each sample's initialization vector in bytes; 0 if the track has a constant one.
        public var perSampleIVSize: UInt8 = 0
        /// The size of the constant initialization vector in bytes; 0 if there is none.
        public var constantIVSize = 0
        /// A hash of the constant initialization vector, for comparison within this process; nil without one.
        var constantIVHash: Int?
        /// The headers of protection systems (`pssh`) in the init segment.
        public var systems: [ProtectionSystemHeaderBox] = []

        /// Creates a description.
        public init(scheme: String, keyID: KeyID? = nil) {
            self.scheme = scheme
            self.keyID = keyID
        }
    }

    /// The type of media.
    public var kind: Kind
    /// The container.
    public var container: Container
    /// The type of the sample entry without protection, such as `avc1`; for transport streams that of MP4 too.
    public var sampleEntry: String
    /// The element of the CODECS attribute (RFC 6381); only the sample entry if the configuration is unknown.
    public var codecs: String
    /// The size of the picture as it is displayed, in pixels; nil if it is unknown.
    public var size: PictureSize?
    /// The dynamic range; nil if it is unknown.
    public var dynamicRange: DynamicRange?
    /// The sample rate of the audio in hertz; nil if it is unknown.
    public var sampleRate: UInt32?
    /// The value of the CHANNELS attribute; nil if it is unknown.
    public var channels: String?
    /// The number of samples in an audio frame; nil if it is unknown.
    public var frameLength: Int?
    /// The encryption; nil if the track is clear.
    public var protection: Protection?
    /// Further parts of the decoder configuration.
    public var details = Details()

    /// Creates a format of which only the codec is known.
    public init(kind: Kind, container: Container, sampleEntry: String, codecs: String? = nil) {
        self.kind = kind
        self.container = container
        self.sampleEntry = sampleEntry
        self.codecs = codecs ?? sampleEntry
    }
}
