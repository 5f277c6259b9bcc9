import TextCoding

/// Rows of values under column titles.
struct Grid: Sendable {
    /// One row.
    struct Row: Sendable {
        /// What tells it from the other rows, and remains when the rest changes.
        let identity: [FieldValue]
        /// A value for each column; nil where there is none.
        let cells: [FieldValue?]
    }

    /// What the rows are; in JSON its words make the key.
    let title: String
    /// The columns, in order. The words make the keys in JSON.
    let columns: [String]
    /// The rows, in order.
    var rows: [Row] = []
    /// Whether it only says in another way what other grids say.
    var isDerived = false

    /// How many characters of a value are shown in a column.
    private static let widest = 100

    /// The lines of the grid for people; columns without any value are left out.
    func lines(_ renderer: TextRenderer) -> [String] {
        let shown = columns.indices.filter { column in rows.contains { $0.cells[column] != nil } }
        let heading = shown.map { columns[$0] }
        let body = rows.map { row in shown.map { column in row.cells[column].map(renderer.line) ?? "-" } }
        return [renderer.style.bold(title)] + Self.lines([heading] + body).map { "  \($0)" }
    }

    /// The rows for machines: each an object of the values that it has.
    func json(_ renderer: JSONRenderer) -> JSONValue {
        .array(
            rows.map { row in
                .object(
                    JSONObject(
                        zip(columns, row.cells).compactMap { column, cell in
                            cell.map { JSONObject.Member(key: Field.key(for: column), value: renderer.json($0)) }
                        }
                    )
                )
            }
        )
    }

    /// Texts in columns.
    static func lines(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map { $0.count > widest ? $0.prefix(widest - 1) + "…" : $0 } }
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                column == row.count - 1 ? text : text + String(repeating: " ", count: widths[column] - text.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
