extension LintRule {
    /// The check of `score-missing`, and of the same rule with a higher severity in the profile `apple`.
    static let scoreCheck = Check.multivariant { subject, findings in
        guard let with = subject.variants.first(where: { $0.variant.score != nil }),
            let without = subject.variants.first(where: { $0.variant.score == nil })
        else { return }
        findings.report(
            without.line,
            "this variant has no SCORE, but the variant on line \(with.line.number) has one, so clients ignore "
                + "SCORE: add it to every variant"
        )
    }

    /// The rules for RESOLUTION, FRAME-RATE, SCORE, VIDEO-RANGE and REQ-VIDEO-LAYOUT.
    static let variantAttributeRules: [LintRule] = [
        LintRule(
            "resolution-missing",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "a variant with video should have RESOLUTION",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes where attributes.resolution == nil {
                    guard let video = attributes.codecs.first(where: { Codec.kind(of: $0) == .video }) else { continue }
                    findings.report(
                        line,
                        "CODECS has the video format \(ReadingContext.quoted(video)), but RESOLUTION is missing, so "
                            + "clients cannot choose a variant for the display: write the size in pixels"
                    )
                }
            }
        ),
        LintRule(
            "frame-rate-missing",
            .note,
            .multivariant,
            section: "4.4.6.2",
            "a variant with video should have FRAME-RATE",
            .multivariant { subject, findings in
                for (variant, line) in subject.variants where variant.frameRate == nil {
                    guard let resolution = variant.resolution else { continue }
                    findings.report(
                        line,
                        "the variant has RESOLUTION=\(resolution) but no FRAME-RATE: write the maximum frame rate "
                            + "in frames per second"
                    )
                }
            }
        ),
        LintRule(
            "frame-rate-zero",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "FRAME-RATE must be greater than 0",
            .multivariant { subject, findings in
                for (_, line) in subject.allAttributes {
                    // The reader may leave out a value that no video can have.
                    guard let text = line.unquotedAttribute("FRAME-RATE"), let rate = Double(text), rate == 0 else {
                        continue
                    }
                    findings.report(
                        line,
                        attribute: "FRAME-RATE",
                        "FRAME-RATE is 0: write the maximum frame rate in frames per second, or remove FRAME-RATE"
                    )
                }
            }
        ),
        LintRule(
            "score-not-positive",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "SCORE must be greater than 0",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes where attributes.score == 0 {
                    findings.report(line, attribute: "SCORE", "SCORE is 0: write a positive number, or remove SCORE")
                }
            }
        ),
        LintRule(
            "score-missing",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "either all or none of the variants should have SCORE",
            scoreCheck
        ),
        LintRule(
            "video-range-codec",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "VIDEO-RANGE should match the video formats in CODECS",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    guard let problem = rangeProblem(attributes) else { continue }
                    findings.report(line, attribute: "VIDEO-RANGE", problem)
                }
            }
        ),
        LintRule(
            "req-video-layout-syntax",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "REQ-VIDEO-LAYOUT must have no empty entries or specifiers, and at most one specifier per prefix in an "
                + "entry",
            .multivariant { subject, findings in
                for (_, line) in subject.allAttributes {
                    let problems = subject.file.listItems(ofAttribute: "REQ-VIDEO-LAYOUT", line).lazy
                        .compactMap(layoutProblem)
                    guard let problem = problems.first else { continue }
                    findings.report(line, attribute: "REQ-VIDEO-LAYOUT", "REQ-VIDEO-LAYOUT \(problem)")
                }
            }
        ),
        LintRule(
            "req-video-layout-unknown",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "REQ-VIDEO-LAYOUT should have only specifiers that the draft defines",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes {
                    let unknown = specifiers(attributes)
                        .filter { !$0.isEmpty && !VideoLayout.Specifier.defined.contains(.init(rawValue: $0)) }
                    guard !unknown.isEmpty else { continue }
                    findings.report(
                        line,
                        attribute: "REQ-VIDEO-LAYOUT",
                        "REQ-VIDEO-LAYOUT has \(LintText.quoted(unknown)), which the draft does not define, so clients "
                            + "ignore the variant: write CH-STEREO, CH-MONO or a PROJ- specifier of section 4.4.6.2"
                    )
                }
            }
        ),
        LintRule(
            "req-video-layout-unnecessary",
            .warning,
            .multivariant,
            section: "4.4.6.2",
            "REQ-VIDEO-LAYOUT should be absent if all of its specifiers are defaults",
            .multivariant { subject, findings in
                for (attributes, line) in subject.allAttributes where !attributes.requiredVideoLayout.isEmpty {
                    guard specifiers(attributes).allSatisfy({ $0 == "CH-MONO" || $0 == "PROJ-RECT" }) else { continue }
                    findings.report(
                        line,
                        attribute: "REQ-VIDEO-LAYOUT",
                        "REQ-VIDEO-LAYOUT has only the defaults CH-MONO and PROJ-RECT, and clients that do not support "
                            + "the attribute ignore the variant: remove it"
                    )
                }
            }
        ),
    ]

    private static func specifiers(_ attributes: VariantAttributes) -> [String] {
        attributes.requiredVideoLayout.flatMap { VideoLayout($0).specifiers.map(\.rawValue) }
    }

    private static func layoutProblem(_ entry: String) -> String? {
        let specifiers = VideoLayout(entry).specifiers.map(\.rawValue)
        if entry.isEmpty { return "has an empty entry: remove the needless comma" }
        if specifiers.contains("") {
            return "has an empty specifier in the entry \(ReadingContext.quoted(entry)): remove the needless slash"
        }
        for prefix in ["CH-", "PROJ-"] where specifiers.count(where: { $0.hasPrefix(prefix) }) > 1 {
            return "has two \(prefix) specifiers in the entry \(ReadingContext.quoted(entry)): write them as two "
                + "entries separated by a comma, or remove one"
        }
        return nil
    }

    private static func rangeProblem(_ attributes: VariantAttributes) -> String? {
        let codecs = attributes.codecs.filter { Codec.kind(of: $0) == .video }.map { Codec($0) }
        let isDefault = attributes.videoRange == nil
        let range = attributes.videoRange ?? .sdr
        if range != .pq, let dolby = codecs.first(where: isDolbyVisionProfile5) {
            return
                "CODECS has Dolby Vision profile 5 (\(ReadingContext.quoted(dolby.text))), which is PQ, but "
                + "VIDEO-RANGE is \(ReadingContext.quoted(range.rawValue))\(isDefault ? " by default" : ""): "
                + "write VIDEO-RANGE=PQ"
        }
        guard range == .pq || range == .hlg else { return nil }
        let video =
            (codecs + attributes.supplementalCodecs.map { SupplementalCodec($0).codec }).filter { $0.kind == .video }
        guard !video.isEmpty, video.allSatisfy({ $0.family == .h264 }) else { return nil }
        return "the variant has VIDEO-RANGE=\(range), but its only video format is H.264 "
            + "(\(LintText.quoted(video.map(\.text)))), which players show as SDR: correct VIDEO-RANGE or CODECS"
    }

    private static func isDolbyVisionProfile5(_ codec: Codec) -> Bool {
        ["dvh1", "dvhe"].contains(codec.sampleEntry.lowercased()) && codec.profile == 5
    }
}
