extension LintRule {
    /// The rules for STABLE-VARIANT-ID, STABLE-RENDITION-ID and PATHWAY-ID.
    static let identifierRules: [LintRule] = [
        LintRule(
            "stable-id-characters",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "stable IDs must contain only letters, digits and +/=.-_",
            .multivariant { subject, findings in
                func check(_ name: String, _ id: String?, _ line: PlaylistLine) {
                    guard let id, !LintText.isAlphanumeric(id, and: "+/=.-_") else { return }
                    findings.report(
                        line,
                        attribute: name,
                        "\(name) \(ReadingContext.quoted(id)) contains a character other than letters, digits and "
                            + "+/=.-_: choose another ID"
                    )
                }
                for (attributes, line) in subject.allAttributes {
                    check("STABLE-VARIANT-ID", attributes.stableVariantID, line)
                }
                for (tag, line) in subject.renditions { check("STABLE-RENDITION-ID", tag.stableRenditionID, line) }
            }
        ),
        LintRule(
            "stable-id-differs",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "all tags with the same URI should have the same stable ID",
            .multivariant { subject, findings in
                var variants = StableIDs()
                for (variant, line) in subject.variants {
                    if let other = variants.add(variant.uri, variant.stableVariantID, line) {
                        findings.report(
                            line,
                            attribute: "STABLE-VARIANT-ID",
                            message("STABLE-VARIANT-ID", variant.uri, variant.stableVariantID, other)
                        )
                    }
                }
                var renditions = StableIDs()
                for (tag, line) in subject.renditions {
                    if let uri = tag.uri, let other = renditions.add(uri, tag.stableRenditionID, line) {
                        findings.report(
                            line,
                            attribute: "STABLE-RENDITION-ID",
                            message("STABLE-RENDITION-ID", uri, tag.stableRenditionID, other)
                        )
                    }
                }
            }
        ),
        LintRule(
            "pathway-unknown",
            .error,
            .multivariant,
            section: "4.4.6.6",
            "the initial pathway must have variants",
            .multivariant { subject, findings in
                for line in subject.lines {
                    guard case .tag(.contentSteering(let steering)) = line.content, let pathway = steering.pathwayID,
                        !subject.file.isRefused(.streamInf),
                        !subject.variants.contains(where: { ($0.variant.pathwayID ?? ".") == pathway })
                    else { continue }
                    let known = Set(subject.variants.map { $0.variant.pathwayID ?? "." }).sorted()
                    let advice =
                        known.isEmpty ? "the playlist has no variants" : "the variants have \(LintText.quoted(known))"
                    findings.report(
                        line,
                        attribute: "PATHWAY-ID",
                        "no EXT-X-STREAM-INF has the PATHWAY-ID \(ReadingContext.quoted(pathway)); \(advice)"
                    )
                }
            }
        ),
        LintRule(
            "pathway-id-characters",
            .error,
            .multivariant,
            section: "7.2",
            "pathway IDs must contain only letters, digits, periods, hyphens and underscores",
            .multivariant { subject, findings in
                let steering = subject.lines.compactMap { line -> (String?, PlaylistLine)? in
                    if case .tag(.contentSteering(let tag)) = line.content { (tag.pathwayID, line) } else { nil }
                }
                for (pathway, line) in steering + subject.allAttributes.map({ ($0.attributes.pathwayID, $0.line) }) {
                    guard let pathway, !LintText.isAlphanumeric(pathway, and: ".-_") else { continue }
                    findings.report(
                        line,
                        attribute: "PATHWAY-ID",
                        "PATHWAY-ID \(ReadingContext.quoted(pathway)) contains a character other than letters, digits, "
                            + "periods, hyphens and underscores: choose another ID"
                    )
                }
            }
        ),
    ]

    private static func message(_ name: String, _ uri: String, _ id: String?, _ other: StableIDs.Use) -> String {
        func described(_ id: String?) -> String {
            id.map { "the \(name) \(ReadingContext.quoted($0))" } ?? "no \(name)"
        }
        return
            "the URI \(MessageFormat.uri(uri)) has \(described(id)) here and \(described(other.id)) on line "
            + "\(other.line): write the same ID in all tags with this URI"
    }
}

/// The stable IDs of the URIs so far.
private struct StableIDs {
    struct Use {
        let id: String?
        let line: Int
    }

    /// The first use of each URI, and the first use that has a different ID.
    private var uses: [String: (first: Use, other: Use?)] = [:]

    /// Adds a use, and returns an earlier use of the same URI with a different ID, if there is one.
    mutating func add(_ uri: String, _ id: String?, _ line: PlaylistLine) -> Use? {
        let use = Use(id: id, line: line.number)
        guard let known = uses[uri] else {
            uses[uri] = (use, nil)
            return nil
        }
        if known.first.id == id { return known.other }
        if known.other == nil { uses[uri] = (known.first, use) }
        return known.first
    }
}
