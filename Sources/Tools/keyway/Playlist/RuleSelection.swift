import DASHManifest
import HLSPlaylist
import TextCoding

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
            let similar = Self.similar(name, among: known.sorted())
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

    /// Returns up to three similar names: those with few different letters, or with the same words.
    static func similar(_ name: String, among names: [String]) -> [String] {
        let name = String(name.lowercased().prefix(80))
        let words = Set(name.split(separator: "-"))
        let ranked = names.compactMap { candidate -> (name: String, rank: Int)? in
            let distance = Spelling.distance(name, candidate)
            let shared = words.intersection(candidate.split(separator: "-")).count
            guard distance <= max(2, name.utf8.count / 4) || shared >= max(2, words.count - 1) else { return nil }
            return (candidate, distance)
        }
        return ranked.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.prefix(3).map(\.name)
    }
}
