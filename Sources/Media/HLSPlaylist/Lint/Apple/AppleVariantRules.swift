extension LintRule {
    /// The rules for attributes that Apple requires, and for tags of the Multivariant Playlist.
    static let appleVariantRules: [LintRule] = [
        attributes(
            "apple-codecs-missing",
            .error,
            "9.1",
            "every variant and I-frame variant must have CODECS"
        ) { attributes in
            guard attributes.codecs.isEmpty else { return nil }
            return "CODECS is missing: write the formats of all renditions that the tag can be played with"
        },
        LintRule(
            "apple-resolution-missing",
            .error,
            .multivariant,
            section: "Apple 9.2",
            "every variant with video, and every I-frame variant, must have RESOLUTION",
            .multivariant { subject, findings in
                let iFrames = Set(subject.iFrameVariants.map(\.line.number))
                for (attributes, line) in subject.allAttributes where attributes.resolution == nil {
                    guard attributes.isVideo || iFrames.contains(line.number) else { continue }
                    findings.report(line, "RESOLUTION is missing: write the size in pixels, such as 1920x1080")
                }
            }
        ),
        variant(
            "apple-average-bandwidth-missing",
            .error,
            "9.14",
            "every variant must have AVERAGE-BANDWIDTH"
        ) { variant, _ in
            guard variant.attributes.averageBandwidth == nil else { return nil }
            return "AVERAGE-BANDWIDTH is missing, from which clients estimate what they can play: write the average "
                + "bit rate, in bits per second, with the largest rendition of each group"
        },
        multivariantPlaylist(
            "apple-independent-segments",
            .warning,
            "9.11",
            "the Multivariant Playlist should have EXT-X-INDEPENDENT-SEGMENTS",
            dependsOn: [.independentSegments]
        ) { subject in
            guard !subject.playlist.isIndependentSegments, !subject.variants.isEmpty else { return nil }
            return "EXT-X-INDEPENDENT-SEGMENTS is missing: add it if every segment starts with a key frame, which "
                + "switching requires"
        },
        LintRule(
            "apple-pathway-missing",
            .warning,
            .multivariant,
            section: "Apple 9.18",
            "EXT-X-CONTENT-STEERING should have PATHWAY-ID",
            .multivariant { subject, findings in
                guard let steering = subject.playlist.contentSteering, steering.pathwayID == nil else { return }
                findings.report(
                    subject.file.line(of: .contentSteering),
                    "PATHWAY-ID is missing, so clients start on any pathway: write the one to start with"
                )
            }
        ),
        LintRule(
            "apple-score-missing",
            .error,
            .multivariant,
            section: "Apple 9.19",
            "either all or none of the variants must have SCORE",
            scoreCheck
        ),
    ]
}
