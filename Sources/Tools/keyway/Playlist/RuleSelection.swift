import DASHManifest
import HLSPlaylist
import TextCoding
import ToolSupport

/// The rules that a check applies.
struct RuleSelection {
    /// The rules for playlists.
    let rules: [LintRule]
    /// The rules for DASH manifests.
    let manifestRules: [MPDRule]

    /// Selects all rules, or those named in `only`, except those named in `disabled`.
    ///
    /// - Throws: A failure of kind `usage` for an unknown rule, with suggestions.
    init(only: [String], disabled: [String]) throws(CommandFailure) {
        let known = Set(CheckRule.all.map(\.id.rawValue))
        for name in only + disabled where !known.contains(name) {
            let similar = Spelling.similar(name, among: known.sorted())
            throw .usage(
                "the rule \(PlaylistText.printable(name, limit: 80)) does not exist",
                next: similar.isEmpty
                    ? "run keyway playlist check --rules to list the rules"
                    : "did you mean \(similar.joined(separator: " or "))?"
            )
        }
        let isSelected = { (id: String) in (only.isEmpty || only.contains(id)) && !disabled.contains(id) }
        rules = LintRule.all.filter { isSelected($0.id.rawValue) }
        manifestRules = MPDRule.all.filter { isSelected($0.id) }
    }
}
