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
