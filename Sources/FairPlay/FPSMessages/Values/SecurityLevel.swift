/// The security level at which a device protects content (Tables 3-8 and 3-10).
public struct SecurityLevel: NamedNumber {
    /// The number in the message, 8 bytes.
    public let rawValue: UInt64

    /// Creates a level from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Audio, which content can require but devices never report.
    public static let audio = SecurityLevel(rawValue: 0x17d9_9d57_4eed_567d)
    /// AppleBaseline and Baseline, for every device that supports FairPlay Streaming.
    public static let baseline = SecurityLevel(rawValue: 0x32f0_0049_66a5_c4f8)
    /// AppleMain and Main, which studios accept for 4K and HDR content.
    public static let main = SecurityLevel(rawValue: 0x4e7f_d924_21d5_88b4)

    /// The names of the levels.
    public static let names: [UInt64: String] = [
        audio.rawValue: "Audio", baseline.rawValue: "Baseline", main.rawValue: "Main",
    ]
}
