extension LintRule {
    /// Which variants there are, and their bandwidths.
    static let variantListRules: [LintRule] = [
        LintRule(
            "no-variants",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a Multivariant Playlist has variants",
            .multivariant { subject, findings in
                if subject.variants.isEmpty {
                    findings.report(
                        nil,
                        "the playlist has no EXT-X-STREAM-INF that clients can use, so nothing can be played: "
                            + "add one with a URI line for each variant"
                    )
                }
            }
        ),
        LintRule(
            "no-i-frame-variants",
            .note,
            .multivariant,
            section: "4.4.6.3",
            "video has I-frame playlists for trick play",
            .multivariant { subject, findings in
                let hasVideo = subject.variants.contains { variant, _ in
                    variant.resolution != nil || variant.codecs.contains { Codec.kind(of: $0) == .video }
                }
                if hasVideo, subject.iFrameVariants.isEmpty {
                    findings.report(
                        nil,
                        "there is video, but no EXT-X-I-FRAME-STREAM-INF: trick play has to fetch whole segments; "
                            + "add an I-frame playlist"
                    )
                }
            }
        ),
        LintRule(
            "variant-repeats",
            .warning,
            .multivariant,
            section: "6.2.4",
            "no variant stands twice",
            .multivariant { subject, findings in
                var seen: [VariantText: Int] = [:]
                for (variant, line) in subject.variants {
                    let text = VariantText(tag: line.text, uri: variant.uri)
                    if let first = seen[text] {
                        findings.report(
                            line,
                            "this is the variant of line \(first) again, with the URI "
                                + "\(ReadingContext.quoted(variant.uri)): remove one of the two"
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
            "BANDWIDTH is more than 0",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes where attributes.bandwidth == 0 {
                    findings.report(
                        line,
                        attribute: "BANDWIDTH",
                        "BANDWIDTH is 0, by which clients take the variant for the cheapest: write its peak "
                            + "bits per second"
                    )
                }
            }
        ),
        LintRule(
            "average-bandwidth-above-peak",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "AVERAGE-BANDWIDTH is at most BANDWIDTH",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    guard let average = attributes.averageBandwidth, average > attributes.bandwidth else { continue }
                    findings.report(
                        line,
                        attribute: "AVERAGE-BANDWIDTH",
                        "AVERAGE-BANDWIDTH=\(average) is above the peak, BANDWIDTH=\(attributes.bandwidth): "
                            + "one of the two is wrong"
                    )
                }
            }
        ),
    ]
}

/// A variant as it is written.
private struct VariantText: Hashable {
    let tag: String
    let uri: String
}
