/// Writes a part of a playlist anew that was read and then changed: line by line after the old one, so that order,
/// comments and blank lines stay. A line whose tag still has the same value is copied; one whose value has changed is
/// written anew in its place; one whose value is gone is left out; what is new comes where the draft's order puts it.
struct TemplateWriter {
    /// A line to be written.
    enum Item {
        case tag(PlaylistTag)
        /// An unknown tag, a comment, or a line that could not be read.
        case other(String)
        case uri(String)
    }

    /// What is written, in the order of the output.
    private struct Entry {
        /// The place of the item in the draft's order; nil for a line that is copied in any case.
        let order: Int?
        var item: Item?
        /// The old line, if it can be copied.
        var raw: Range<Int>?
        /// Nothing may come between this line and the one before.
        var isBound = false
    }

    private var queues: [TemplateLine.Slot: ArraySlice<(order: Int, item: Item)>] = [:]

    /// - Parameter items: What is to be written, in the order in which it would be written without a template.
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

    /// Writes the items after lines that were read.
    mutating func write(_ lines: [TemplateLine], of source: PlaylistSource, to playlist: inout PlaylistWriter) {
        // First the old lines with what replaces them, then what is new between them.
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

    /// What comes in the place of an old line; nil when nothing does.
    private mutating func entry(_ line: TemplateLine) -> Entry? {
        switch line.role {
        case .copied: return Entry(order: nil, item: nil, raw: line.raw)
        case .dropped: return nil
        case .bound: return Entry(order: nil, item: nil, raw: line.raw, isBound: true)
        case .item(let slot, let old):
            if let (order, item) = queues[slot]?.popFirst() {
                return Entry(order: order, item: item, raw: Self.isSame(old, item) ? line.raw : nil)
            }
            // A tag that the reader did not take, such as a second EXT-X-VERSION, was kept as it is.
            guard case .other(let text)? = queues[.other]?.first?.item, text == line.text,
                let (order, item) = queues[TemplateLine.Slot.other]?.popFirst()
            else { return nil }
            return Entry(order: order, item: item, raw: line.raw)
        }
    }

    /// Puts each item that has no line yet behind the last line that comes before it in order. Comments, which may
    /// stand anywhere, say nothing about the place of a tag.
    private static func merged(_ entries: [Entry], _ rest: [(order: Int, item: Item)]) -> [Entry] {
        let placed = entries.indices.compactMap { index in entries[index].order.map { (order: $0, index: index) } }
            .sorted { $0.order < $1.order }
        // Before all others: yet behind #EXTM3U, which has no order.
        let front = entries.firstIndex { $0.order != nil } ?? entries.count
        var result: [Entry] = []
        result.reserveCapacity(entries.count + rest.count)
        var next = placed.startIndex
        var copied = 0
        var place = front
        // The place behind all lines that come before, and the same without the comments.
        var last = (any: front, tag: front)
        for (order, item) in rest {
            while next < placed.endIndex, placed[next].order < order {
                let index = placed[next].index
                last.any = max(last.any, index + 1)
                if !isOther(entries[index].item) { last.tag = max(last.tag, index + 1) }
                next += 1
            }
            place = max(place, isOther(item) ? last.any : last.tag)
            while place < entries.count, entries[place].isBound { place += 1 }
            result += entries[copied..<place]
            copied = place
            result.append(Entry(order: order, item: item))
        }
        return result + entries[copied...]
    }

    private static func isOther(_ item: Item?) -> Bool { if case .other? = item { true } else { false } }

    /// Restores the order of the tags whose order says something: an EXT-X-KEY tag holds for the EXT-X-MAP tags behind
    /// it.
    private static func restoreSequence(_ entries: inout [Entry], _ source: PlaylistSource) {
        let places = entries.indices.filter { isSequential(entries[$0].item) }
        let orders = places.map { entries[$0].order ?? 0 }
        guard !zip(orders, orders.dropFirst()).allSatisfy({ $0 < $1 }) else { return }
        let sorted = places.map { entries[$0] }.sorted { ($0.order ?? 0) < ($1.order ?? 0) }
        for (place, entry) in zip(places, sorted) {
            entries[place] = entry
            // It may have come to stand above the definition of a variable to which it refers.
            if let raw = entry.raw, source.hasReference(raw) { entries[place].raw = nil }
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

    /// Writes an item in the writer's form.
    static func write(_ item: Item, to playlist: inout PlaylistWriter) {
        switch item {
        case .tag(let tag): tag.write(to: &playlist)
        case .other(let line): playlist.otherLine(line)
        case .uri(let uri): playlist.uriLine(uri)
        }
    }
}
