import HLSPlaylist
import TextCoding
import ToolSupport

extension PlaylistDifference {
    /// Returns the differences as text, grouped by the tables and grids of the playlist's overview (the place of a
    /// change), such as `Playlist` and `Segments`. A table lists its changed attributes. A grid lists the rows that were
    /// removed, added or changed, such as segments, variants or date ranges.
    ///
    /// - Parameters:
    ///   - beforeFile: The name of the file with the first playlist.
    ///   - afterFile: The name of the file with the second playlist.
    ///   - renderer: The renderer of values.
    func text(_ beforeFile: String, _ afterFile: String, _ renderer: TextRenderer) -> String {
        let names = "\(PlaylistText.printable(beforeFile)) and \(PlaylistText.printable(afterFile))"
        guard !changes.isEmpty else { return "\(names): no differences\n" }
        let count = changes.reduce(0) { $0 + max(1, $1.attributes.count) }
        var lines = ["\(names): \(counted(count, "difference"))"]
        var currentTitle: String?
        for change in changes {
            if change.place != currentTitle { lines += ["", renderer.style.bold(change.place)] }
            currentTitle = change.place
            lines += self.lines(change, renderer)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the lines about a change: its subject, which is the values that identify a row, such as the sequence
    /// number of a segment, and the attributes that differ. A change of a table has no subject.
    private func lines(_ change: Change, _ renderer: TextRenderer) -> [String] {
        let values = change.attributes.map { attribute in
            // "none": the item does not have the attribute, or its list has no values that the other list lacks.
            let before = attribute.before.map(renderer.line) ?? "none"
            let after = attribute.after.map(renderer.line) ?? "none"
            // Values that differ only in their hidden parts look the same.
            let hint = before == after ? " (the hidden parts differ; show them with --reveal)" : ""
            return "\(attribute.name): \(before) -> \(after)\(hint)"
        }
        guard !change.subject.isEmpty else { return values.map { "  \(change.kind.sign) \($0)" } }
        let subject = change.subject.map(renderer.line).joined(separator: " ")
        let title = "  \(change.kind.sign) \(subject)"
        return values.count == 1 ? ["\(title)  \(values[0])"] : [title] + values.map { "      \($0)" }
    }

    /// Returns the differences as JSON. Null is the value that the text shows as `none`.
    ///
    /// - Parameters:
    ///   - beforeFile: The name of the file with the first playlist.
    ///   - afterFile: The name of the file with the second playlist.
    ///   - renderer: The renderer of values.
    func json(_ beforeFile: String, _ afterFile: String, _ renderer: JSONRenderer) -> JSONValue {
        .object([
            "files": .array([.string(beforeFile), .string(afterFile)]),
            "kind": .string(kind.rawValue),
            "same": .bool(changes.isEmpty),
            "differences": .array(
                changes.map { change in
                    .object([
                        "location": .string(Field.key(for: change.place)),
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
