import HLSPlaylist
import TextCoding

/// The differences in meaning between two playlists of the same type, independent of formatting.
struct PlaylistDifference: Sendable {
    /// The type of a change.
    enum Kind: String, Sendable {
        case added
        case removed
        case changed

        /// The sign at the beginning of a line about the change.
        var sign: String {
            switch self {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        }
    }

    /// An attribute that differs.
    struct Attribute: Sendable, Equatable {
        let name: String
        let before: FieldValue?
        let after: FieldValue?

        /// Returns whether two attributes changed in the same way.
        static func == (left: Attribute, right: Attribute) -> Bool {
            left.name == right.name && same(left.before, right.before) && same(left.after, right.after)
        }
    }

    /// An item that differs.
    struct Change: Sendable {
        /// The title of the table or grid that contains the item.
        let place: String
        let kind: Kind
        /// The values that identify the item; empty if the title identifies it.
        let subject: [FieldValue]
        /// The attributes that differ.
        var attributes: [Attribute] = []
    }

    let kind: Playlist.Kind
    private(set) var changes: [Change] = []

    /// Compares two playlists; nil if their types differ.
    init?(_ before: Playlist, _ after: Playlist) {
        guard before.kind == after.kind else { return nil }
        kind = before.kind
        let first = PlaylistOverview(before, segments: false)
        let second = PlaylistOverview(after, segments: false)
        compareTables(first.tables, second.tables)
        let titles = first.grids.filter { !$0.isDerived }.map(\.title)
        let others = second.grids.filter { !$0.isDerived && !titles.contains($0.title) }.map(\.title)
        for title in titles + others {
            compare(first.grids.first { $0.title == title }, second.grids.first { $0.title == title })
        }
        if case .media(let before) = before, case .media(let after) = after {
            var segments = SegmentComparison()
            segments.compare(SegmentList.resolve(before).segments, SegmentList.resolve(after).segments)
            changes += segments.changes
        }
    }

    /// Returns whether two values are identical, including their hidden parts.
    static func same(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
        let renderer = JSONRenderer(reveal: true)
        return left.map(renderer.json) == right.map(renderer.json)
    }

    private mutating func compareTables(_ before: [FieldTable], _ after: [FieldTable]) {
        let titles = before.map(\.title) + after.map(\.title).filter { title in !before.contains { $0.title == title } }
        for title in titles {
            let old = before.first { $0.title == title }?.fields ?? []
            let new = after.first { $0.title == title }?.fields ?? []
            let names = old.map(\.name) + new.map(\.name).filter { name in !old.contains { $0.name == name } }
            let attributes = names.map { name in
                Attribute(
                    name: name,
                    before: old.first { $0.name == name }?.value,
                    after: new.first { $0.name == name }?.value
                )
            }.filter { !Self.same($0.before, $0.after) }
            guard !attributes.isEmpty else { continue }
            changes.append(Change(place: title, kind: .changed, subject: [], attributes: attributes))
        }
    }

    private mutating func compare(_ before: Grid?, _ after: Grid?) {
        guard let grid = before ?? after else { return }
        let old = Self.named(before?.rows ?? [])
        let new = Self.named(after?.rows ?? [])
        let newRows = Dictionary(new, uniquingKeysWith: { first, _ in first })
        let oldNames = Set(old.map(\.0))
        for (name, row) in old {
            if let other = newRows[name] {
                let attributes = Self.attributes(grid.columns, row, other)
                guard !attributes.isEmpty else { continue }
                changes.append(
                    Change(place: grid.title, kind: .changed, subject: row.identity, attributes: attributes)
                )
            } else {
                changes.append(Change(place: grid.title, kind: .removed, subject: row.identity))
            }
        }
        for (name, row) in new where !oldNames.contains(name) {
            changes.append(Change(place: grid.title, kind: .added, subject: row.identity))
        }
        // A client without bandwidth measurements starts with the first variant.
        let oldOrder = old.map(\.0).filter { newRows[$0] != nil }
        if grid.title == "Variants", oldOrder != new.map(\.0).filter(oldNames.contains) {
            changes.append(Change(place: grid.title, kind: .changed, subject: [.text("order")]))
        }
    }

    /// Returns the rows with unique names from their identities. Rows with the same identity are numbered, so that the
    /// first is compared with the first.
    private static func named(_ rows: [Grid.Row]) -> [(String, Grid.Row)] {
        let renderer = JSONRenderer(reveal: true)
        var counts: [String: Int] = [:]
        return rows.map { row in
            let name = JSONValue.array(row.identity.map(renderer.json)).indented
            counts[name, default: 0] += 1
            return ("\(name)\(counts[name, default: 0])", row)
        }
    }

    /// Returns the attributes that differ between two rows.
    static func attributes(_ columns: [String], _ before: Grid.Row, _ after: Grid.Row) -> [Attribute] {
        columns.indices.compactMap { column in
            let (old, new) = (before.cells[column], after.cells[column])
            guard !same(old, new) else { return nil }
            guard case .items(let left)? = old, case .items(let right)? = new else {
                return Attribute(name: columns[column], before: old, after: new)
            }
            return attribute(columns[column], left, right)
        }
    }

    /// Returns the items of a list that differ; all items, if only their order differs.
    private static func attribute(_ name: String, _ before: [[Field]], _ after: [[Field]]) -> Attribute {
        func missing(_ items: [[Field]], in others: [[Field]]) -> FieldValue? {
            let rest = items.filter { item in !others.contains { same(.items([$0]), .items([item])) } }
            return rest.isEmpty ? nil : .items(rest)
        }
        let (old, new) = (missing(before, in: after), missing(after, in: before))
        if old == nil, new == nil { return Attribute(name: name, before: .items(before), after: .items(after)) }
        return Attribute(name: name, before: old, after: new)
    }
}
