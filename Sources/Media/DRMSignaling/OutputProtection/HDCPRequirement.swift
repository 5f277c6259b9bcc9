/// A value of HDCP-LEVEL: the required protection of the link to a display (RFC 8216bis, 4.4.6.2), from least to most
/// strict.
public enum HDCPRequirement: String, Hashable, Sendable, CaseIterable, Comparable {
    /// No protection required.
    case none = "NONE"
    /// HDCP Type 0: any version of HDCP.
    case type0 = "TYPE-0"
    /// HDCP Type 1: version 2.2 or later.
    case type1 = "TYPE-1"

    /// Parses a level in any letter case, with or without the hyphen; nil for other text.
    public init?(parsing word: some StringProtocol) {
        func plain(_ text: some StringProtocol) -> String { String(text.filter { $0 != "-" }).lowercased() }
        guard let found = Self.allCases.first(where: { plain($0.rawValue) == plain(word) }) else { return nil }
        self = found
    }

    /// Returns whether the left level is less strict.
    public static func < (left: HDCPRequirement, right: HDCPRequirement) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .type0: 1
        case .type1: 2
        }
    }
}
