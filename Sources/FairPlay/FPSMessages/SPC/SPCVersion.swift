/// The version of an SPC (Table 2-3), which determines only the size of the RSA key.
public struct SPCVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the message, 4 bytes.
    public let rawValue: UInt32

    /// Creates a version from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Version 1, with RSA-1024.
    public static let version1 = SPCVersion(rawValue: 1)
    /// Version 2, with RSA-2048.
    public static let version2 = SPCVersion(rawValue: 2)
    /// Version 3 of Apple's FairPlay Streaming Server SDK 26, which the guide does not describe.
    public static let version3 = SPCVersion(rawValue: 3)

    /// The size of the encrypted AES key in bytes, which equals the size of the RSA modulus; nil if the guide does not
    /// define it.
    public var encryptedKeyLength: Int? {
        switch self {
        case .version1: 128
        case .version2: 256
        default: nil
        }
    }

    /// The version number as text.
    public var description: String { String(rawValue) }
}
