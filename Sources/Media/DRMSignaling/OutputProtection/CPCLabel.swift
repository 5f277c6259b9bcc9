/// A content protection configuration in ALLOWED-CPC: a class of devices (RFC 8216bis, 4.4.6.2). Each key format
/// defines separate labels.
public struct CPCLabel: Hashable, Sendable {
    /// The label: letters, digits and hyphens.
    public let rawValue: String

    /// Creates a label; nil if it is empty, or has characters other than ASCII letters, digits and hyphens.
    public init?(rawValue: String) {
        let isLabel = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
            default: false
            }
        }
        guard isLabel, !rawValue.isEmpty else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// FairPlay: any Apple device (guide, Table 9-3).
    public static let appleBaseline = CPCLabel("AppleBaseline")
    /// FairPlay: an Apple device with sufficient protection for studio 4K and HDR content.
    public static let appleMain = CPCLabel("AppleMain")
    /// FairPlay: any other device, such as a television with AirPlay 2.
    public static let baseline = CPCLabel("Baseline")
    /// FairPlay: any other device with sufficient protection for studio 4K and HDR content.
    public static let main = CPCLabel("Main")

    /// The labels of FairPlay.
    public static let fairPlay = [appleBaseline, appleMain, baseline, main]
}

extension CPCLabel: CustomStringConvertible {
    /// The label.
    public var description: String { rawValue }
}
