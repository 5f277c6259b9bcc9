import TextCoding

/// Suggests the correct spelling of an unknown setting.
enum SettingSpelling {
    /// Returns the known path that differs in at most two letters, or the only known setting with this name in another
    /// section.
    static func nearest(_ path: String, in known: Set<String>) -> String? {
        guard path.utf8.count <= 100 else { return nil }
        let plain = path.replacing(/\[[0-9]+\]/, with: "[]")
        // Section names can be misspelled too.
        var names = known
        for path in known {
            for index in path.indices where path[index] == "." { names.insert(String(path[..<index])) }
        }
        let ranked = names.map { (Spelling.distance(plain, $0), $0) }.min { ($0.0, $0.1) < ($1.0, $1.1) }
        if let ranked, ranked.0 <= 2 { return ranked.1 }
        // Find a setting of this name in another section.
        let last = plain.split(separator: ".").last.map(String.init) ?? plain
        let same = names.filter { $0.hasSuffix("." + last) }
        return same.count == 1 ? same.first : nil
    }
}
