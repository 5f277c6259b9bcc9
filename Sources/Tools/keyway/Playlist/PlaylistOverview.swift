import HLSPlaylist
import TextCoding

/// What a playlist says: what `keyway playlist show` prints and `keyway playlist diff` compares.
struct PlaylistOverview: Sendable {
    let kind: Playlist.Kind
    /// One line that says it all, to stand behind the playlist's name.
    let headline: String
    /// What holds for the playlist as a whole.
    var tables: [FieldTable]
    /// What there are several of.
    var grids: [Grid]
    /// What makes it less than whole.
    var notes: [String] = []

    /// Describes a playlist.
    ///
    /// - Parameter segments: Whether each segment is listed.
    init(_ playlist: Playlist, segments: Bool) {
        switch playlist {
        case .media(let playlist): self.init(playlist, listsSegments: segments)
        case .multivariant(let playlist): self.init(playlist)
        }
    }

    init(kind: Playlist.Kind, headline: String, tables: [FieldTable], grids: [Grid]) {
        self.kind = kind
        self.headline = headline
        self.tables = tables.filter { !$0.fields.isEmpty }
        self.grids = grids.filter { !$0.rows.isEmpty }
    }

    /// For people.
    func text(name: String, _ renderer: TextRenderer) -> String {
        var lines = ["\(PlaylistText.shown(name)): \(headline)"]
        for table in tables { lines += [""] + renderer.lines(table) }
        for grid in grids { lines += [""] + grid.lines(renderer) }
        if !notes.isEmpty {
            lines += ["", renderer.style.bold("Notes")] + notes.map { "  - \(PlaylistText.message($0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// For machines.
    func json(name: String, _ renderer: JSONRenderer) -> JSONValue {
        var members: [JSONObject.Member] = [
            .init(key: "file", value: .string(name)), .init(key: "kind", value: .string(kind.rawValue)),
        ]
        members += tables.map { .init(key: Field.key(for: $0.title), value: renderer.json($0)) }
        members += grids.map { .init(key: Field.key(for: $0.title), value: $0.json(renderer)) }
        members.append(.init(key: "notes", value: .array(notes.map { .string(PlaylistText.message($0)) })))
        return .object(JSONObject(members))
    }
}

/// Collects fields of which many may be absent.
struct FieldCollector {
    private(set) var fields: [Field] = []

    mutating func add(_ name: String, _ value: FieldValue?) {
        if let value { fields.append(Field(name, value)) }
    }
}

/// Shorthand for values of playlists, which are absent as often as not.
extension FieldValue {
    static func optional(_ text: String?) -> FieldValue? { text.map { .text($0) } }
    static func optional(uri: String?) -> FieldValue? { uri.map { .uri($0) } }
    static func optional(_ number: UInt64?, unit: String? = nil) -> FieldValue? {
        number.map { .number($0, unit: unit) }
    }
    static func optional(_ number: Double?, unit: String? = nil) -> FieldValue? {
        number.map { .decimal($0, unit: unit) }
    }
    static func optional(_ flag: Bool?) -> FieldValue? { flag.map { .flag($0) } }
    /// Yes, or nothing.
    static func yes(_ flag: Bool) -> FieldValue? { flag ? .flag(true) : nil }
    /// A list that is not empty.
    static func nonEmpty(_ list: [String]) -> FieldValue? { list.isEmpty ? nil : .list(list) }
    /// Attributes that the draft does not define.
    static func others(_ attributes: [Attribute]) -> FieldValue? {
        nonEmpty(attributes.map { "\($0.name)=\(PlaylistText.shown(PlaylistText.cut($0.value), limit: 80))" })
    }
}

extension StartTag {
    /// In words.
    var words: String {
        "\(shortNumber(timeOffset)) s from the \(timeOffset < 0 ? "end" : "beginning")"
            + (isPrecise == true ? ", precise" : "")
    }
}

extension [DefineTag] {
    /// The names of the variables and where their values come from.
    var words: [String] {
        map { define in
            switch define.definition {
            case .value(let name, _): name
            case .imported(let name): "\(name) (imported)"
            case .queryParameter(let name): "\(name) (of the URL)"
            }
        }
    }
}
