extension LintRule {
    /// The rules for the list of variants and for their bandwidths.
    static let variantListRules: [LintRule] = [
        LintRule(
            "no-variants",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a Multivariant Playlist should have variants",
            .multivariant { subject, findings in
                if subject.variants.isEmpty, !subject.file.isRefused(.streamInf) {
                    findings.report(
                        nil,
                        "the playlist has no EXT-X-STREAM-INF that clients can use, so they cannot play anything: "
                            + "add an EXT-X-STREAM-INF and a URI line for each variant"
                    )
                }
            }
        ),
        LintRule(
            "no-i-frame-variants",
            .note,
            .multivariant,
            section: "4.4.6.3",
            "a presentation with video should have I-frame playlists for trick play",
            .multivariant { subject, findings in
                let hasVideo = subject.variants.contains { variant, _ in
                    variant.resolution != nil || variant.codecs.contains { Codec.kind(of: $0) == .video }
                }
                if hasVideo, subject.iFrameVariants.isEmpty, !subject.file.isRefused(.iFrameStreamInf) {
                    findings.report(
                        nil,
                        "the playlist has video variants but no EXT-X-I-FRAME-STREAM-INF, so clients must load full "
                            + "segments for trick play: add an I-frame playlist"
                    )
                }
            }
        ),
        LintRule(
            "duplicate-variant",
            .warning,
            .multivariant,
            section: "6.2.4",
            "a variant should not be listed more than once",
            .multivariant { subject, findings in
                var seen: [VariantText: Int] = [:]
                for (variant, line) in subject.variants {
                    let text = VariantText(tag: line.text, uri: variant.uri)
                    if let first = seen[text] {
                        findings.report(
                            line,
                            "the variant with the URI \(MessageFormat.uri(variant.uri)) is the same as the "
                                + "variant on line \(first): remove one of the two"
                        )
                    } else {
                        seen[text] = line.number
                    }
                }
            }
        ),
        LintRule(
            "bandwidth-zero",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "BANDWIDTH must be greater than 0",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes
                where attributes.bandwidth == 0 && line.rawAttribute("BANDWIDTH") != nil {
                    findings.report(
                        line,
                        attribute: "BANDWIDTH",
                        "BANDWIDTH is 0, so clients treat the variant as the one with the lowest bit rate: write its "
                            + "peak segment bit rate in bits per second"
                    )
                }
            }
        ),
        LintRule(
            "average-bandwidth-above-peak",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "AVERAGE-BANDWIDTH should be at most BANDWIDTH",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    guard let average = attributes.averageBandwidth, average > attributes.bandwidth else { continue }
                    findings.report(
                        line,
                        attribute: "AVERAGE-BANDWIDTH",
                        "AVERAGE-BANDWIDTH=\(average) is more than the peak, BANDWIDTH=\(attributes.bandwidth): "
                            + "correct one of the two"
                    )
                }
            }
        ),
    ]
}

/// The text of a variant: its tag and its URI.
private struct VariantText: Hashable {
    let tag: String
    let uri: String
}
