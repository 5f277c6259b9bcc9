import HLSPlaylist
import TextCoding

extension PlaylistDifference {
    /// Returns the differences as text: removed, added and changed items.
    func text(_ before: String, _ after: String, _ renderer: TextRenderer) -> String {
        let names = "\(PlaylistText.printable(before)) and \(PlaylistText.printable(after))"
        guard !changes.isEmpty else { return "\(names): no differences\n" }
        let count = changes.reduce(0) { $0 + max(1, $1.attributes.count) }
        var lines = ["\(names): \(count) \(count == 1 ? "difference" : "differences")"]
        var place: String?
        for change in changes {
            if change.place != place { lines += ["", renderer.style.bold(change.place)] }
            place = change.place
            lines += self.lines(change, renderer)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ change: Change, _ renderer: TextRenderer) -> [String] {
        let values = change.attributes.map { attribute in
            let before = attribute.before.map(renderer.line) ?? "none"
            let after = attribute.after.map(renderer.line) ?? "none"
            // Values that differ only in their hidden parts look the same.
            return "\(attribute.name): \(before) -> \(after)" + (before == after ? " (--reveal shows the rest)" : "")
        }
        guard !change.subject.isEmpty else { return values.map { "  \(change.kind.sign) \($0)" } }
        let subject = change.subject.map(renderer.line).joined(separator: " ")
        let title = "  \(change.kind.sign) \(subject)"
        return values.count == 1 ? ["\(title)  \(values[0])"] : [title] + values.map { "      \($0)" }
    }

    /// Returns the differences as JSON.
    func json(_ before: String, _ after: String, _ renderer: JSONRenderer) -> JSONValue {
        .object([
            "files": .array([.string(before), .string(after)]),
            "kind": .string(kind.rawValue),
            "same": .bool(changes.isEmpty),
            "differences": .array(
                changes.map { change in
                    .object([
                        "place": .string(Field.key(for: change.place)),
                        "change": .string(change.kind.rawValue),
                        "subject": change.subject.isEmpty ? nil : .array(change.subject.map(renderer.json)),
                        "attributes": change.attributes.isEmpty
                            ? nil : .array(change.attributes.map { json($0, renderer) }),
                    ])
                }
            ),
        ])
    }

    private func json(_ attribute: Attribute, _ renderer: JSONRenderer) -> JSONValue {
        .object([
            "name": .string(Field.key(for: attribute.name)),
            "before": attribute.before.map(renderer.json) ?? .null,
            "after": attribute.after.map(renderer.json) ?? .null,
        ])
    }
}
