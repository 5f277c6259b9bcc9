extension LintRule {
    /// The rules for CODECS and SUPPLEMENTAL-CODECS.
    static let codecRules: [LintRule] = [
        LintRule(
            "codecs-missing",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a variant should have CODECS",
            .multivariant { subject, findings in
                for (variant, line) in subject.variants where variant.codecs.isEmpty {
                    findings.report(
                        line,
                        "CODECS is missing, so clients must load media to find out whether they can play the variant: "
                            + "add CODECS with the formats of all renditions of the variant"
                    )
                }
            }
        ),
        LintRule(
            "codecs-malformed",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "every element of CODECS must have the form of RFC 6381",
            .multivariant { subject, findings in
                for (_, line) in subject.allAttributes {
                    let wrong = subject.file.listItems(ofAttribute: "CODECS", line).filter { !Codec.isWellFormed($0) }
                    guard let first = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: "CODECS",
                        "CODECS contains \(LintText.quoted(wrong)), which is not a format of RFC 6381: \(advice(first))"
                    )
                }
            }
        ),
        LintRule(
            "codecs-incomplete",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "CODECS must list the formats of the variant's audio and video",
            .multivariant { subject, findings in
                let audioGroups = Set(subject.renditions.filter { $0.tag.type == .audio }.map(\.tag.groupID))
                for (variant, line) in subject.variants where !variant.codecs.isEmpty {
                    let kinds = Set(variant.codecs.map { Codec.kind(of: $0) })
                    // An unknown format may be the one that seems to be missing.
                    guard !kinds.contains(.unknown) else { continue }
                    var missing: [String] = []
                    if let audio = variant.audio, audioGroups.contains(audio), !kinds.contains(.audio) {
                        missing.append(
                            "no audio format, although the variant has AUDIO=\(ReadingContext.quoted(audio))"
                        )
                    }
                    if let resolution = variant.resolution, !kinds.contains(.video) {
                        missing.append("no video format, although the variant has RESOLUTION=\(resolution)")
                    }
                    guard !missing.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "CODECS",
                        "CODECS (\(LintText.quoted(variant.codecs))) has \(missing.joined(separator: " and ")): "
                            + "add the missing format, because players may not play the track otherwise"
                    )
                }
            }
        ),
        LintRule(
            "supplemental-codecs-malformed",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "every element of SUPPLEMENTAL-CODECS must be a format and its compatibility brands",
            .multivariant { subject, findings in
                for (_, line) in subject.allAttributes {
                    let wrong = subject.file.listItems(ofAttribute: "SUPPLEMENTAL-CODECS", line)
                        .filter { !SupplementalCodec($0).isWellFormed }
                    guard !wrong.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "SUPPLEMENTAL-CODECS",
                        "SUPPLEMENTAL-CODECS contains \(LintText.quoted(wrong)), which is not a format with brands of "
                            + "four characters: write elements such as \"dvh1.08.07/db4h\""
                    )
                }
            }
        ),
        LintRule(
            "supplemental-codecs-without-base",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "a tag with SUPPLEMENTAL-CODECS must also have CODECS, which declares the base layer",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    guard !attributes.supplementalCodecs.isEmpty, attributes.codecs.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "SUPPLEMENTAL-CODECS",
                        "the tag has SUPPLEMENTAL-CODECS (\(LintText.quoted(attributes.supplementalCodecs))) but no "
                            + "CODECS: add CODECS with the format of the base layer"
                    )
                }
            }
        ),
    ]

    private static func advice(_ element: String) -> String {
        if element.isEmpty { return "remove the needless comma" }
        if element.hasPrefix(" ") || element.hasSuffix(" ") { return "remove the spaces around the commas" }
        return "write formats such as \"avc1.640028\""
    }
}
