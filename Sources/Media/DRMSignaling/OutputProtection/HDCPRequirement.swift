/// HDCP-LEVEL: how the link to a display must be protected (RFC 8216bis, 4.4.6.2). Those further down ask for more.
public enum HDCPRequirement: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Not at all.
    case none = "NONE"
    /// HDCP Type 0: any version of HDCP.
    case type0 = "TYPE-0"
    /// HDCP Type 1: version 2.2 or later.
    case type1 = "TYPE-1"

    /// Reads a level in either case, with the hyphen or without it; nil for another word.
    public init?(parsing word: some StringProtocol) {
        func plain(_ text: some StringProtocol) -> String { String(text.filter { $0 != "-" }).lowercased() }
        guard let found = Self.allCases.first(where: { plain($0.rawValue) == plain(word) }) else { return nil }
        self = found
    }

    /// Whether the left one asks for less.
    public static func < (left: HDCPRequirement, right: HDCPRequirement) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .type0: 1
        case .type1: 2
        }
    }
}
