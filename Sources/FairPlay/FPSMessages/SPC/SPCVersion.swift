/// The version of an SPC (Table 2-3): it decides the size of the RSA key, and nothing else.
public struct SPCVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire, 4 bytes.
    public let rawValue: UInt32

    /// Makes a version from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// RSA-1024.
    public static let version1 = SPCVersion(rawValue: 1)
    /// RSA-2048.
    public static let version2 = SPCVersion(rawValue: 2)
    /// Apple's FairPlay Streaming Server SDK 26; not in the guide.
    public static let version3 = SPCVersion(rawValue: 3)

    /// The size in bytes of the encrypted AES key, which is that of the RSA modulus; nil where the guide gives none.
    public var encryptedKeyLength: Int? {
        switch self {
        case .version1: 128
        case .version2: 256
        default: nil
        }
    }

    /// The number.
    public var description: String { String(rawValue) }
}
