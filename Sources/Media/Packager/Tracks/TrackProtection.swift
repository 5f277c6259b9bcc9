package import FPSCrypto
package import SampleEncryption

/// How a rendition is encrypted, and with which key.
public struct TrackProtection: Sendable {
    /// The scheme, for the whole presentation.
    public enum Scheme: String, Sendable, CaseIterable {
        /// Samples in fragmented MP4, by pattern (ISO/IEC 23001-7, 10.4).
        case cbcs
        /// Samples in fragmented MP4, in counter mode (ISO/IEC 23001-7, 10.1).
        case cenc
        /// Samples in transport streams and packed audio (Apple, MPEG-2 Stream Encryption Format).
        case sampleAES = "sample-aes"
        /// Whole segments (RFC 8216bis, METHOD=AES-128).
        case aes128 = "aes-128"
    }

    /// The scheme.
    package var scheme: Scheme
    /// Which key it is: 16 bytes.
    package var keyID: [UInt8]
    /// The content key of 16 bytes.
    package var key: SecretBytes
    /// The initialization vector of 16 bytes, constant for all samples. Of AES-128 segments too, where one was given;
    /// otherwise each segment's Media Sequence Number. With `cenc` that of the first sample, of 8 or 16 bytes.
    package var iv: CipherIV?
    /// What a key server said of the key.
    package var systemData = KeySystemData()

    /// Describes a protection.
    package init(scheme: Scheme, keyID: [UInt8], key: SecretBytes, iv: CipherIV?) {
        self.scheme = scheme
        self.keyID = keyID
        self.key = key
        self.iv = iv
    }
}
