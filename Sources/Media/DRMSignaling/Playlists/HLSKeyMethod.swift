/// METHOD of EXT-X-KEY, as far as a packager writes it (RFC 8216bis, 4.4.4.4).
public enum HLSKeyMethod: String, Hashable, Sendable, CaseIterable {
    /// Whole segments with AES-128 in CBC mode.
    case aes128 = "AES-128"
    /// Samples: `cbcs` in fragmented MP4, Apple's sample encryption elsewhere.
    case sampleAES = "SAMPLE-AES"
    /// Samples in counter mode: `cenc` in fragmented MP4.
    case sampleAESCTR = "SAMPLE-AES-CTR"

    /// What fragmented MP4 has under this method; `cbcs` for AES-128, which has no scheme, since that is the one that
    /// FairPlay has.
    var scheme: CommonEncryptionScheme { self == .sampleAESCTR ? .cenc : .cbcs }
}
