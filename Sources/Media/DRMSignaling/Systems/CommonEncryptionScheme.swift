/// A scheme of Common Encryption, identified by four characters (ISO/IEC 23001-7, 10): `scheme_type` in `schm`, `value`
/// of ContentProtection in DASH, `protection_scheme` in the Widevine header.
///
/// The constants are the schemes that the packager supports; other schemes can be created from their code.
public struct CommonEncryptionScheme: Hashable, Sendable {
    /// The four characters as a big-endian number.
    public let code: UInt32

    /// Creates a scheme from its code.
    public init(code: UInt32) { self.code = code }

    /// `cenc`: AES-128 in counter mode.
    public static let cenc = CommonEncryptionScheme(code: 0x6365_6E63)
    /// `cbcs`: AES-128 in CBC mode over a pattern of blocks.
    public static let cbcs = CommonEncryptionScheme(code: 0x6362_6373)

    /// True if the scheme uses counter mode: true for `cenc` and `cens`.
    public var usesCounterMode: Bool { self == .cenc || code == 0x6365_6E73 }
}

extension CommonEncryptionScheme: CustomStringConvertible {
    /// The four characters; characters that are not printable ASCII are replaced by question marks.
    public var description: String {
        let bytes = stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> $0) }
        return String(decoding: bytes.map { (0x21...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
