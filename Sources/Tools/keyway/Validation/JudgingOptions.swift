import ArgumentParser
import FileWriting
import Foundation
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// The options of `keyway validate` that decide which findings count.
struct JudgingOptions: ParsableArguments {
    @Flag(help: "List the rules of --profile; no playlist may be given.")
    var rules = false

    @Option(
        help: .init(
            "Judge by the requirements of this target: ios, tvos, macos, visionos, airplay2, podcasts, or all. "
                + "Repeatable. (default: report all, and fail by the general requirements)",
            valueName: "target"
        )
    )
    var target: [TargetArgument] = []

    @Option(help: .init("The revision of Apple's authoring specification.", valueName: "date"))
    var revision = RevisionArgument.june2025

    @Option(
        help: .init(
            "The rules to apply: apple for HLS and Apple's authoring specification, cmaf for media files alone, or all.",
            valueName: "name"
        )
    )
    var profile = ValidationProfileArgument.apple

    @Option(
        help: .init(
            "Give a rule that --rules lists another level: critical, must, should, advice, or off. Repeatable. "
                + "(default: none)",
            valueName: "rule=level"
        )
    )
    var severity: [SeverityArgument] = []

    @Option(
        help: .init(
            "A file in YAML or JSON with severities and suppressions of rules. (default: none)",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: InputPath?

    @Option(
        help: .init(
            "Fail only on findings that are not in this baseline: a file of --write-baseline, or a JSON report. "
                + "(default: none)",
            valueName: "file"
        ),
        completion: .file()
    )
    var baseline: InputPath?

    @Option(help: .init("Write the findings as a baseline for later runs. (default: none)", valueName: "file"))
    var writeBaseline: OutputPath?

    @Flag(help: "Allow success although not all segments were loaded.")
    var allowPartial = false

    func validate() throws {
        for argument in severity { try Self.requireRule(argument.rule, option: "--severity") }
    }

    /// Requires that the catalog has a rule.
    static func requireRule(_ name: String, option: String) throws(ValidationError) {
        guard RuleCatalog.rule(RuleID(rawValue: name)) == nil else { return }
        let advice = Spelling.advice(name, among: RuleCatalog.all.map(\.id.rawValue).sorted()).map { "; \($0)" } ?? ""
        throw ValidationError(
            "\(option): the rule \(PlaylistText.printable(name, limit: 80)) does not exist\(advice)"
        )
    }

    /// Reads the files, and returns the settings.
    ///
    /// - Parameters:
    ///   - disabled: The rules that are left out.
    ///   - now: The current time in seconds since 1970.
    func settings(disabled: [String], now: Int64) throws(CommandFailure) -> JudgmentSettings {
        var settings = JudgmentSettings()
        if !target.isEmpty {
            settings.targets = Set(target.flatMap { $0 == .all ? ValidationTarget.allCases : $0.targets })
        }
        settings.revision = revision.revision
        settings.profile = profile.profile
        settings.today = String(Timestamp.text(seconds: now).prefix(10))
        if let config {
            let file = try SuppressionFile.read(config.path)
            settings.severities = file.severities
            settings.exceptions = file.exceptions
        }
        // The command line takes precedence over the file.
        for argument in severity { settings.severities[RuleID(rawValue: argument.rule)] = argument.severity }
        for rule in disabled { settings.severities[RuleID(rawValue: rule)] = .off }
        if let baseline { settings.exceptions += try BaselineFile.read(baseline.path) }
        return settings
    }

    /// Writes the baseline, if it was requested.
    func write(_ judgment: Judgment) throws(CommandFailure) {
        guard let writeBaseline else { return }
        let date = judgment.settings.today
        let document = BaselineFile.json(judgment.baseline(reason: "existed on \(date)"))
        try OutputFile.write(Array(document.indented.utf8), to: writeBaseline.path)
    }
}

/// A target on the command line.
enum TargetArgument: String, ExpressibleByArgument, CaseIterable {
    case general, ios, tvos, macos, visionos, airplay2, podcasts, all

    /// The target of the library, as a list of one; empty for all.
    var targets: [ValidationTarget] { ValidationTarget(rawValue: rawValue).map { [$0] } ?? [] }
}

/// A revision on the command line.
enum RevisionArgument: String, ExpressibleByArgument, CaseIterable {
    case june2025 = "2025-06-26"

    /// The revision of the library.
    var revision: AuthoringRevision {
        switch self {
        case .june2025: .june2025
        }
    }
}

/// A profile on the command line.
enum ValidationProfileArgument: String, ExpressibleByArgument, CaseIterable {
    case apple, cmaf, all

    /// The profile of the library.
    var profile: ValidationProfile {
        switch self {
        case .apple: .apple
        case .cmaf: .cmaf
        case .all: .all
        }
    }
}

/// A rule and its level on the command line.
///
///     severity = RULE "=" ( "critical" / "must" / "should" / "advice" / "off" )
struct SeverityArgument: ExpressibleByArgument, Sendable {
    /// The name of the rule.
    let rule: String
    /// The level, or off.
    let severity: JudgmentSettings.Severity

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let severity = Self.severity(String(parts[1])) else { return nil }
        (rule, self.severity) = (String(parts[0]), severity)
    }

    /// Parses a level, or off.
    static func severity(_ text: String) -> JudgmentSettings.Severity? {
        // YAML 1.1 has `off` as a Boolean value.
        if text == "off" || text == "false" { return .off }
        return ValidationRule.Level(rawValue: text).map { .level($0) }
    }
}
