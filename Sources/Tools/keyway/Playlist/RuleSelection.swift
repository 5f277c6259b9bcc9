import DASHManifest
import HLSPlaylist

/// Which rules are kept.
struct RuleSelection {
    /// Those of playlists.
    let rules: [LintRule]
    /// Those of DASH manifests.
    let manifestRules: [MPDRule]

    /// All rules, or those named `only`, without those `disabled`.
    ///
    /// - Throws: a failure of kind usage for a name that no rule has, with the names that are like it.
    init(only: [String], disabled: [String]) throws(CommandFailure) {
        let known = Set(CheckRule.all.map(\.id.rawValue))
        for name in only + disabled where !known.contains(name) {
            let near = Self.near(name, among: known.sorted())
            throw .usage(
                "there is no rule \(PlaylistText.shown(name, limit: 80))",
                next: near.isEmpty
                    ? "keyway playlist check --rules lists them" : "do you mean \(near.joined(separator: " or "))?"
            )
        }
        let isKept = { (id: String) in (only.isEmpty || only.contains(id)) && !disabled.contains(id) }
        rules = LintRule.all.filter { isKept($0.id.rawValue) }
        manifestRules = MPDRule.all.filter { isKept($0.id) }
    }

    /// Up to three names that may be meant: a few letters off, or with the same words.
    static func near(_ name: String, among names: [String]) -> [String] {
        let name = String(name.lowercased().prefix(80))
        let words = Set(name.split(separator: "-"))
        let ranked = names.compactMap { candidate -> (name: String, rank: Int)? in
            let distance = distance(Array(name.utf8), Array(candidate.utf8))
            let shared = words.intersection(candidate.split(separator: "-")).count
            guard distance <= max(2, name.utf8.count / 4) || shared >= max(2, words.count - 1) else { return nil }
            return (candidate, distance)
        }
        return ranked.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.prefix(3).map(\.name)
    }

    /// How many letters have to be put in, taken out or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let cost = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(cost, diagonal + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}
