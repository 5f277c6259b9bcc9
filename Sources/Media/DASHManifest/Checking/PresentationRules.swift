extension MPDRule {
    /// The rules for the presentation, its Periods, AdaptationSets and Representations.
    static let presentationRules: [MPDRule] = [
        MPDRule("mpd-without-period", .error, section: "5.3.2", "a manifest must have a Period") { manifest, findings in
            if manifest.periods.isEmpty { findings.add("MPD", "the manifest has no Period: add one") }
        },
        MPDRule(
            "duration-missing",
            .error,
            section: "5.3.1.2",
            "a static manifest must have mediaPresentationDuration, or a duration of its last Period"
        ) { manifest, findings in
            guard manifest.type == "static", manifest.duration == nil, manifest.periods.last?.duration == nil else {
                return
            }
            findings.add(
                "MPD",
                "the manifest has no mediaPresentationDuration, and its last Period has no duration: add one of them"
            )
        },
        MPDRule(
            "period-order",
            .error,
            section: "5.3.2.1",
            "Periods must be in the order of their start times"
        ) { manifest, findings in
            let starts = manifest.periodStarts
            for index in starts.indices.dropFirst() {
                guard let before = starts[index - 1], let start = starts[index], start <= before else { continue }
                findings.add(
                    manifest.location(ofPeriod: index),
                    "the Period starts at \(start), which is not after the start of the preceding Period, \(before)"
                )
            }
        },
        MPDRule(
            "period-overlap",
            .error,
            section: "5.3.2.1",
            "a Period must not end after the start of the next Period"
        ) {
            manifest,
            findings in
            let starts = manifest.periodStarts
            for index in starts.indices.dropFirst() {
                guard let before = starts[index - 1], let start = starts[index],
                    let duration = manifest.periods[index - 1].duration,
                    before.microseconds &+ duration.microseconds > start.microseconds
                else { continue }
                findings.add(
                    manifest.location(ofPeriod: index),
                    "the Period starts at \(start), before the end of the preceding Period: correct start or duration"
                )
            }
        },
        MPDRule("duplicate-period-id", .error, section: "5.3.2.2", "ids of Periods must be unique") {
            manifest,
            findings in
            for id in duplicates(manifest.periods.compactMap(\.id)) {
                findings.add(
                    "Period \(id)",
                    "more than one Period has this id"
                )
            }
        },
        MPDRule("duplicate-set-id", .error, section: "5.3.3.2", "ids of AdaptationSets must be unique within a Period")
        {
            manifest,
            findings in
            for (index, period) in manifest.periods.enumerated() {
                for id in duplicates(period.adaptationSets.compactMap(\.id)) {
                    findings.add(
                        "\(manifest.location(ofPeriod: index)), AdaptationSet \(id)",
                        "more than one AdaptationSet has this id"
                    )
                }
            }
        },
        MPDRule(
            "duplicate-representation-id",
            .error,
            section: "5.3.5.2",
            "ids of Representations must be unique within a Period"
        ) { manifest, findings in
            for (index, period) in manifest.periods.enumerated() {
                for id in duplicates(period.adaptationSets.flatMap { $0.representations.map(\.id) }) {
                    findings.add(
                        "\(manifest.location(ofPeriod: index)), Representation \(id)",
                        "more than one Representation has this id"
                    )
                }
            }
        },
        MPDRule(
            "representation-id-space",
            .error,
            section: "5.3.5.2",
            "ids of Representations must not contain white space"
        ) {
            manifest,
            findings in
            for subject in manifest.representations where subject.representation.id.contains(where: \.isWhitespace) {
                findings.add(subject.location, "the id contains white space: remove the white space")
            }
        },
        MPDRule("set-empty", .error, section: "5.3.3.1", "an AdaptationSet must have a Representation") {
            manifest,
            findings in
            for subject in manifest.sets where subject.set.representations.isEmpty {
                findings.add(subject.location, "the set has no Representation: add one, or remove the set")
            }
        },
        MPDRule(
            "mime-type-missing",
            .error,
            section: "5.3.7.2",
            "a Representation or its AdaptationSet must have mimeType"
        ) {
            manifest,
            findings in
            for subject in manifest.representations where subject.mimeType == nil {
                findings.add(
                    subject.location,
                    "neither the Representation nor its AdaptationSet has mimeType: add it to one of them"
                )
            }
        },
        MPDRule(
            "codecs-missing",
            .warning,
            section: "5.3.7.2",
            "Representations of audio and video should have codecs"
        ) {
            manifest,
            findings in
            for subject in manifest.representations
            where subject.codecs == nil && subject.mimeType?.hasSuffix("/mp4") == true {
                findings.add(
                    subject.location,
                    "codecs is missing, so a browser cannot determine whether it supports "
                        + "the Representation: add codecs"
                )
            }
        },
        MPDRule(
            "codecs-mixed",
            .warning,
            section: "IOP",
            "Representations of a set should have codecs of the same family"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                let families = Set(
                    subject.set.representations.compactMap { ($0.codecs ?? subject.set.codecs)?.prefix(4) }
                )
                guard families.count > 1 else { continue }
                let names = families.sorted().joined(separator: ", ")
                findings.add(
                    subject.location,
                    "the set has the codecs \(names), between which players cannot switch: "
                        + "write an AdaptationSet for each"
                )
            }
        },
        MPDRule(
            "bandwidth-zero",
            .error,
            section: "5.3.5.2",
            "bandwidth must be greater than 0"
        ) { manifest, findings in
            for subject in manifest.representations where subject.representation.bandwidth == 0 {
                findings.add(
                    subject.location,
                    "bandwidth is 0, so players cannot select by bandwidth: write bits per second"
                )
            }
        },
        MPDRule(
            "resolution-missing",
            .warning,
            section: "IOP",
            "Representations of video should have width and height"
        ) {
            manifest,
            findings in
            for subject in manifest.representations where subject.mimeType?.hasPrefix("video/") == true {
                let representation = subject.representation
                guard representation.width == nil || representation.height == nil else { continue }
                findings.add(subject.location, "width or height is missing: write the size in pixels")
            }
        },
        MPDRule(
            "language-malformed",
            .warning,
            section: "5.3.3.2",
            "lang should be a BCP 47 language tag"
        ) { manifest, findings in
            for subject in manifest.sets {
                guard let language = subject.set.language else { continue }
                let parts = language.split(separator: "-", omittingEmptySubsequences: false)
                let isWellFormed = parts.allSatisfy { part in
                    (1...8).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
                }
                guard !isWellFormed || !(2...8).contains(parts.first?.utf8.count ?? 0) else { continue }
                findings.add(subject.location, "lang is not a language tag: write one such as en or pt-BR")
            }
        },
        MPDRule(
            "role-unknown",
            .warning,
            section: "5.8.5.5",
            "roles of urn:mpeg:dash:role:2011 should be those that the standard defines"
        ) {
            manifest,
            findings in
            let known: Set = [
                "caption", "subtitle", "main", "alternate", "supplementary", "commentary", "dub", "description", "sign",
                "metadata", "enhanced-audio-intelligibility", "emergency", "forced-subtitle", "easyreader", "karaoke",
            ]
            for subject in manifest.sets {
                for role in subject.set.roles + subject.set.accessibility where role.scheme == Descriptor.roleScheme {
                    guard let value = role.value, known.contains(value) else {
                        findings.add(
                            subject.location,
                            "the role \(role.value ?? "without a value") is not defined in "
                                + "the standard: write one such as main or alternate"
                        )
                        continue
                    }
                }
            }
        },
        MPDRule(
            "alignment-missing",
            .warning,
            section: "5.3.3.2",
            "a set of several Representations should declare that their segments are aligned"
        ) { manifest, findings in
            for subject in manifest.sets where subject.set.representations.count > 1 {
                guard !subject.set.hasAlignedSegments, !subject.set.hasAlignedSubsegments else { continue }
                findings.add(
                    subject.location,
                    "the set has neither segmentAlignment nor subsegmentAlignment, so "
                        + "players do not switch: add one of them"
                )
            }
        },
    ]
}
