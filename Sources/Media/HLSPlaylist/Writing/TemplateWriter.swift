/// Writes a part of a playlist that was read and then changed. It uses the original lines as a template, so that order,
/// comments and blank lines are preserved. A line whose tag has the same value is copied. A line whose value has
/// changed is replaced. A line whose value was removed is left out. A new item is inserted at its position in the
/// draft's order.
struct TemplateWriter {
    /// A line to be written.
    enum Item {
        case tag(PlaylistTag)
        /// An unknown tag, a comment, or a line that could not be read.
        case other(String)
        case uri(String)
    }

    /// A line of the output.
    private struct Entry {
        /// The position of the item in the draft's order; nil for a line that is always copied.
        let order: Int?
        var item: Item?
        /// The original line, if it can be copied.
        var raw: Range<Int>?
        /// True if no line may be inserted between this line and the preceding one.
        var isBound = false
    }

    private var queues: [TemplateLine.Slot: ArraySlice<(order: Int, item: Item)>] = [:]

    /// - Parameter items: The items to write, in the order in which they would be written without a template.
    init(_ items: [Item]) {
        for (order, item) in items.enumerated() { queues[Self.slot(item), default: []].append((order, item)) }
    }

    private static func slot(_ item: Item) -> TemplateLine.Slot {
        switch item {
        case .tag(let tag): .tag(tag.name)
        case .other: .other
        case .uri: .uri
        }
    }

    /// Writes the items with the original lines as a template.
    mutating func write(_ lines: [TemplateLine], of source: PlaylistSource, to playlist: inout PlaylistWriter) {
        // First the original lines or their replacements, then the new items between them.
        var entries: [Entry] = []
        entries.reserveCapacity(lines.count)
        for line in lines { if let entry = entry(line) { entries.append(entry) } }
        let rest = queues.values.flatMap { $0 }.sorted { $0.order < $1.order }
        if !rest.isEmpty { entries = Self.merged(entries, rest) }
        Self.restoreSequence(&entries, source)
        for entry in entries {
            if let raw = entry.raw {
                playlist.raw(source.bytes[raw])
                if source.bytes[raw].last != 0x0A { playlist.endLine() }
            } else if let item = entry.item {
                Self.write(item, to: &playlist)
            }
        }
    }

    /// Returns the entry that replaces an original line; nil when the line is removed.
    private mutating func entry(_ line: TemplateLine) -> Entry? {
        switch line.role {
        case .copied: return Entry(order: nil, item: nil, raw: line.raw)
        case .dropped: return nil
        case .bound: return Entry(order: nil, item: nil, raw: line.raw, isBound: true)
        case .item(let slot, let old):
            if let (order, item) = queues[slot]?.popFirst() {
                return Entry(order: order, item: item, raw: Self.isSame(old, item) ? line.raw : nil)
            }
            // A tag that the reader ignored, such as a second EXT-X-VERSION, was preserved as text.
            guard case .other(let text)? = queues[.other]?.first?.item, text == line.text,
                let (order, item) = queues[TemplateLine.Slot.other]?.popFirst()
            else { return nil }
            return Entry(order: order, item: item, raw: line.raw)
        }
    }

    /// Inserts each item that has no line yet after the last line that precedes it in the draft's order. Comments are
    /// not considered for the position of a tag, because they may be anywhere.
    private static func merged(_ entries: [Entry], _ rest: [(order: Int, item: Item)]) -> [Entry] {
        let placed = entries.indices.compactMap { index in entries[index].order.map { (order: $0, index: index) } }
            .sorted { $0.order < $1.order }
        // The position before all other lines, but after #EXTM3U, which has no order.
        let front = entries.firstIndex { $0.order != nil } ?? entries.count
        var result: [Entry] = []
        result.reserveCapacity(entries.count + rest.count)
        var next = placed.startIndex
        var copied = 0
        var position = front
        // The position after all lines that precede the item, with and without comments.
        var last = (any: front, tag: front)
        for (order, item) in rest {
            while next < placed.endIndex, placed[next].order < order {
                let index = placed[next].index
                last.any = max(last.any, index + 1)
                if !isOther(entries[index].item) { last.tag = max(last.tag, index + 1) }
                next += 1
            }
            position = max(position, isOther(item) ? last.any : last.tag)
            while position < entries.count, entries[position].isBound { position += 1 }
            result += entries[copied..<position]
            copied = position
            result.append(Entry(order: order, item: item))
        }
        return result + entries[copied...]
    }

    private static func isOther(_ item: Item?) -> Bool { if case .other? = item { true } else { false } }

    /// Restores the order of the tags whose order is significant. For example, an EXT-X-KEY tag applies to the
    /// EXT-X-MAP tags after it.
    private static func restoreSequence(_ entries: inout [Entry], _ source: PlaylistSource) {
        let indices = entries.indices.filter { isSequential(entries[$0].item) }
        let orders = indices.map { entries[$0].order ?? 0 }
        guard !zip(orders, orders.dropFirst()).allSatisfy({ $0 < $1 }) else { return }
        let sorted = indices.map { entries[$0] }.sorted { ($0.order ?? 0) < ($1.order ?? 0) }
        for (index, entry) in zip(indices, sorted) {
            entries[index] = entry
            // The new position may precede the definition of a variable to which the line refers.
            if let raw = entry.raw, source.hasReference(raw) { entries[index].raw = nil }
        }
    }

    private static func isSequential(_ item: Item?) -> Bool {
        switch item {
        case .other?: true
        case .tag(let tag)?: [.key, .map, .bitrate, .dateRange, .part].contains(tag.name)
        default: false
        }
    }

    private static func isSame(_ old: Item?, _ new: Item) -> Bool {
        switch (old, new) {
        case (.tag(let left)?, .tag(let right)): left == right
        case (.other(let left)?, .other(let right)): left.utf8.elementsEqual(right.utf8)
        case (.uri(let left)?, .uri(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    /// Writes an item in the writer's own format.
    static func write(_ item: Item, to playlist: inout PlaylistWriter) {
        switch item {
        case .tag(let tag): tag.write(to: &playlist)
        case .other(let line): playlist.otherLine(line)
        case .uri(let uri): playlist.uriLine(uri)
        }
    }
}
