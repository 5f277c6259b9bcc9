import TextCoding

/// Corrects the text of an attribute list, without a change of its meaning.
struct AttributeListFixer {
    private struct Item {
        var name: String
        var value: String
        var isQuoted: Bool
    }

    private(set) var text: String
    private(set) var corrections: [String] = []

    /// Corrects an attribute list. A list whose attributes cannot be told apart, or with more than the usual limit, is
    /// not changed.
    init(_ text: String, of tag: TagName) {
        self.text = text
        let types = AttributeType.types(of: tag)
        guard var items = split(Array(text.unicodeScalars)), items.count <= PlaylistLimits().attributes else { return }
        for index in items.indices {
            correctName(&items, index, types)
            if let type = types[items[index].name] { correctValue(&items[index], type) }
        }
        let result = items.map { "\($0.name)=" + ($0.isQuoted ? "\"\($0.value)\"" : $0.value) }.joined(separator: ",")
        if corrections.isEmpty, result != text { corrections.append("spaces or commas between attributes removed") }
        self.text = result
    }

    /// Splits the list at commas outside of quotation marks. White space around names and values, and empty attributes,
    /// are left out.
    private func split(_ scalars: [Unicode.Scalar]) -> [Item]? {
        var items: [Item] = []
        var position = 0
        func skipSpaces() { while position < scalars.count, Self.isSpace(scalars[position]) { position += 1 } }
        while true {
            skipSpaces()
            if position >= scalars.count { break }
            if scalars[position] == "," {
                position += 1
                continue
            }
            let start = position
            while position < scalars.count, Self.isName(scalars[position]) { position += 1 }
            let name = String(String.UnicodeScalarView(scalars[start..<position]))
            skipSpaces()
            guard !name.isEmpty, position < scalars.count, scalars[position] == "=" else { return nil }
            position += 1
            skipSpaces()
            guard position < scalars.count else { return nil }
            let isQuoted = scalars[position] == "\""
            if isQuoted { position += 1 }
            let first = position
            while position < scalars.count, scalars[position] != (isQuoted ? "\"" : ",") {
                if !isQuoted, scalars[position] == "\"" { return nil }
                position += 1
            }
            if isQuoted, position == scalars.count { return nil }
            var value = String(String.UnicodeScalarView(scalars[first..<position]))
            if isQuoted { position += 1 } else { value = value.withoutBlanks }
            if value.isEmpty, !isQuoted { return nil }
            skipSpaces()
            guard position == scalars.count || scalars[position] == "," else { return nil }
            items.append(Item(name: name, value: value, isQuoted: isQuoted))
        }
        return items.isEmpty ? nil : items
    }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "-", "_": true
        default: false
        }
    }

    /// Replaces a misspelled name with the only known name that it can be. Names of vendors begin with `X-`.
    private mutating func correctName(_ items: inout [Item], _ index: Int, _ types: [String: AttributeType]) {
        let name = items[index].name
        guard types[name] == nil, !name.hasPrefix("X-"), name != "CLOSED-CAPTIONS",
            let known = NearMiss.name(name, among: types.keys), !items.contains(where: { $0.name == known })
        else { return }
        items[index].name = known
        corrections.append("\(ReadingContext.quoted(name)) is \(known)")
    }

    private mutating func correctValue(_ item: inout Item, _ type: AttributeType) {
        let name = item.name
        let old = item
        switch type {
        case .quoted: quote(&item)
        case .codecs:
            quote(&item)
            item.value = item.value.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.withoutBlanks }.joined(separator: ",")
            if item.value != old.value { corrections.append("spaces in \(name) removed") }
        case .date:
            quote(&item)
            item.value = LineFixer.date(item.value)
            if item.value != old.value { corrections.append("the date in \(name) has a T before the time") }
        case .unquoted:
            let value = item.value.withoutBlanks
            // The value of a variable is unknown, and an empty value is not a number.
            guard item.isQuoted, !value.isEmpty, !value.contains(","), !value.contains(" ") else { return }
            (item.value, item.isQuoted) = (value, false)
            corrections.append("\(name) has no quotation marks")
        case .enumerated(let values):
            let value = item.value.withoutBlanks
            let known = values.first { $0 == value } ?? NearMiss.name(value, among: values, maximumDistance: 0)
            guard let known else { return }
            (item.value, item.isQuoted) = (known, false)
            if old.isQuoted { corrections.append("\(name) has no quotation marks") }
            if known != value { corrections.append("\(name) is \(known)") }
        }
    }

    private mutating func quote(_ item: inout Item) {
        guard !item.isQuoted else { return }
        item.isQuoted = true
        corrections.append("\(item.name) has quotation marks")
    }
}

/// Misspelled names that can be only one known name.
enum NearMiss {
    /// Returns the only known name with the same letters and digits, regardless of their case, or that differs in one of
    /// them or in two that are exchanged; nil if no name or several names do.
    static func name(_ name: String, among known: some Sequence<String>, maximumDistance: Int = 1) -> String? {
        let letters = Spelling.simplified(name)
        let same = known.filter { Spelling.simplified($0) == letters }
        if let only = same.first { return same.count == 1 ? only : nil }
        guard maximumDistance > 0, letters.count >= 6, name.utf8.count <= 64 else { return nil }
        let near = known.filter { candidate in
            let other = Spelling.simplified(candidate)
            let distance = Spelling.distance(letters, other)
            return distance == 1 || (distance == 2 && letters.sorted() == other.sorted())
        }
        return near.count == 1 ? near.first : nil
    }
}
