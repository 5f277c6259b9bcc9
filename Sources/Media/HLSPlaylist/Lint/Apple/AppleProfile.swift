extension LintRule {
    /// A set of rules that apply only when a check requests them.
    public enum Profile: String, Sendable, CaseIterable {
        /// Apple's HLS authoring specification for Apple devices, revision of 26 June 2025, as far as the text of
        /// playlists shows it. docs/apple-rules.md lists the rules.
        case apple

        /// The rules of the profile.
        public var rules: [LintRule] {
            switch self {
            case .apple: LintRule.appleRules
            }
        }

        /// The general rules that the profile replaces: its own rules find the same violations with a higher severity.
        var replacedRules: Set<RuleID> {
            switch self {
            case .apple: LintRule.replacedByAppleRules
            }
        }
    }

    /// Returns the general rules and the rules of profiles, without the general rules that a profile replaces.
    public static func all(with profiles: Set<Profile>) -> [LintRule] {
        let replaced = profiles.reduce(into: Set<RuleID>()) { $0.formUnion($1.replacedRules) }
        return all.filter { !replaced.contains($0.id) }
            + Profile.allCases.filter(profiles.contains).flatMap(\.rules)
    }

    /// The rules of ``Profile/apple``, in the order of docs/apple-rules.md.
    static let appleRules: [LintRule] =
        appleVideoRules + appleFrameRateRules + appleDynamicRangeRules + appleVideoLayoutRules + appleLadderRules
        + appleAudioRules + appleRenditionRules + appleTrickPlayRules + appleVariantRules + appleMediaRules
        + appleLiveRules + applePresentationRules

    /// The general rules with the same subject as a stricter rule of ``Profile/apple``.
    static let replacedByAppleRules: Set<RuleID> = [
        "codecs-missing", "resolution-missing", "frame-rate-missing", "score-missing", "no-i-frame-variants",
        "part-hold-back-short", "low-latency-without-date",
    ]
}

// The forms of most rules of the profile: a check of each tag, or of the whole playlist, that returns a message.
extension LintRule {
    /// Returns a rule of a section of the specification.
    private static func apple(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ subject: Subject,
        _ number: String,
        _ summary: String,
        _ check: Check
    ) -> LintRule {
        LintRule(id, severity, subject, section: "Apple " + number, summary, check)
    }

    /// Returns a rule for each variant and I-frame variant.
    static func attributes(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ number: String,
        _ summary: String,
        at attribute: String? = nil,
        _ problem: @escaping @Sendable (VariantAttributes) -> String?
    ) -> LintRule {
        apple(
            id,
            severity,
            .multivariant,
            number,
            summary,
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    if let message = problem(attributes) {
                        findings.report(line, attribute: attribute, message)
                    }
                }
            }
        )
    }

    /// Returns a rule for each variant.
    static func variant(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ number: String,
        _ summary: String,
        at attribute: String? = nil,
        _ problem: @escaping @Sendable (StreamInfTag, MultivariantSubject) -> String?
    ) -> LintRule {
        apple(
            id,
            severity,
            .multivariant,
            number,
            summary,
            .multivariant { subject, findings in
                for (variant, line) in subject.variants {
                    if let message = problem(variant.streamInf, subject) {
                        findings.report(line, attribute: attribute, message)
                    }
                }
            }
        )
    }

    /// Returns a rule for each rendition.
    static func rendition(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ number: String,
        _ summary: String,
        at attribute: String? = nil,
        _ problem: @escaping @Sendable (MediaTag) -> String?
    ) -> LintRule {
        apple(
            id,
            severity,
            .multivariant,
            number,
            summary,
            .multivariant { subject, findings in
                for (tag, line) in subject.renditions {
                    if let message = problem(tag) { findings.report(line, attribute: attribute, message) }
                }
            }
        )
    }

    /// Returns a rule for a Multivariant Playlist as a whole. It is not applied if the reader has rejected a tag on which
    /// it depends, because it then does not know all of them.
    static func multivariantPlaylist(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ number: String,
        _ summary: String,
        dependsOn tags: Set<TagName> = [.streamInf],
        _ problem: @escaping @Sendable (MultivariantSubject) -> String?
    ) -> LintRule {
        apple(
            id,
            severity,
            .multivariant,
            number,
            summary,
            .multivariant { subject, findings in
                guard let message = problem(subject), !tags.contains(where: subject.file.isRefused) else { return }
                findings.report(nil, message)
            }
        )
    }

    /// Returns a rule for a Media Playlist as a whole, which is reported at the line of a tag if the playlist has it. It
    /// is not applied if the reader has rejected a tag on which it depends.
    static func mediaPlaylist(
        _ id: RuleID,
        _ severity: Diagnostic.Severity,
        _ number: String,
        _ summary: String,
        at tag: TagName? = nil,
        dependsOn tags: Set<TagName> = [],
        _ problem: @escaping @Sendable (MediaSubject) -> String?
    ) -> LintRule {
        apple(
            id,
            severity,
            .media,
            number,
            summary,
            .media { subject, findings in
                guard let message = problem(subject), !tags.contains(where: subject.file.isRefused) else { return }
                findings.report(tag.flatMap(subject.file.line(of:)), message)
            }
        )
    }
}
