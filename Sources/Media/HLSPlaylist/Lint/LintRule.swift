/// A rule for playlists: the requirement, its severity, and the check that finds violations. docs/playlist-rules.md
/// lists all rules.
public struct LintRule: Sendable, Identifiable {
    /// The input that a rule checks.
    public enum Subject: String, Sendable, CaseIterable {
        /// One playlist, a Media Playlist or a Multivariant Playlist.
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

    /// The stable name of the rule.
    public let id: RuleID
    /// The severity of a violation.
    public let severity: Diagnostic.Severity
    /// The input that the rule checks.
    public let subject: Subject
    /// The source of the rule: a section or appendix of the draft; `Apple 13.4` is a section of Apple's HLS authoring
    /// specification, `FPS 9` a chapter of the FairPlay Streaming Programming Guide; `-` means that this library
    /// defines the rule.
    public let section: String
    /// The requirement, in one line.
    public let summary: String
    let check: Check

    /// The check that implements a rule. It reports each line that violates the rule.
    enum Check: Sendable {
        /// The reader reports violations of the rule.
        case syntax
        /// A check of one playlist, a Media Playlist or a Multivariant Playlist.
        case playlist(@Sendable (inout PlaylistFindings) -> Void)
        case media(@Sendable (MediaSubject, inout PlaylistFindings) -> Void)
        case multivariant(@Sendable (MultivariantSubject, inout PlaylistFindings) -> Void)
        case presentation(@Sendable (PresentationSubject, inout PresentationFindings) -> Void)
        case reload(@Sendable (ReloadSubject, inout PlaylistFindings) -> Void)
        /// Several checks for different subjects; no two of them report the same violation. A rule for a Multivariant
        /// Playlist can find more violations when the Media Playlists are available too.
        case several([Check])

        /// The single checks of which this check consists.
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
    /// All general rules, grouped by family, in the order of docs/playlist-rules.md. ``all(with:)`` adds profiles.
    public static let all: [LintRule] =
        syntaxRules + versionRules + structureRules + dateRangeRules + lowLatencyRules
        + lowLatencyPresentationRules + contentProtectionRules + multivariantRules + presentationRules + reloadRules
}
