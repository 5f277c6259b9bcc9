/// Corrects the text of one line, without a change of its meaning.
struct LineFixer {
    private(set) var text: String
    private(set) var corrections: [String] = []

    init(_ text: String) {
        self.text = text
        trim()
        guard self.text.utf8.first == 0x23 else { return }
        correctName()
        correctValue()
    }

    /// The name of the tag in the corrected line; nil for any other line.
    var tag: TagName? { text.utf8.first == 0x23 ? TagName(rawValue: parts.name) : nil }

    private mutating func replace(_ new: String, _ correction: String) {
        guard !new.utf8.elementsEqual(text.utf8) else { return }
        text = new
        corrections.append(correction)
    }

    /// Removes white space at both ends. A comment and the title of EXTINF are free text.
    private mutating func trim() {
        let isFree = text.hasPrefix("#") && (!text.hasPrefix("#EXT") || text.hasPrefix("#EXTINF:"))
        let scalars = text.unicodeScalars
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { AttributeListFixer.isSpace(scalar) || scalar == "\r" }
        guard !isFree, let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else {
            if !isFree { replace("", "spaces removed") }
            return
        }
        replace(String(scalars[first...last]), "spaces at the ends of the line removed")
    }

    /// Returns the name of the tag without `#`, and the value after the colon.
    private var parts: (name: String, value: String?) {
        let content = text.dropFirst()
        guard let colon = content.firstIndex(of: ":") else { return (String(content), nil) }
        return (String(content[..<colon]), String(content[content.index(after: colon)...]))
    }

    /// Replaces a misspelled tag name. A line that does not begin like a tag is a comment.
    private mutating func correctName() {
        let (name, value) = parts
        guard name.lowercased().hasPrefix("ext"), TagName(rawValue: name) == nil else { return }
        let rest = value.map { ":" + $0 } ?? ""
        let trimmed = name.withoutBlanks
        if TagName(rawValue: trimmed) != nil { return replace("#" + trimmed + rest, "spaces after the name removed") }
        // "#EXT X-KEY" and longer comments are not names.
        guard !trimmed.contains(" "), let known = NearMiss.name(trimmed, among: TagName.allCases.map(\.rawValue)) else {
            return
        }
        replace("#" + known + rest, "\(ReadingContext.quoted(trimmed)) is \(known)")
    }

    private mutating func correctValue() {
        let (name, value) = parts
        guard let value, let tag = TagName(rawValue: name) else { return }
        switch tag {
        case .extM3U, .independentSegments, .endList, .iFramesOnly, .discontinuity, .gap:
            if value.withoutBlanks.isEmpty { replace("#" + name, "the colon after \(name) is removed") }
        case .inf: correctDuration(value)
        case _ where tag.hasAttributes:
            let list = AttributeListFixer(value, of: tag)
            guard !list.corrections.isEmpty else { return }
            text = "#\(name):\(list.text)"
            corrections += list.corrections
        case .programDateTime:
            let trimmed = value.withoutBlanks
            replace("#\(name):\(trimmed)", "spaces removed")
            replace("#\(name):\(Self.date(trimmed))", "the date has a T before the time")
        case .targetDuration:
            let trimmed = value.withoutBlanks
            replace("#\(name):\(trimmed)", "spaces removed")
            if UInt64(trimmed) == nil, let seconds = Double(trimmed), seconds > 0, seconds < 1e9 {
                replace("#\(name):\(UInt64(seconds.rounded(.up)))", "the Target Duration is an integer")
            }
        case .playlistType:
            let trimmed = value.withoutBlanks
            let known = NearMiss.name(trimmed, among: ["VOD", "EVENT"], maximumDistance: 0) ?? trimmed
            replace("#\(name):\(known)", "the playlist type is \(known)")
        default: replace("#\(name):\(value.withoutBlanks)", "spaces removed")
        }
    }

    /// Corrects the value of EXTINF: white space around the duration, a missing comma, and a title of white space.
    private mutating func correctDuration(_ value: String) {
        let comma = value.firstIndex(of: ",")
        let duration = value[..<(comma ?? value.endIndex)].withoutBlanks
        guard Self.isNumber(duration) else { return }
        let title = comma.map { String(value[value.index(after: $0)...]) } ?? ""
        if comma == nil { return replace("#EXTINF:\(duration),", "the comma after the duration is added") }
        let isBlank = title.unicodeScalars.allSatisfy { AttributeListFixer.isSpace($0) || $0 == "\r" }
        let clean = isBlank ? "" : title.replacing("\t", with: " ")
        if clean != title { replace("#EXTINF:\(duration),\(clean)", "white space after the comma removed") }
        replace("#EXTINF:\(duration),\(clean)", "spaces around the duration removed")
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } && Double(text) != nil
    }

    /// Returns the date with a `T` instead of a space before the time.
    static func date(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count > 11, scalars[10] == " ", PlaylistDate(text) != nil else { return text }
        return String(String.UnicodeScalarView(scalars[..<10] + ["T"] + scalars[11...]))
    }
}
