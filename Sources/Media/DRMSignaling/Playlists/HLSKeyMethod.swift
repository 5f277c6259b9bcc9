/// A METHOD of EXT-X-KEY that a packager can write (RFC 8216bis, 4.4.4.4).
public enum HLSKeyMethod: String, Hashable, Sendable, CaseIterable {
    /// AES-128 in CBC mode for whole segments.
    case aes128 = "AES-128"
    /// Sample encryption: `cbcs` in fragmented MP4, Apple's sample encryption in other formats.
    case sampleAES = "SAMPLE-AES"
    /// Sample encryption in counter mode: `cenc` in fragmented MP4.
    case sampleAESCTR = "SAMPLE-AES-CTR"

    /// The Common Encryption scheme in fragmented MP4. AES-128 has no scheme; for it `cbcs` is returned, the scheme
    /// that FairPlay supports.
    var scheme: CommonEncryptionScheme { self == .sampleAESCTR ? .cenc : .cbcs }
}
