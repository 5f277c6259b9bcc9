/// Suggestions for misspelled names.
package enum Spelling {
    /// Returns the known name that is nearest to a misspelled one, regardless of case; nil if none is near: names that
    /// differ in more than two letters and in more than a third of the letters are not.
    package static func nearest(_ name: String, in known: some Sequence<String>) -> String? {
        // The distance takes quadratic time.
        guard name.utf8.count <= 100 else { return nil }
        let lowercase = name.lowercased()
        let ranked = known.map { (distance(lowercase, $0.lowercased()), $0) }.min { $0 < $1 }
        return ranked.flatMap { $0.0 <= max(2, name.utf8.count / 3) ? $0.1 : nil }
    }

    /// Returns up to three similar names, the most similar first: those with few different letters, or with the same
    /// words between hyphens.
    package static func similar(_ name: String, among names: some Collection<String>) -> [String] {
        let name = String(name.lowercased().prefix(80))
        let words = Set(name.split(separator: "-"))
        let ranked = names.compactMap { candidate -> (name: String, rank: Int)? in
            let distance = distance(name, candidate)
            let shared = words.intersection(candidate.split(separator: "-")).count
            guard
                distance <= max(min(2, candidate.utf8.count / 2), name.utf8.count / 4)
                    || shared >= max(2, words.count - 1)
            else { return nil }
            return (candidate, distance)
        }
        return ranked.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.prefix(3).map(\.name)
    }

    /// Returns advice with similar names, such as `did you mean --out?`; nil if no name is similar.
    package static func advice(_ name: String, among names: some Collection<String>) -> String? {
        let similar = similar(name, among: names)
        return similar.isEmpty ? nil : "did you mean \(similar.joined(separator: " or "))?"
    }

    /// Returns the edit distance: the number of bytes to insert, delete or replace.
    package static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (position, second) in other.enumerated() {
                let change = diagonal + (byte == second ? 0 : 1)
                diagonal = row[position + 1]
                row[position + 1] = min(change, diagonal + 1, row[position] + 1)
            }
        }
        return row[other.count]
    }
}
