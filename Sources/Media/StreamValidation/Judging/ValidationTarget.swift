/// A set of devices or a service with requirements of its own in Apple's authoring specification.
public enum ValidationTarget: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The general requirements, without the amendments of any target.
    case general
    /// iPhone and iPad.
    case ios
    /// Apple TV.
    case tvos
    /// Mac.
    case macos
    /// Apple Vision Pro.
    case visionos
    /// Television sets with AirPlay 2.
    case airplay2
    /// Video in Apple Podcasts, whose requirements are in pages of their own, without numbers.
    case podcasts

    /// The name for people.
    public var name: String {
        switch self {
        case .general: "General"
        case .ios: "iOS"
        case .tvos: "tvOS"
        case .macos: "macOS"
        case .visionos: "visionOS"
        case .airplay2: "AirPlay 2"
        case .podcasts: "Podcasts"
        }
    }

    /// Orders targets as ``allCases``: the general requirements first.
    public static func < (left: ValidationTarget, right: ValidationTarget) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A revision of Apple's authoring specification whose requirements the rules implement.
public enum AuthoringRevision: String, Sendable, CaseIterable {
    /// The revision of 26 June 2025.
    case june2025 = "2025-06-26"
}

/// The number of a rule in its source, such as `tvos:9.20@2025-06-26` or `8216bis:4.4.4.8`.
///
///     number = source ":" section [ "@" revision ]
///
/// Apple uses one number for different requirements: 9.20 of the general list is not 9.20 of tvOS. Therefore the source and
/// the revision are parts of the number.
public struct RuleNumber: Hashable, Sendable, CustomStringConvertible {
    /// The source: a ``ValidationTarget`` for Apple's authoring specification, `8216bis` for the draft, `fps` for the
    /// FairPlay Streaming Programming Guide, `cmaf` for Apple's page about CMAF, `keyway` for rules of this library.
    public let source: String
    /// The section or number, such as `4.4.4.8`.
    public let section: String
    /// The revision of the source; nil if the source has only one.
    public let revision: String?

    /// Parses a number. A text without a source is a rule of this library.
    public init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else {
            (source, section, revision) = ("keyway", text, nil)
            return
        }
        source = String(parts[0])
        let rest = parts[1].split(separator: "@", maxSplits: 1)
        section = rest.first.map(String.init) ?? ""
        revision = rest.count == 2 ? String(rest[1]) : nil
    }

    /// Creates the number of a rule for the text of playlists from its section in the catalog of the linter.
    init(lintSection section: String) {
        let words = section.split(separator: " ", maxSplits: 1)
        switch (words.first, words.last) {
        case ("Apple", let number?): self.init("general:\(number)@\(AuthoringRevision.june2025.rawValue)")
        case ("FPS", let chapter?): self.init("fps:\(chapter)")
        case ("-", _): self.init("keyway:-")
        default: self.init("8216bis:\(section)")
        }
    }

    /// The target whose requirement it is; nil for sources that apply to all players.
    public var target: ValidationTarget? { ValidationTarget(rawValue: source) }

    /// The number as text.
    public var description: String { "\(source):\(section)" + (revision.map { "@\($0)" } ?? "") }
}
