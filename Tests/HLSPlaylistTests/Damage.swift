import Testing

/// A violation of the format that players forgive, applied to one line of a playlist or to the whole playlist.
struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the damaged forms of a line; empty if the line cannot have the damage.
    let apply: @Sendable (String) -> [String]

    var testDescription: String { name }

    init(_ name: String, _ apply: @escaping @Sendable (String) -> [String]) {
        self.name = name
        self.apply = apply
    }

    /// Creates a damage of attribute lists.
    init(attributes name: String, _ apply: @escaping @Sendable ([DamagedAttribute]) -> [[DamagedAttribute]]) {
        self.init(name) { line in
            guard let list = DamagedList(line) else { return [] }
            return apply(list.attributes).map { list.tag + ":" + $0.map(\.text).joined(separator: ",") }
        }
    }
}

/// One element of an attribute list.
struct DamagedAttribute {
    let name: String
    var value: String
    var text: String

    init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
        text = name + "=" + value
    }

    /// A text that is not an attribute.
    init(text: String) {
        (name, value) = ("", "")
        self.text = text
    }

    var isQuoted: Bool { value.hasPrefix("\"") }
}

/// A tag with an attribute list.
struct DamagedList {
    let tag: String
    private(set) var attributes: [DamagedAttribute] = []

    /// Splits a line; nil for other lines.
    init?(_ line: String) {
        guard line.hasPrefix("#EXT-X-"), let colon = line.firstIndex(of: ":") else { return nil }
        tag = String(line[..<colon])
        guard Self.tags.contains(tag) else { return nil }
        var element = ""
        var isQuoted = false
        for character in line[line.index(after: colon)...] + "," {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                guard let equals = element.firstIndex(of: "=") else { return nil }
                attributes.append(
                    DamagedAttribute(String(element[..<equals]), String(element[element.index(after: equals)...]))
                )
                element = ""
            } else {
                element.append(character)
            }
        }
    }

    private static let tags = Set(
        [
            "START", "DEFINE", "PART-INF", "SERVER-CONTROL", "KEY", "MAP", "PART", "DATERANGE", "SKIP", "PRELOAD-HINT",
            "RENDITION-REPORT", "MEDIA", "STREAM-INF", "I-FRAME-STREAM-INF", "SESSION-DATA", "SESSION-KEY",
            "CONTENT-STEERING",
        ].map { "#EXT-X-" + $0 }
    )
}

extension Damage {
    /// The damages of single lines.
    static let ofLines: [Damage] = [
        Damage("a space before the line") { isComment($0) ? [] : [" " + $0] },
        Damage("a space after the line") { isText($0) ? [] : [$0 + " "] },
        Damage("a tab after the line") { isText($0) ? [] : [$0 + "\t"] },
        Damage("a line of spaces before the line") { ["  \n" + $0] },
        Damage("a space before the value") { line in
            guard line.hasPrefix("#EXT"), let colon = line.firstIndex(of: ":"), hasValue(line) else { return [] }
            return [line[...colon] + " " + line[line.index(after: colon)...]].map { String($0) }
        },
        Damage("a value of a tag without value") { valueless.contains($0) ? [$0 + ":", $0 + ":YES"] : [] },
        Damage("a fraction of an integer") { line in
            integers.contains { line.hasPrefix($0 + ":") } && line.last?.isNumber == true ? [line + ".0"] : []
        },
        Damage("EXTINF with a tab after its comma, with a space before it, or without it") { line in
            guard line.hasPrefix("#EXTINF:"), line.hasSuffix(","), line.count(where: { $0 == "," }) == 1 else {
                return []
            }
            return [line + "\t", String(line.dropLast()), String(line.dropLast()) + " ,"]
        },
        Damage(attributes: "white space next to a comma") { list in
            list.indices.flatMap { index in
                [" ", "\t"].flatMap { blank in
                    [change(list, index) { $0 = blank + $0 }, change(list, index) { $0 += blank }]
                }
            }
        },
        Damage(attributes: "white space next to an equals sign") { list in
            list.indices.map { index in
                change(list, index) { $0 = list[index].name + " = " + list[index].value }
            }
        },
        Damage(attributes: "needless commas") { list in
            (0...list.count).map { inserting("", in: list, at: $0) }
        },
        Damage(attributes: "attributes with other names") { list in
            (0...list.count).flatMap { index in
                ["_AVG-BANDWIDTH=1", "bandwidth=1", "Name=\"a,b\"", "NOTHING", "=1"].map {
                    inserting($0, in: list, at: index)
                }
            }
        },
        Damage(attributes: "a second value of an attribute") { list in
            list.map { list + [DamagedAttribute($0.name, $0.isQuoted ? "\"other\"" : "1")] }
        },
        Damage(attributes: "quotation marks around a value that has none") { list in
            list.indices.filter { unquoted.contains(list[$0].name) && !list[$0].isQuoted }.map { index in
                change(list, index) { $0 = "\(list[index].name)=\"\(list[index].value)\"" }
            }
        },
        Damage(attributes: "a quoted string without quotation marks") { list in
            list.indices.filter { isPlain(list[$0]) }.map { index in
                change(list, index) { $0 = "\(list[index].name)=\(list[index].value.filter { $0 != "\"" })" }
            }
        },
        Damage(attributes: "a missing quotation mark at the end of the line") { list in
            guard let last = list.last, isPlain(last) else { return [] }
            return [change(list, list.count - 1) { $0.removeLast() }]
        },
        Damage(attributes: "spaces in CODECS") { list in
            list.indices.filter { list[$0].name == "CODECS" && list[$0].value.contains(",") }.flatMap { index in
                [", ", " ,", ",,"].map { comma in
                    change(list, index) { $0 = "CODECS=" + list[index].value.replacing(",", with: comma) }
                }
            }
        },
    ]

    /// The damages of whole playlists.
    static let ofPlaylists: [Damage] = [
        Damage("a byte order mark") { ["\u{FEFF}" + $0] },
        Damage("lines that end with CR LF") { [$0.replacing("\n", with: "\r\n")] },
        Damage("lines that end with CR") { [$0.replacing("\n", with: "\r")] },
        Damage("lines that end with CR CR LF") { [$0.replacing("\n", with: "\r\r\n")] },
        Damage("blank lines at the start") { ["\n\n" + $0] },
    ]

    private static let valueless: Set<String> = [
        "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-ENDLIST", "#EXT-X-I-FRAMES-ONLY", "#EXT-X-DISCONTINUITY", "#EXT-X-GAP",
    ]

    private static let integers = [
        "#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-DISCONTINUITY-SEQUENCE",
        "#EXT-X-BITRATE",
    ]

    private static let unquoted: Set<String> = [
        "BANDWIDTH", "AVERAGE-BANDWIDTH", "SCORE", "RESOLUTION", "FRAME-RATE", "HDCP-LEVEL", "VIDEO-RANGE", "METHOD",
        "IV", "TYPE", "DEFAULT", "AUTOSELECT", "FORCED", "BIT-DEPTH", "SAMPLE-RATE", "TIME-OFFSET", "PRECISE",
        "PART-TARGET", "DURATION", "PLANNED-DURATION", "INDEPENDENT", "GAP", "CAN-SKIP-UNTIL", "CAN-SKIP-DATERANGES",
        "HOLD-BACK", "PART-HOLD-BACK", "CAN-BLOCK-RELOAD", "SKIPPED-SEGMENTS", "BYTERANGE-START", "BYTERANGE-LENGTH",
        "LAST-MSN", "LAST-PART", "SCTE35-CMD", "SCTE35-OUT", "SCTE35-IN", "END-ON-NEXT", "FORMAT",
    ]

    private static let quoted: Set<String> = [
        "CODECS", "SUPPLEMENTAL-CODECS", "ALLOWED-CPC", "REQ-VIDEO-LAYOUT", "STABLE-VARIANT-ID", "AUDIO", "VIDEO",
        "SUBTITLES", "PATHWAY-ID", "URI", "GROUP-ID", "LANGUAGE", "ASSOC-LANGUAGE", "NAME", "STABLE-RENDITION-ID",
        "INSTREAM-ID", "CHARACTERISTICS", "CHANNELS", "KEYFORMAT", "KEYFORMATVERSIONS", "BYTERANGE", "ID", "CLASS",
        "START-DATE", "END-DATE", "CUE", "DATA-ID", "VALUE", "SERVER-URI", "IMPORT", "QUERYPARAM",
    ]

    /// Returns whether an attribute has a known quoted string that can be written without quotation marks.
    private static func isPlain(_ attribute: DamagedAttribute) -> Bool {
        let text = attribute.value.dropFirst().dropLast()
        return attribute.isQuoted && quoted.contains(attribute.name) && !text.isEmpty
            && !text.contains { $0 == "," || $0 == "\t" } && text.first != " " && text.last != " "
    }

    private static func isComment(_ line: String) -> Bool { line.hasPrefix("#") && !line.hasPrefix("#EXT") }

    /// Returns whether the line ends with free text.
    private static func isText(_ line: String) -> Bool { isComment(line) || line.hasPrefix("#EXTINF:") }

    private static func hasValue(_ line: String) -> Bool {
        DamagedList(line) != nil || line.hasPrefix("#EXTINF:") || line.hasPrefix("#EXT-X-PROGRAM-DATE-TIME:")
            || line.hasPrefix("#EXT-X-BYTERANGE:") || line.hasPrefix("#EXT-X-PLAYLIST-TYPE:")
            || integers.contains { line.hasPrefix($0 + ":") }
    }

    private static func change(
        _ list: [DamagedAttribute],
        _ index: Int,
        _ body: (inout String) -> Void
    ) -> [DamagedAttribute] {
        var list = list
        body(&list[index].text)
        return list
    }

    private static func inserting(_ text: String, in list: [DamagedAttribute], at index: Int) -> [DamagedAttribute] {
        var list = list
        list.insert(DamagedAttribute(text: text), at: index)
        return list
    }
}
