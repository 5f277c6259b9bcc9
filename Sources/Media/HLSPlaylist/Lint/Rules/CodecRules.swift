extension LintRule {
    /// CODECS and SUPPLEMENTAL-CODECS.
    static let codecRules: [LintRule] = [
        LintRule(
            "codecs-missing",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a variant has CODECS",
            .multivariant { subject, findings in
                for (variant, line) in subject.variants where variant.codecs.isEmpty {
                    findings.report(
                        line,
                        "CODECS is missing: clients learn only from the media whether they can play the variant; "
                            + "list the formats of all its renditions"
                    )
                }
            }
        ),
        LintRule(
            "codecs-malformed",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "every element of CODECS has the form of RFC 6381",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    let wrong = attributes.codecs.filter { !Codec.isWellFormed($0) }
                    guard let first = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: "CODECS",
                        "CODECS holds \(LintText.quoted(wrong)), which is no format of RFC 6381: \(advice(first))"
                    )
                }
            }
        ),
        LintRule(
            "codecs-incomplete",
            .error,
            .multivariant,
            section: "4.4.6.1.1",
            "CODECS lists the formats of the variant's audio and video",
            .multivariant { subject, findings in
                let audioGroups = Set(subject.renditions.filter { $0.tag.type == .audio }.map(\.tag.groupID))
                for (variant, line) in subject.variants where !variant.codecs.isEmpty {
                    let kinds = Set(variant.codecs.map { Codec.kind(of: $0) })
                    // A format that nobody here knows may be the one that is missed.
                    guard !kinds.contains(.unknown) else { continue }
                    var missing: [String] = []
                    if let audio = variant.audio, audioGroups.contains(audio), !kinds.contains(.audio) {
                        missing.append("no audio format, though AUDIO=\(ReadingContext.quoted(audio))")
                    }
                    if let resolution = variant.resolution, !kinds.contains(.video) {
                        missing.append("no video format, though RESOLUTION=\(resolution)")
                    }
                    guard !missing.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "CODECS",
                        "CODECS (\(LintText.quoted(variant.codecs))) has \(missing.joined(separator: " and ")): "
                            + "add what is missing, or players leave the track out"
                    )
                }
            }
        ),
        LintRule(
            "supplemental-codecs-malformed",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "every element of SUPPLEMENTAL-CODECS is a format and its brands",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    let wrong = attributes.supplementalCodecs.filter { !SupplementalCodec($0).isWellFormed }
                    guard !wrong.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "SUPPLEMENTAL-CODECS",
                        "SUPPLEMENTAL-CODECS holds \(LintText.quoted(wrong)), which is no format with brands of four "
                            + "characters: write elements such as \"dvh1.08.07/db4h\""
                    )
                }
            }
        ),
        LintRule(
            "supplemental-codecs-without-base",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "SUPPLEMENTAL-CODECS stands beside CODECS, which has the base layer",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    guard !attributes.supplementalCodecs.isEmpty, attributes.codecs.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "SUPPLEMENTAL-CODECS",
                        "SUPPLEMENTAL-CODECS (\(LintText.quoted(attributes.supplementalCodecs))) stands without "
                            + "CODECS: declare the base layer there"
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
