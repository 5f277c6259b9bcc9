import TextCoding

extension LintRule {
    /// The rules for interstitials (appendix D) and preload ranges (appendix F).
    static let interstitialRules: [LintRule] = [
        LintRule(
            "interstitial-asset",
            .error,
            .media,
            section: "D.2",
            "an interstitial must have exactly one of X-ASSET-URI and X-ASSET-LIST",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.isInterstitial {
                    let hasBoth: Bool
                    switch (range.has("X-ASSET-URI"), range.has("X-ASSET-LIST")) {
                    case (true, true): hasBoth = true
                    case (false, false): hasBoth = false
                    default: continue
                    }
                    findings.report(
                        range.firstLine,
                        "the interstitial \(ReadingContext.quoted(range.id)) has \(hasBoth ? "both" : "neither") of "
                            + "X-ASSET-URI and X-ASSET-LIST: write exactly one of them"
                    )
                }
            }
        ),
        LintRule(
            "interstitial-asset-uri-relative",
            .error,
            .media,
            section: "D.2",
            "X-ASSET-URI must be an absolute URI",
            .media { subject, findings in
                for (tag, line) in subject.interstitialTags {
                    guard let uri = tag["X-ASSET-URI"], URIReference.scheme(of: uri) == nil else { continue }
                    findings.report(
                        line,
                        attribute: "X-ASSET-URI",
                        "X-ASSET-URI \(MessageFormat.uri(uri)) is not an absolute URI: write one that begins with "
                            + "https://"
                    )
                }
            }
        ),
        LintRule(
            "interstitial-attribute-type",
            .error,
            .media,
            section: "D.2",
            "the attributes of an interstitial must have the types that the draft defines",
            .media { subject, findings in
                for (tag, line) in subject.interstitialTags {
                    let wrong = tag.otherAttributes.lazy.compactMap { attribute in
                        expectation(attribute).map { (attribute.name, $0) }
                    }
                    guard let (name, expected) = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: name,
                        "\(name) of the interstitial \(ReadingContext.quoted(tag.id)) must be \(expected)"
                    )
                }
            }
        ),
        LintRule(
            "interstitial-value-unknown",
            .warning,
            .media,
            section: "D.2",
            "the attributes of an interstitial should have values that the draft defines",
            .media { subject, findings in
                let known = [
                    ("X-CONTENT-MAY-VARY", ["YES", "NO"]), ("X-TIMELINE-OCCUPIES", ["POINT", "RANGE"]),
                    ("X-TIMELINE-STYLE", ["HIGHLIGHT", "PRIMARY"]),
                ]
                let lists = [("X-SNAP", ["OUT", "IN"]), ("X-RESTRICT", ["SKIP", "JUMP"])]
                for (tag, line) in subject.interstitialTags {
                    if let (name, value, values) = unknown(tag, known, lists) {
                        let nearest = Spelling.nearest(value, in: values)
                        findings.report(
                            line,
                            attribute: name,
                            "\(name) is \(ReadingContext.quoted(value)), which is undefined, so clients ignore it: "
                                + (nearest.map { "did you mean \($0)?" } ?? "write \(values.joined(separator: " or "))")
                        )
                    }
                }
            }
        ),
        LintRule(
            "preload-range-incomplete",
            .error,
            .media,
            section: "F",
            "a preload range must have X-URI, X-TARGET-ID, X-TARGET-CLASS, and DURATION or END-DATE",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.isPreload {
                    var missing = ["X-URI", "X-TARGET-ID", "X-TARGET-CLASS"].filter { !range.has($0) }
                    if range.duration == nil, range.endDate == nil { missing.append("DURATION or END-DATE") }
                    guard !missing.isEmpty else { continue }
                    findings.report(
                        range.firstLine,
                        "the preload range \(ReadingContext.quoted(range.id)) has no "
                            + "\(missing.joined(separator: ", no ")): add it"
                    )
                }
            }
        ),
        LintRule(
            "preload-range-with-trigger",
            .error,
            .media,
            section: "F",
            "a preload range must have neither CUE nor END-ON-NEXT",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.isPreload {
                    for (tag, line) in range.tags where !tag.cue.isEmpty || tag.endsOnNext {
                        let name = tag.cue.isEmpty ? "END-ON-NEXT" : "CUE"
                        findings.report(
                            line,
                            attribute: name,
                            "the preload range \(ReadingContext.quoted(tag.id)) must not have \(name): remove it"
                        )
                    }
                }
            }
        ),
    ]

    /// Returns the first attribute with an undefined value, the value, and the defined values. `lists` are the attributes
    /// that contain several values, separated by commas.
    private static func unknown(
        _ tag: DateRangeTag,
        _ single: [(String, [String])],
        _ lists: [(String, [String])]
    ) -> (name: String, value: String, values: [String])? {
        for (name, values) in single + lists {
            guard let attribute = tag.otherAttributes.first(where: { $0.name == name }), attribute.isQuoted else {
                continue
            }
            let isList = lists.contains { $0.0 == name }
            let own = isList ? attribute.value.split(separator: ",").map(String.init) : [attribute.value]
            if let value = own.first(where: { !values.contains($0) }) { return (name, value, values) }
        }
        return nil
    }

    /// Returns the expected form of an interstitial's attribute; nil when the value has this form, or when the draft
    /// does not define the attribute.
    private static func expectation(_ attribute: Attribute) -> String? {
        switch attribute.name {
        case "X-RESUME-OFFSET": attribute.isSignedDecimal ? nil : "a decimal number without quotation marks"
        case "X-PLAYOUT-LIMIT":
            attribute.isDecimal ? nil : "a decimal number without a sign and without quotation marks"
        case "X-SKIP-CONTROL-OFFSET", "X-SKIP-CONTROL-DURATION":
            attribute.isInteger ? nil : "an integer number of seconds without quotation marks"
        case "X-ASSET-URI", "X-ASSET-LIST", "X-SNAP", "X-RESTRICT", "X-CONTENT-MAY-VARY", "X-TIMELINE-OCCUPIES",
            "X-TIMELINE-STYLE":
            attribute.isQuoted ? nil : "a quoted string"
        case "X-SKIP-CONTROL-LABEL-ID":
            attribute.isQuoted && isLabel(attribute.value)
                ? nil : "a quoted string of letters, hyphens and underscores"
        default: nil
        }
    }

    private static func isLabel(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}

extension DateRangeSubjects.Subject {
    fileprivate var isInterstitial: Bool { rangeClass == Interstitial.rangeClass }
    fileprivate var isPreload: Bool { rangeClass == "com.apple.hls.preload" }
}

extension MediaSubject {
    /// The EXT-X-DATERANGE tags of interstitials, with their lines.
    fileprivate var interstitialTags: some Sequence<(tag: DateRangeTag, line: PlaylistLine)> {
        dateRanges.all.lazy.filter(\.isInterstitial).flatMap(\.tags)
    }
}
