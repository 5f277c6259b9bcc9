/// How robustly a device protects content (Tables 3-8 and 3-10).
public struct SecurityLevel: NamedNumber {
    /// The number on the wire, 8 bytes.
    public let rawValue: UInt64

    /// Makes a level from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// For audio: required of a device, never reported by one.
    public static let audio = SecurityLevel(rawValue: 0x17d9_9d57_4eed_567d)
    /// AppleBaseline and Baseline: every device that plays FairPlay Streaming.
    public static let baseline = SecurityLevel(rawValue: 0x32f0_0049_66a5_c4f8)
    /// AppleMain and Main: sufficient for a studio's 4K and HDR.
    public static let main = SecurityLevel(rawValue: 0x4e7f_d924_21d5_88b4)

    /// The names.
    public static let names: [UInt64: String] = [
        audio.rawValue: "Audio", baseline.rawValue: "Baseline", main.rawValue: "Main",
    ]
}
