/// A tag that the draft does not define, such as one of a vendor. The type contains its name, the parsing and the
/// writing.
///
///     struct CueOut: CustomTag {
///         static let name = "EXT-X-CUE-OUT"
///         var seconds: Double
///
///         init?(value: String?) {
///             guard let seconds = value.flatMap(Double.init) else { return nil }
///             self.seconds = seconds
///         }
///         var value: String? { "\(seconds)" }
///     }
///
/// ``SegmentTags/customTags(_:)`` returns the tags of a segment, also when the type is not one of
/// ``ParsingOptions/customTags``.
public protocol CustomTag: Sendable {
    /// The name without `#`, which begins with `EXT`.
    static var name: String { get }
    /// True if the tag belongs to the segment after it, even before the first one; false if a tag there belongs to the
    /// playlist.
    static var isSegmentTag: Bool { get }
    /// Parses the text after the colon, which is nil without a colon. Returns nil for a malformed value.
    init?(value: String?)
    /// The text after the colon; nil without a colon.
    var value: String? { get }
}

extension CustomTag {
    /// True, by default.
    public static var isSegmentTag: Bool { true }

    /// Parses a line; nil for a line of another tag, or with a malformed value.
    init?(line: String) {
        guard let rest = Self.rest(of: line) else { return nil }
        self.init(value: rest.isEmpty ? nil : String(rest.dropFirst()))
    }

    /// The line.
    var line: String { "#" + Self.name + (value.map { ":" + $0 } ?? "") }

    /// Returns the text after the name, which is empty or begins with a colon; nil for a line of another tag.
    static func rest(of line: String) -> Substring? {
        guard line.hasPrefix("#" + name) else { return nil }
        let rest = line.dropFirst(name.count + 1)
        return rest.isEmpty || rest.first == ":" ? rest : nil
    }
}

extension SegmentTags {
    /// Returns the tags of a type, in order. Malformed ones are left out.
    public func customTags<Tag: CustomTag>(_ type: Tag.Type = Tag.self) -> [Tag] {
        tags.compactMap { if case .other(let line) = $0 { Tag(line: line) } else { nil } }
    }

    /// Replaces the tags of a type, including malformed ones. The first new tags take the positions of the old ones;
    /// the others follow, or precede all tags if there was no old one.
    public mutating func setCustomTags<Tag: CustomTag>(_ new: [Tag]) {
        let old = tags
        let positions = Set(
            old.indices.filter { if case .other(let line) = old[$0] { Tag.rest(of: line) != nil } else { false } }
        )
        guard !new.isEmpty || !positions.isEmpty else { return }
        var rest = new.map { SegmentTag.other($0.line) }[...]
        var result = positions.isEmpty ? Array(rest) : []
        for index in old.indices {
            guard positions.contains(index) else {
                result.append(old[index])
                continue
            }
            if let tag = rest.popFirst() { result.append(tag) }
            if index == positions.max() { result += rest }
        }
        tags = result
    }
}

extension MediaPlaylist {
    /// Returns the tags of a type before the first segment, in order. Malformed ones are left out.
    public func customTags<Tag: CustomTag>(_ type: Tag.Type = Tag.self) -> [Tag] {
        otherLines.compactMap(Tag.init(line:))
    }
}

extension MultivariantPlaylist {
    /// Returns the tags of a type, in order. Malformed ones are left out.
    public func customTags<Tag: CustomTag>(_ type: Tag.Type = Tag.self) -> [Tag] {
        otherLines.compactMap(Tag.init(line:))
    }
}

extension ReadingContext {
    /// Reports a tag that the draft does not define, or whose value its type refuses. Returns the type of a custom tag.
    func checkCustomTag(_ name: Range<Int>, _ content: Range<Int>) -> (any CustomTag.Type)? {
        let text = source.text(name)
        guard let type = options.customTags.first(where: { $0.name == text }) else {
            report(.unknownTag, "\(Self.quoted(text)) is not a tag of HLS")
            return nil
        }
        if type.init(line: source.text(content)) == nil {
            report(.malformedTagValue, at: name.upperBound, "\(text): the value is malformed")
        }
        return type
    }
}
