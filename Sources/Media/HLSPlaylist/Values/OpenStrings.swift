/// A string with a set of named values that is open for extension. Values that a newer draft or another vendor defines
/// are preserved by reading and writing.
public protocol OpenString: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// Creates a value, which does not have to be a defined one.
    init(rawValue: String)
    /// The values that the draft defines; empty when the draft does not restrict the values.
    static var defined: Set<Self> { get }
}

extension OpenString {
    /// Creates a value.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The string.
    public var description: String { rawValue }
    /// The empty set, by default.
    public static var defined: Set<Self> { [] }
}

/// The encryption method of Media Segments: METHOD of EXT-X-KEY (section 4.4.4.4).
public struct EncryptionMethod: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Creates a method.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No encryption.
    public static let none: EncryptionMethod = "NONE"
    /// Encryption of whole segments with AES-128 in CBC mode with PKCS #7 padding.
    public static let aes128: EncryptionMethod = "AES-128"
    /// Encryption of samples with AES-128: `cbcs` in fragmented MP4, Apple's sample encryption in other formats.
    /// FairPlay uses this method.
    public static let sampleAES: EncryptionMethod = "SAMPLE-AES"
    /// Encryption of samples with AES-128 in counter mode: `cenc` in fragmented MP4.
    public static let sampleAESCTR: EncryptionMethod = "SAMPLE-AES-CTR"
    /// Encryption of whole segments with AES-256 in Galois/Counter Mode.
    public static let aes256GCM: EncryptionMethod = "AES-256-GCM"

    /// The method of a tag that was read without a METHOD: the segments are encrypted in a way that is not known.
    static let unspecified: EncryptionMethod = ""

    /// The five methods of the draft.
    public static let defined: Set<EncryptionMethod> = [.none, .aes128, .sampleAES, .sampleAESCTR, .aes256GCM]
}

/// The representation of a key at its URI, which identifies the key system: KEYFORMAT of EXT-X-KEY (section 4.4.4.4).
public struct KeyFormat: OpenString {
    /// The string, compared byte by byte.
    public let rawValue: String
    /// Creates a key format.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The resource at the URI is the 16 bytes of the key.
    public static let identity: KeyFormat = "identity"
    /// FairPlay Streaming.
    public static let fairPlay: KeyFormat = "com.apple.streamingkeydelivery"
    /// Widevine.
    public static let widevine: KeyFormat = "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
    /// PlayReady.
    public static let playReady: KeyFormat = "com.microsoft.playready"
    /// W3C Clear Key, with the name that hls.js uses.
    public static let clearKey: KeyFormat = "org.w3.clearkey"
}
