/// A scheme of Common Encryption by its four characters (ISO/IEC 23001-7, 10): `scheme_type` of `schm`, `value` of DASH's
/// ContentProtection, `protection_scheme` of Widevine's header.
///
/// Others may be made; the named ones are those that are packaged.
public struct CommonEncryptionScheme: Hashable, Sendable {
    /// The four characters as a number, the first one in the most significant byte.
    public let code: UInt32

    /// Makes a scheme of its number.
    public init(code: UInt32) { self.code = code }

    /// `cenc`: AES-128 in counter mode.
    public static let cenc = CommonEncryptionScheme(code: 0x6365_6E63)
    /// `cbcs`: AES-128 in CBC mode over a pattern of blocks.
    public static let cbcs = CommonEncryptionScheme(code: 0x6362_6373)

    /// Whether keys go into counter mode: true for `cenc` and `cens`.
    public var countsBlocks: Bool { self == .cenc || code == 0x6365_6E73 }
}

extension CommonEncryptionScheme: CustomStringConvertible {
    /// The four characters; question marks for those that are no visible ASCII.
    public var description: String {
        let bytes = stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> $0) }
        return String(decoding: bytes.map { (0x21...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
