/// A rule about playlists: what it demands, how much that matters, and how to find out. docs/playlist-rules.md has them
/// all.
public struct LintRule: Sendable, Identifiable {
    /// What a rule looks at.
    public enum Subject: String, Sendable, CaseIterable {
        /// One playlist of either kind.
        case any
        /// One Media Playlist.
        case media
        /// One Multivariant Playlist.
        case multivariant
        /// A Multivariant Playlist together with its Media Playlists.
        case presentation
        /// Two snapshots of one Media Playlist.
        case reload
    }

    /// Its stable name.
    public let id: RuleID
    /// How much a breach matters.
    public let severity: Diagnostic.Severity
    /// What it looks at.
    public let subject: Subject
    /// Where it comes from: a section or appendix of the draft; `Apple 13.4` is one of Apple's authoring rules, `FPS 9`
    /// a chapter of the FairPlay Streaming Programming Guide; `-` is this library.
    public let section: String
    /// What it demands, in one line.
    public let summary: String
    let check: Check

    /// How a rule finds out. Each check reports at the lines where the rule is broken.
    enum Check: Sendable {
        /// The reader finds out.
        case syntax
        /// A playlist of either kind by itself.
        case playlist(@Sendable (inout PlaylistFindings) -> Void)
        case media(@Sendable (MediaSubject, inout PlaylistFindings) -> Void)
        case multivariant(@Sendable (MultivariantSubject, inout PlaylistFindings) -> Void)
        case presentation(@Sendable (PresentationSubject, inout PresentationFindings) -> Void)
        case reload(@Sendable (ReloadSubject, inout PlaylistFindings) -> Void)
        /// Several checks, each for its subject: what one reports, no other does. A rule about a Multivariant Playlist
        /// may know more when it sees the Media Playlists too.
        case several([Check])

        /// The checks by themselves.
        var parts: [Check] { if case .several(let checks) = self { checks } else { [self] } }
    }

    init(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ subject: Subject,
        section: String,
        _ summary: String,
        _ check: Check
    ) {
        self.id = id
        self.severity = severity
        self.subject = subject
        self.section = section
        self.summary = summary
        self.check = check
    }
}

extension LintRule {
    /// Every rule, family by family, in the order of docs/playlist-rules.md.
    public static let all: [LintRule] =
        syntaxRules + versionRules + structureRules + dateRangeRules + lowLatencyRules
        + lowLatencyPresentationRules + contentProtectionRules + multivariantRules + presentationRules + reloadRules
}
