extension LintRule {
    /// Interstitials (appendix D) and preload ranges (appendix F).
    static let interstitialRules: [LintRule] = [
        LintRule(
            "interstitial-asset",
            .error,
            .media,
            section: "D.2",
            "an interstitial has one of X-ASSET-URI and X-ASSET-LIST",
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
                            + "X-ASSET-URI and X-ASSET-LIST; it must have one"
                    )
                }
            }
        ),
        LintRule(
            "interstitial-asset-uri-relative",
            .error,
            .media,
            section: "D.2",
            "X-ASSET-URI is absolute",
            .media { subject, findings in
                for (tag, line) in subject.interstitialTags {
                    guard let uri = tag["X-ASSET-URI"], URIReference.scheme(of: uri) == nil else { continue }
                    findings.report(
                        line,
                        attribute: "X-ASSET-URI",
                        "X-ASSET-URI \(ReadingContext.quoted(uri)) must be absolute; begin it with https://"
                    )
                }
            }
        ),
        LintRule(
            "interstitial-attribute-type",
            .error,
            .media,
            section: "D.2",
            "the attributes of an interstitial have the form of their definitions",
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
            "the attributes of an interstitial have defined values",
            .media { subject, findings in
                let known = [
                    ("X-CONTENT-MAY-VARY", ["YES", "NO"]), ("X-TIMELINE-OCCUPIES", ["POINT", "RANGE"]),
                    ("X-TIMELINE-STYLE", ["HIGHLIGHT", "PRIMARY"]),
                ]
                for (tag, line) in subject.interstitialTags {
                    let wrong = known.first { name, values in
                        tag.otherAttributes.contains { $0.name == name && $0.isQuoted && !values.contains($0.value) }
                    }
                    guard let (name, values) = wrong else { continue }
                    findings.report(
                        line,
                        attribute: name,
                        "\(name) is \(ReadingContext.quoted(tag[name] ?? "")), and clients take the default; it is "
                            + values.joined(separator: " or ")
                    )
                }
            }
        ),
        LintRule(
            "preload-range-incomplete",
            .error,
            .media,
            section: "F",
            "a preload range has X-URI, X-TARGET-ID, X-TARGET-CLASS and an end",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.isPreload {
                    var missing = ["X-URI", "X-TARGET-ID", "X-TARGET-CLASS"].filter { !range.has($0) }
                    if range.duration == nil, range.endDate == nil { missing.append("DURATION or END-DATE") }
                    guard !missing.isEmpty else { continue }
                    findings.report(
                        range.firstLine,
                        "the preload range \(ReadingContext.quoted(range.id)) lacks \(missing.joined(separator: ", "))"
                    )
                }
            }
        ),
        LintRule(
            "preload-range-with-trigger",
            .error,
            .media,
            section: "F",
            "a preload range has neither CUE nor END-ON-NEXT",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.isPreload {
                    for (tag, line) in range.tags where !tag.cue.isEmpty || tag.endsOnNext {
                        let name = tag.cue.isEmpty ? "END-ON-NEXT" : "CUE"
                        findings.report(
                            line,
                            attribute: name,
                            "the preload range \(ReadingContext.quoted(tag.id)) must not have \(name)"
                        )
                    }
                }
            }
        ),
    ]

    /// What an attribute of an interstitial should be; nil when it is that, or not one of the draft's.
    private static func expectation(_ attribute: Attribute) -> String? {
        switch attribute.name {
        case "X-RESUME-OFFSET": attribute.isSignedDecimal ? nil : "a decimal number without quotation marks"
        case "X-PLAYOUT-LIMIT": attribute.isDecimal ? nil : "a decimal number without sign and quotation marks"
        case "X-SKIP-CONTROL-OFFSET", "X-SKIP-CONTROL-DURATION":
            attribute.isInteger ? nil : "a whole number of seconds without quotation marks"
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
