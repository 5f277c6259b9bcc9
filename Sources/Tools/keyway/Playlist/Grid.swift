import TextCoding
import ToolSupport

/// A table of values with column titles.
struct Grid: Sendable {
    /// One row.
    struct Row: Sendable {
        /// The values that identify the row, even if its other values change.
        let identity: [FieldValue]
        /// The values, one per column, if any.
        let cells: [FieldValue?]
    }

    /// The title; in JSON, the key is derived from it.
    let title: String
    /// The column titles, in order; in JSON, the keys are derived from them.
    let columns: [String]
    /// The rows, in order.
    var rows: [Row] = []
    /// True if the grid repeats information of other grids.
    var isDerived = false

    /// The maximum number of characters of a value that are shown.
    private static let widest = 100

    /// Returns the lines of the grid as text; columns without any value are omitted.
    func lines(_ renderer: TextRenderer) -> [String] {
        let shown = columns.indices.filter { column in rows.contains { $0.cells[column] != nil } }
        let heading = shown.map { columns[$0] }
        let body = rows.map { row in shown.map { column in row.cells[column].map(renderer.line) ?? "-" } }
        return [renderer.style.bold(title)] + Self.lines([heading] + body).map { "  \($0)" }
    }

    /// Returns the rows as JSON objects; absent values are omitted.
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

    /// Returns rows of text aligned in columns.
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
