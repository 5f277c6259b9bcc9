import ByteCoding
import MediaFormats
import TextCoding
import ToolSupport

/// A listing of the boxes of an MP4 file, as lines or as JSON.
struct BoxListing {
    /// The number of levels to show; nil for all.
    var depth: Int?
    /// True if to show all boxes of types that occur in large numbers.
    var showsAll = false

    /// The number of boxes of a type that are shown if their parent contains more than ``few``.
    private static let first = 2
    private static let few = 6

    /// A box, or the number of omitted boxes.
    private enum Item {
        case box(BoxTree.Node)
        case omitted([FourCC: Int], bytes: Int)
    }

    /// Returns the lines of a tree: offset, size, indented type, fields.
    func lines(_ tree: BoxTree, _ style: Style) -> [String] {
        var rows: [(offset: String, size: String, name: String, rest: String)] = []
        append(tree.boxes, level: 0, to: &rows)
        let offsets = max(6, rows.map(\.offset.count).max() ?? 0)
        let sizes = max(4, rows.map(\.size.count).max() ?? 0)
        let names = min(40, rows.filter { !$0.rest.isEmpty }.map(\.name.count).max() ?? 0)
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let heading = "  \(right("offset", offsets))  \(right("size", sizes))  box"
        var lines = [style.bold("Boxes"), style.dim(heading)]
        for row in rows {
            let gap = String(repeating: " ", count: row.rest.isEmpty ? 0 : max(1, names + 2 - row.name.count))
            let place = "  \(right(row.offset, offsets))  \(right(row.size, sizes))  "
            lines.append(place + row.name + gap + (row.rest.hasPrefix("!") ? style.red(row.rest) : style.dim(row.rest)))
        }
        if let problem = tree.problem { lines.append("  " + style.red("! \(escaped(problem.description))")) }
        return lines
    }

    private func append(
        _ nodes: [BoxTree.Node],
        level: Int,
        to rows: inout [(offset: String, size: String, name: String, rest: String)]
    ) {
        let indent = String(repeating: "  ", count: level)
        for item in items(nodes) {
            switch item {
            case .box(let node):
                let fields = node.fields.map(\.description).joined(separator: " ")
                rows.append(("\(node.offset)", "\(node.size)", indent + escaped("\(node.type)"), escaped(fields)))
                if depth.map({ level + 1 < $0 }) ?? true { append(node.children, level: level + 1, to: &rows) }
                if let problem = node.problem { rows.append(("", "", indent, "! \(escaped(problem.description))")) }
            case .omitted(let counts, let bytes):
                let types = counts.sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }
                let text = types.map { "\($0.value) \(escaped("\($0.key)"))" }.joined(separator: ", ")
                rows.append(("", "\(bytes)", indent + "… \(text) more; give --all to show them", ""))
            }
        }
    }

    /// Returns the boxes of one level. Of a type with many boxes, only the first ones are included.
    private func items(_ nodes: [BoxTree.Node]) -> [Item] {
        guard !showsAll else { return nodes.map { .box($0) } }
        var totals: [FourCC: Int] = [:]
        for node in nodes { totals[node.type, default: 0] += 1 }
        var seen: [FourCC: Int] = [:]
        var items: [Item] = []
        var omitted: [FourCC: Int] = [:]
        var bytes = 0
        func flush() {
            if !omitted.isEmpty { items.append(.omitted(omitted, bytes: bytes)) }
            omitted = [:]
            bytes = 0
        }
        for node in nodes {
            seen[node.type, default: 0] += 1
            // Damaged boxes are always included.
            let isMany = totals[node.type, default: 0] > Self.few && seen[node.type, default: 0] > Self.first
            if isMany, node.problem == nil {
                omitted[node.type, default: 0] += 1
                bytes += node.size
            } else {
                flush()
                items.append(.box(node))
            }
        }
        flush()
        return items
    }

    /// Returns a tree as JSON.
    func json(_ nodes: [BoxTree.Node], level: Int = 0) -> JSONValue {
        .array(
            items(nodes).map { item in
                switch item {
                case .box(let node): return json(node, level: level)
                case .omitted(let counts, let bytes):
                    let types = counts.sorted { "\($0.key)" < "\($1.key)" }
                    let members = types.map { JSONObject.Member(key: "\($0.key)", value: .integer(Int($0.value))) }
                    return .object(["omitted": .object(JSONObject(members)), "size": .integer(Int(bytes))])
                }
            }
        )
    }

    private func json(_ node: BoxTree.Node, level: Int) -> JSONValue {
        let isOpen = depth.map { level + 1 < $0 } ?? true
        let fields = node.fields.map { JSONObject.Member(key: $0.name, value: .string($0.value)) }
        return .object([
            "type": .string("\(node.type)"), "offset": .integer(Int(node.offset)), "size": .integer(Int(node.size)),
            "fields": fields.isEmpty ? nil : .object(JSONObject(fields)),
            "boxes": isOpen && !node.children.isEmpty ? json(node.children, level: level + 1) : nil,
            "problem": .string(node.problem.map { "\($0)" }),
        ])
    }
}
