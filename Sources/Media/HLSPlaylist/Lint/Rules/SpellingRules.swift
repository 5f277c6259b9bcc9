import TextCoding

extension LintRule {
    /// The rules for lines that are probably tags, but that clients ignore because of their spelling.
    static let spellingRules: [LintRule] = [
        LintRule(
            .misspelledTag,
            .warning,
            .any,
            section: "6.3.1",
            "the name of a tag should be spelled as in the draft",
            .playlist { findings in
                var known: [String: TagName?] = [:]
                for line in findings.file.lines {
                    guard let name = line.possibleTag else { continue }
                    let tag = known[name] ?? TagName.nearest(to: name)
                    known[name] = .some(tag)
                    guard let tag else { continue }
                    findings.report(
                        line,
                        "clients ignore \(ReadingContext.quoted(name)), which is not a tag: did you mean #\(tag.rawValue)?"
                    )
                }
            }
        ),
        LintRule(
            "daterange-class-misspelled",
            .warning,
            .media,
            section: "4.4.5.1",
            "the CLASS of a Date Range should be spelled as in the draft",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags {
                    guard let own = tag.rangeClass,
                        let known = Spelling.misspelled(own, of: DateRangeTag.definedClasses, limit: 3)
                    else { continue }
                    findings.report(
                        line,
                        attribute: "CLASS",
                        "clients ignore the CLASS \(ReadingContext.quoted(own)): did you mean "
                            + "\(ReadingContext.quoted(known))?"
                    )
                }
            }
        ),
        LintRule(
            "daterange-cue-misspelled",
            .warning,
            .media,
            section: "4.4.5.1",
            "the values of CUE should be spelled as in the draft",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags {
                    let wrong = tag.cue.lazy.map(\.rawValue).compactMap { value in
                        Spelling.misspelled(value, of: ["PRE", "POST", "ONCE"], limit: 1).map { (value, $0) }
                    }
                    guard let (value, known) = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: "CUE",
                        "clients ignore the value \(ReadingContext.quoted(value)) of CUE: did you mean \(known)?"
                    )
                }
            }
        ),
        LintRule(
            "daterange-attribute-misspelled",
            .warning,
            .media,
            section: "D.2",
            "the attributes of an interstitial or preload range should be spelled as in the draft",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags {
                    guard let attributes = tag.definedAttributes else { continue }
                    let wrong = tag.otherAttributes.lazy.compactMap { attribute in
                        misspelledAttribute(attribute.name, attributes).map { (attribute.name, $0) }
                    }
                    guard let (name, known) = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: name,
                        "the draft does not define \(name) for \(ReadingContext.quoted(tag.rangeClass ?? "")): did you "
                            + "mean \(known)?"
                    )
                }
            }
        ),
    ]

    private static func misspelledAttribute(_ name: String, _ attributes: [String]) -> String? {
        if let own = Spelling.misspelled(name, of: attributes, limit: name.utf8.count < 10 ? 1 : 2) { return own }
        // The X- of client-defined attributes before an attribute of the draft, as in X-CUE.
        let ranges = ["CLASS", "CUE", "DURATION", "END-DATE", "END-ON-NEXT", "PLANNED-DURATION", "START-DATE"]
        return name.hasPrefix("X-") ? ranges.first { $0 == name.dropFirst(2) } : nil
    }
}

extension RuleID {
    /// A tag is misspelled, so clients ignore it. The linter reports this instead of ``unknownTag``.
    static let misspelledTag: RuleID = "misspelled-tag"
}

extension DateRangeTag {
    /// The values of CLASS that the draft defines.
    fileprivate static let definedClasses = [Interstitial.rangeClass, "com.apple.hls.preload"]

    /// The attributes that the draft defines for the CLASS and that begin with X-; nil for other classes.
    fileprivate var definedAttributes: [String]? {
        switch rangeClass {
        case Interstitial.rangeClass:
            [
                "X-ASSET-URI", "X-ASSET-LIST", "X-RESUME-OFFSET", "X-PLAYOUT-LIMIT", "X-SNAP", "X-RESTRICT",
                "X-CONTENT-MAY-VARY", "X-TIMELINE-OCCUPIES", "X-TIMELINE-STYLE", "X-SKIP-CONTROL-OFFSET",
                "X-SKIP-CONTROL-DURATION", "X-SKIP-CONTROL-LABEL-ID",
            ]
        case "com.apple.hls.preload": ["X-URI", "X-TARGET-ID", "X-TARGET-CLASS"]
        default: nil
        }
    }
}

extension Spelling {
    /// Returns the known name of which a text is a misspelling: they differ in at most `limit` letters and digits,
    /// regardless of letter case and of all other characters. Returns nil for a known name and for all other texts.
    static func misspelled(_ text: String, of known: [String], limit: Int) -> String? {
        guard text.utf8.count <= 64, !known.contains(text) else { return nil }
        let own = simplified(text)
        let ranked = known.map { (name: $0, distance: distance(own, simplified($0))) }
        return ranked.min { $0.distance < $1.distance }.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// Returns the letters, in uppercase, and the digits of a text.
    static func simplified(_ text: some StringProtocol) -> String {
        String(
            decoding: text.utf8.compactMap { byte -> UInt8? in
                switch byte {
                case 0x30...0x39, 0x41...0x5A: byte
                case 0x61...0x7A: byte - 0x20
                default: nil
                }
            },
            as: UTF8.self
        )
    }
}

extension TagName {
    /// Returns the tag of which a name without `#` is a misspelling; nil if no tag is similar. Short names, which vendors'
    /// tags resemble more easily, may differ in one letter, longer names in two.
    static func nearest(to name: some StringProtocol) -> TagName? {
        // The tag of M3U files with albums.
        guard name.utf8.count <= 60, name != "EXTM3A" else { return nil }
        let own = Spelling.simplified(name)
        let limit = own.utf8.count < 12 ? 1 : 2
        var nearest: (tag: TagName, distance: Int)?
        for (tag, simple) in simpleNames where abs(simple.utf8.count - own.utf8.count) <= limit {
            let distance = Spelling.distance(own, simple)
            if distance <= limit, distance < nearest?.distance ?? .max { nearest = (tag, distance) }
        }
        return nearest?.tag
    }

    private static let simpleNames = allCases.map { ($0, Spelling.simplified($0.rawValue)) }
}

extension PlaylistLine {
    /// The name of the tag that a line without a tag of the draft may be intended to contain: the name of an unknown
    /// tag, of a tag in lowercase, which is a comment, and of a tag without `#`, which is a URI.
    fileprivate var possibleTag: String? {
        switch content {
        case .unknownTag(let name): name
        case .comment: Self.tagName(bytes.dropFirst())
        case .uri: Self.tagName(bytes)
        default: nil
        }
    }

    private static func tagName(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count > 4, bytes.prefix(3).elementsEqual("EXT".utf8, by: { $0 & 0xDF == $1 }) else { return nil }
        return String(decoding: bytes.prefix { $0 != 0x3A }.prefix(61), as: UTF8.self)
    }
}
