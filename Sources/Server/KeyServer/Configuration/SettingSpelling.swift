import TextCoding

/// Suggests the correct spelling of an unknown setting.
enum SettingSpelling {
    /// Returns the only known setting with this name in another section, or else the path with the most similar
    /// spelling.
    static func nearest(_ path: String, in known: Set<String>) -> String? {
        let plain = path.replacing(/\[[0-9]+\]/, with: "[]")
        // Section names can be misspelled too.
        var names = known
        for path in known {
            for index in path.indices where path[index] == "." { names.insert(String(path[..<index])) }
        }
        let last = plain.split(separator: ".").last.map(String.init) ?? plain
        let same = names.filter { $0.hasSuffix("." + last) }
        return same.count == 1 ? same.first : Spelling.nearest(plain, in: names)
    }
}
