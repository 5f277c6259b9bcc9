import ArgumentParser
import DASHManifest
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// The rules that a check applies.
struct RuleSelection {
    /// The rules for playlists.
    let rules: [LintRule]
    /// The rules for the times of updates.
    let watchRules: Set<RuleID>
    /// The rules for DASH manifests.
    let manifestRules: [MPDRule]

    /// The names of rules, for the completion of options.
    static var completion: CompletionKind { .list(Set(CheckRule.all.map(\.id.rawValue)).sorted()) }

    /// Returns a name on the command line if there is a rule of this name.
    ///
    /// - Throws: A failure of kind `usage` for an unknown rule, with suggestions.
    static func rule(named name: String) throws(CommandFailure) -> String {
        let known = Set(CheckRule.all.map(\.id.rawValue))
        guard !known.contains(name) else { return name }
        throw .usage(
            "the rule \(PlaylistText.printable(name, limit: 80)) does not exist",
            next: Spelling.advice(name, among: known.sorted()) ?? "run keyway playlist check --rules to list the rules"
        )
    }

    /// Selects the general rules and those of profiles, or the rules named in `only`, which may be those of any profile,
    /// except those named in `disabled`.
    init(only: [String], disabled: [String], profiles: Set<LintRule.Profile> = []) {
        let isSelected = { (id: String) in (only.isEmpty || only.contains(id)) && !disabled.contains(id) }
        let candidates =
            only.isEmpty
            ? LintRule.all(with: profiles) : LintRule.all + LintRule.Profile.allCases.flatMap(\.rules)
        rules = candidates.filter { isSelected($0.id.rawValue) }
        watchRules = Set(WatchRule.all.map(\.id).filter { isSelected($0.rawValue) })
        manifestRules = MPDRule.all.filter { isSelected($0.id) }
    }
}
