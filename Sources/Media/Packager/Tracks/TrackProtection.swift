package import FPSCrypto
package import SampleEncryption

/// The encryption of a rendition: the scheme and the key.
public struct TrackProtection: Sendable {
    /// The encryption scheme of a presentation.
    public enum Scheme: String, Sendable, CaseIterable {
        /// Pattern encryption of samples in fragmented MP4 (ISO/IEC 23001-7, 10.4).
        case cbcs
        /// Counter mode encryption of samples in fragmented MP4 (ISO/IEC 23001-7, 10.1).
        case cenc
        /// Encryption of samples in transport streams and packed audio (Apple, MPEG-2 Stream Encryption Format).
        case sampleAES = "sample-aes"
        /// Encryption of whole segments (RFC 8216bis, METHOD=AES-128).
        case aes128 = "aes-128"
    }

    /// The scheme.
    package var scheme: Scheme
    /// The key ID of 16 bytes.
    package var keyID: [UInt8]
    /// The content key of 16 bytes.
    package var key: SecretBytes
    /// The initialization vector. For cbcs and SAMPLE-AES: 16 bytes, constant for all samples. For AES-128: 16 bytes,
    /// or nil to use the Media Sequence Number of each segment. For cenc: that of the first sample, 8 or 16 bytes.
    package var iv: CipherIV?
    /// The DRM system data that a key server returned for the key (SPEKE).
    package var systemData = KeySystemData()

    /// Creates a protection.
    package init(scheme: Scheme, keyID: [UInt8], key: SecretBytes, iv: CipherIV?) {
        self.scheme = scheme
        self.keyID = keyID
        self.key = key
        self.iv = iv
    }
}
