import HLSPlaylist
import TextCoding
import ToolSupport

/// The content of a playlist, which `keyway playlist show` prints and `keyway playlist diff` compares.
struct PlaylistOverview: Sendable {
    let kind: Playlist.Kind
    /// A summary on one line, which follows the playlist's name.
    let headline: String
    /// The values that apply to the whole playlist.
    var tables: [FieldTable]
    /// The lists of items.
    var grids: [Grid]
    /// Notes about incomplete information.
    var notes: [String] = []

    /// Creates an overview of a playlist.
    ///
    /// - Parameter segments: Whether to list each segment.
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

    /// Returns the overview as text.
    func text(name: String, _ renderer: TextRenderer) -> String {
        var lines = ["\(PlaylistText.printable(name)): \(headline)"]
        for table in tables { lines += [""] + renderer.lines(table) }
        for grid in grids { lines += [""] + grid.lines(renderer) }
        if !notes.isEmpty {
            lines += ["", renderer.style.bold("Notes")] + notes.map { "  - \(PlaylistText.message($0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the overview as JSON.
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

/// A collector of fields that omits absent values.
struct FieldCollector {
    private(set) var fields: [Field] = []

    mutating func add(_ name: String, _ value: FieldValue?) {
        if let value { fields.append(Field(name, value)) }
    }
}

/// Conversions of playlist values that may be absent.
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
    /// Returns yes if the flag is set, otherwise nil.
    static func yes(_ flag: Bool) -> FieldValue? { flag ? .flag(true) : nil }
    /// Returns a list, or nil if it is empty.
    static func nonEmpty(_ list: [String]) -> FieldValue? { list.isEmpty ? nil : .list(list) }
    /// Returns the attributes that the specification does not define, or nil if there are none.
    static func others(_ attributes: [Attribute]) -> FieldValue? {
        nonEmpty(attributes.map { "\($0.name)=\(PlaylistText.printable(PlaylistText.redacted($0.value), limit: 80))" })
    }
}

extension StartTag {
    /// The start position as text.
    var summary: String {
        "\(shortNumber(timeOffset)) s from the \(timeOffset < 0 ? "end" : "beginning")"
            + (isPrecise == true ? ", precise" : "")
    }
}

extension [DefineTag] {
    /// The names of the variables, and the sources of their values.
    var descriptions: [String] {
        map { define in
            switch define.definition {
            case .value(let name, _): name
            case .imported(let name): "\(name) (imported)"
            case .queryParameter(let name): "\(name) (from the URL)"
            }
        }
    }
}
