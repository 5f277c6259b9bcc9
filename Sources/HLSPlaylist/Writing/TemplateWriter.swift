/// Writes a part of a playlist anew that was read and then changed: line by line after the old one, so that order, comments and
/// blank lines stay. A line whose tag still has the same value is copied; one whose value has changed is written anew in its
/// place; one whose value is gone is left out; what is new comes where the draft's order puts it.
struct TemplateWriter {
    /// A line to be written.
    enum Item {
        case tag(PlaylistTag)
        /// An unknown tag, a comment, or a line that could not be read.
        case other(String)
        case uri(String)
    }

    /// What one kind of line has to be looked for by.
    private enum Slot: Hashable {
        case tag(TagName)
        case other
        case uri
    }

    private var queues: [Slot: ArraySlice<(order: Int, item: Item)>] = [:]
    /// The places of all items that have not been written, by their order.
    private let count: Int

    /// - Parameter items: What is to be written, in the order in which it would be written without a template.
    init(_ items: [Item]) {
        count = items.count
        for (order, item) in items.enumerated() { queues[Self.slot(item), default: []].append((order, item)) }
    }

    private static func slot(_ item: Item) -> Slot {
        switch item {
        case .tag(let tag): .tag(tag.name)
        case .other: .other
        case .uri: .uri
        }
    }

    /// Writes the items after the lines of `range`.
    ///
    /// - Parameter isForeign: Says which tags of the template belong to another part, so that their lines are left alone or out.
    mutating func write(
        after source: PlaylistSource,
        _ range: Range<Int>,
        variables: [String: String],
        to playlist: inout PlaylistWriter
    ) {
        let context = ReadingContext(source: source, options: ParsingOptions(), isLenient: false)
        for (name, value) in variables { _ = context.variables.define(name, value) }
        // First the old lines with what replaces them, then what is new between them.
        var lines: [(order: Int?, text: Output)] = []
        var used: Set<Int> = []
        let storage = source.bytes
        let bytes = storage.span.bytes
        var offset = range.lowerBound
        while offset < range.upperBound {
            let line = LineScanner.scan(bytes, from: offset)
            let next = min(line.next, range.upperBound)
            let raw = offset..<next
            offset = next
            context.lineStart = line.start
            let content = line.start..<min(line.end, range.upperBound)
            guard let (slot, old) = Self.parse(context, content) else {
                lines.append((nil, .copy(raw)))
                continue
            }
            guard let (order, item) = queues[slot]?.popFirst() else { continue }
            used.insert(order)
            lines.append((order, Self.isSame(old, item) ? .copy(raw) : .new(item)))
        }
        insertRest(used, &lines)
        for (_, output) in lines {
            switch output {
            case .copy(let raw):
                playlist.raw(source.bytes[raw])
                if source.bytes[raw].last != 0x0A { playlist.endLine() }
            case .new(let item): Self.write(item, to: &playlist)
            }
        }
    }

    private enum Output {
        case copy(Range<Int>)
        case new(Item)
    }

    /// Puts each item that has no line yet behind the last line that comes before it in order.
    private mutating func insertRest(_ used: Set<Int>, _ lines: inout [(order: Int?, text: Output)]) {
        let rest = queues.values.flatMap { $0 }.sorted { $0.order < $1.order }
        for (order, item) in rest where !used.contains(order) {
            var place = lines.lastIndex { ($0.order ?? -1) >= 0 && ($0.order ?? Int.max) < order }.map { $0 + 1 }
            // Before all others: yet behind #EXTM3U, which has no order.
            if place == nil { place = lines.firstIndex { $0.order != nil } ?? lines.count }
            lines.insert((order, .new(item)), at: place ?? lines.count)
        }
    }

    /// What an old line holds; nil for a line that is copied in any case: a blank one, or `#EXTM3U`.
    private static func parse(_ context: ReadingContext, _ content: Range<Int>) -> (Slot, Item?)? {
        let storage = context.source.bytes
        let bytes = storage.span.bytes
        let line = context.checked(
            bytes,
            ScannedLine(
                start: content.lowerBound,
                end: content.upperBound,
                next: content.upperBound,
                isASCII: true,
                control: -1
            )
        )
        switch LineContent(bytes, line) {
        case .blank: return nil
        case .uri(let range): return (.uri, .uri(context.text(range, reading: "URI")))
        case .comment, .unknownTag: return (.other, .other(context.source.text(line)))
        case .tag(.extM3U, _): return nil
        case .tag(let name, let value):
            guard let tag = PlaylistTag(context, name, value) else {
                return (.other, .other(context.source.text(line)))
            }
            return (.tag(name), .tag(tag))
        }
    }

    private static func isSame(_ old: Item?, _ new: Item) -> Bool {
        switch (old, new) {
        case (.tag(let left)?, .tag(let right)): left == right
        case (.other(let left)?, .other(let right)): left == right
        case (.uri(let left)?, .uri(let right)): left == right
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
