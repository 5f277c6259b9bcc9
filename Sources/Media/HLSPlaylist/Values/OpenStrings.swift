/// A string with named values, to which others may come: what a newer draft or another vendor adds survives reading and
/// writing.
public protocol OpenString: RawRepresentable<String>, Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// Makes a value, known or not.
    init(rawValue: String)
    /// The values that the draft defines; empty when the set is not closed by it.
    static var defined: Set<Self> { get }
}

extension OpenString {
    /// Makes a value.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The string.
    public var description: String { rawValue }
    /// Nothing is defined.
    public static var defined: Set<Self> { [] }
}

/// How media segments are encrypted: METHOD of EXT-X-KEY (section 4.4.4.4).
public struct EncryptionMethod: OpenString {
    /// The enumerated string.
    public let rawValue: String
    /// Makes a method.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not encrypted.
    public static let none: EncryptionMethod = "NONE"
    /// Whole segments with AES-128 in CBC mode with PKCS #7 padding.
    public static let aes128: EncryptionMethod = "AES-128"
    /// Samples with AES-128: `cbcs` in fragmented MP4, Apple's sample encryption elsewhere. The one that FairPlay uses.
    public static let sampleAES: EncryptionMethod = "SAMPLE-AES"
    /// Samples with AES-128 in counter mode: `cenc` in fragmented MP4.
    public static let sampleAESCTR: EncryptionMethod = "SAMPLE-AES-CTR"
    /// Whole segments with AES-256 in Galois/Counter mode.
    public static let aes256GCM: EncryptionMethod = "AES-256-GCM"

    /// The five of the draft.
    public static let defined: Set<EncryptionMethod> = [.none, .aes128, .sampleAES, .sampleAESCTR, .aes256GCM]
}

/// How a key is represented at its URI, and so which system delivers it: KEYFORMAT of EXT-X-KEY (section 4.4.4.4).
public struct KeyFormat: OpenString {
    /// The string, compared byte by byte.
    public let rawValue: String
    /// Makes a key format.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The 16 bytes of the key lie at the URI.
    public static let identity: KeyFormat = "identity"
    /// FairPlay Streaming.
    public static let fairPlay: KeyFormat = "com.apple.streamingkeydelivery"
    /// Widevine.
    public static let widevine: KeyFormat = "urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"
    /// PlayReady.
    public static let playReady: KeyFormat = "com.microsoft.playready"
    /// W3C Clear Key, as hls.js names it.
    public static let clearKey: KeyFormat = "org.w3.clearkey"
}
