extension MPDRule {
    /// The presentation, its periods, sets and representations.
    static let presentationRules: [MPDRule] = [
        MPDRule("mpd-without-period", .error, section: "5.3.2", "a manifest has a Period") { manifest, findings in
            if manifest.periods.isEmpty { findings.add("MPD", "it has no Period, so that there is nothing to play") }
        },
        MPDRule(
            "duration-missing",
            .error,
            section: "5.3.1.2",
            "a static manifest says how long it is: mediaPresentationDuration, or the last Period's duration"
        ) { manifest, findings in
            guard manifest.type == "static", manifest.duration == nil, manifest.periods.last?.duration == nil else {
                return
            }
            findings.add(
                "MPD",
                "it has no mediaPresentationDuration, and its last Period no duration: give one of them"
            )
        },
        MPDRule("period-order", .error, section: "5.3.2.1", "Periods begin one after the other") { manifest, findings in
            let starts = manifest.periodStarts
            for index in starts.indices.dropFirst() {
                guard let before = starts[index - 1], let start = starts[index], start <= before else { continue }
                findings.add(
                    manifest.place(ofPeriod: index),
                    "it begins at \(start), not after the one before: \(before)"
                )
            }
        },
        MPDRule("period-overlap", .error, section: "5.3.2.1", "a Period ends where the next one begins, or before") {
            manifest,
            findings in
            let starts = manifest.periodStarts
            for index in starts.indices.dropFirst() {
                guard let before = starts[index - 1], let start = starts[index],
                    let duration = manifest.periods[index - 1].duration,
                    before.microseconds &+ duration.microseconds > start.microseconds
                else { continue }
                findings.add(manifest.place(ofPeriod: index), "it begins at \(start), before the end of the one before")
            }
        },
        MPDRule("period-id-twice", .error, section: "5.3.2.2", "ids of Periods are different") { manifest, findings in
            for id in repeated(manifest.periods.compactMap(\.id)) { findings.add("Period \(id)", "two have this id") }
        },
        MPDRule("set-id-twice", .error, section: "5.3.3.2", "ids of AdaptationSets in a Period are different") {
            manifest,
            findings in
            for (index, period) in manifest.periods.enumerated() {
                for id in repeated(period.adaptationSets.compactMap(\.id)) {
                    findings.add("\(manifest.place(ofPeriod: index)), AdaptationSet \(id)", "two have this id")
                }
            }
        },
        MPDRule(
            "representation-id-twice",
            .error,
            section: "5.3.5.2",
            "ids of Representations in a Period are different"
        ) { manifest, findings in
            for (index, period) in manifest.periods.enumerated() {
                for id in repeated(period.adaptationSets.flatMap { $0.representations.map(\.id) }) {
                    findings.add("\(manifest.place(ofPeriod: index)), Representation \(id)", "two have this id")
                }
            }
        },
        MPDRule("representation-id-space", .error, section: "5.3.5.2", "ids of Representations have no white space") {
            manifest,
            findings in
            for subject in manifest.representations where subject.representation.id.contains(where: \.isWhitespace) {
                findings.add(subject.place, "its id has white space")
            }
        },
        MPDRule("set-empty", .error, section: "5.3.3.1", "an AdaptationSet has a Representation") {
            manifest,
            findings in
            for subject in manifest.sets where subject.set.representations.isEmpty {
                findings.add(subject.place, "it has no Representation: leave it out")
            }
        },
        MPDRule("mime-type-missing", .error, section: "5.3.7.2", "a Representation has a mimeType, or its set has") {
            manifest,
            findings in
            for subject in manifest.representations where subject.mimeType == nil {
                findings.add(subject.place, "neither it nor its set has a mimeType")
            }
        },
        MPDRule("codecs-missing", .warning, section: "5.3.7.2", "Representations of audio and video have codecs") {
            manifest,
            findings in
            for subject in manifest.representations
            where subject.codecs == nil && subject.mimeType?.hasSuffix("/mp4") == true {
                findings.add(subject.place, "without codecs a browser cannot know whether it plays this")
            }
        },
        MPDRule("codecs-mixed", .warning, section: "IOP", "Representations of a set have codecs of one family") {
            manifest,
            findings in
            for subject in manifest.sets {
                let families = Set(
                    subject.set.representations.compactMap { ($0.codecs ?? subject.set.codecs)?.prefix(4) }
                )
                guard families.count > 1 else { continue }
                let names = families.sorted().joined(separator: ", ")
                findings.add(subject.place, "it has \(names), between which players cannot switch: make a set of each")
            }
        },
        MPDRule("bandwidth-zero", .error, section: "5.3.5.2", "bandwidth is above 0") { manifest, findings in
            for subject in manifest.representations where subject.representation.bandwidth == 0 {
                findings.add(subject.place, "its bandwidth is 0, by which no player can choose")
            }
        },
        MPDRule("resolution-missing", .warning, section: "IOP", "Representations of video have width and height") {
            manifest,
            findings in
            for subject in manifest.representations where subject.mimeType?.hasPrefix("video/") == true {
                let representation = subject.representation
                guard representation.width == nil || representation.height == nil else { continue }
                findings.add(subject.place, "it has no width and height")
            }
        },
        MPDRule("language-malformed", .warning, section: "5.3.3.2", "lang is a tag of BCP 47") { manifest, findings in
            for subject in manifest.sets {
                guard let language = subject.set.language else { continue }
                let parts = language.split(separator: "-", omittingEmptySubsequences: false)
                let isWellFormed = parts.allSatisfy { part in
                    (1...8).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
                }
                guard !isWellFormed || !(2...8).contains(parts.first?.utf8.count ?? 0) else { continue }
                findings.add(subject.place, "its lang is no tag such as en or pt-BR")
            }
        },
        MPDRule(
            "role-unknown",
            .warning,
            section: "5.8.5.5",
            "roles of urn:mpeg:dash:role:2011 are those of the standard"
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
                        findings.add(subject.place, "a role is none that the standard has")
                        continue
                    }
                }
            }
        },
        MPDRule(
            "alignment-missing",
            .warning,
            section: "5.3.3.2",
            "a set of several Representations says that their segments are aligned"
        ) { manifest, findings in
            for subject in manifest.sets where subject.set.representations.count > 1 {
                guard !subject.set.hasAlignedSegments, !subject.set.hasAlignedSubsegments else { continue }
                findings.add(subject.place, "without segmentAlignment or subsegmentAlignment players do not switch")
            }
        },
    ]
}
