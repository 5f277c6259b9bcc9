extension MPDRule {
    /// The rules for dynamic manifests.
    static let dynamicRules: [MPDRule] = [
        MPDRule("type-unknown", .error, section: "5.3.1.2", "type must be static or dynamic") { manifest, findings in
            guard !["static", "dynamic"].contains(manifest.type) else { return }
            findings.add("MPD", "type is neither static nor dynamic: write one of them")
        },
        MPDRule(
            "availability-start-missing",
            .error,
            section: "5.3.1.2",
            "a dynamic manifest must have availabilityStartTime"
        ) { manifest, findings in
            guard manifest.isDynamic, manifest.availabilityStart == nil else { return }
            findings.add(
                "MPD",
                "availabilityStartTime is missing, so players cannot determine when segments are available: add it"
            )
        },
        MPDRule("publish-time-missing", .error, section: "5.3.1.2", "a dynamic manifest must have publishTime") {
            manifest,
            findings in
            guard manifest.isDynamic, manifest.publishTime == nil else { return }
            findings.add(
                "MPD",
                "publishTime is missing, so players cannot determine which of two versions is the later one: add it"
            )
        },
        MPDRule(
            "static-with-updates",
            .error,
            section: "5.3.1.2",
            "a static manifest must have neither minimumUpdatePeriod nor timeShiftBufferDepth"
        ) { manifest, findings in
            guard manifest.type == "static" else { return }
            if manifest.minimumUpdatePeriod != nil {
                findings.add("MPD", "the static manifest has minimumUpdatePeriod: remove it, or write type=\"dynamic\"")
            }
            if manifest.timeShiftBufferDepth != nil {
                findings.add(
                    "MPD",
                    "the static manifest has timeShiftBufferDepth: remove it, or write type=\"dynamic\""
                )
            }
        },
        MPDRule(
            "end-unknown",
            .error,
            section: "5.3.1.2",
            "a dynamic manifest must have minimumUpdatePeriod or a duration"
        ) { manifest, findings in
            guard manifest.isDynamic, manifest.minimumUpdatePeriod == nil, manifest.duration == nil,
                manifest.periods.last?.duration == nil
            else { return }
            findings.add("MPD", "the manifest has neither minimumUpdatePeriod nor a duration: add one of them")
        },
        MPDRule("period-id-missing", .error, section: "5.3.2.2", "Periods of a dynamic manifest must have an id") {
            manifest,
            findings in
            guard manifest.isDynamic else { return }
            for (index, period) in manifest.periods.enumerated() where period.id == nil {
                findings.add(
                    manifest.location(ofPeriod: index),
                    "the Period has no id, so players cannot find it in the next version: add an id"
                )
            }
        },
        MPDRule(
            "period-start-unknown",
            .error,
            section: "5.3.2.1",
            "a Period of a dynamic manifest must have a start, or follow a Period with a duration"
        ) { manifest, findings in
            guard manifest.isDynamic else { return }
            for (index, period) in manifest.periods.enumerated() where period.start == nil {
                if index > 0, manifest.periods[index - 1].duration != nil { continue }
                findings.add(manifest.location(ofPeriod: index), "the start of the Period is unknown: add start")
            }
        },
        MPDRule(
            "delay-beyond-window",
            .warning,
            section: "IOP",
            "suggestedPresentationDelay should not be longer than timeShiftBufferDepth"
        ) { manifest, findings in
            guard let delay = manifest.suggestedPresentationDelay, let window = manifest.timeShiftBufferDepth,
                delay > window
            else { return }
            findings.add(
                "MPD",
                "suggestedPresentationDelay is \(delay), longer than timeShiftBufferDepth, \(window), "
                    + "so players start at an expired segment: make it shorter"
            )
        },
        MPDRule(
            "segment-too-long",
            .error,
            section: "5.3.1.2",
            "segments must not be longer than maxSegmentDuration"
        ) { manifest, findings in
            guard let longest = manifest.maximumSegmentDuration else { return }
            for subject in manifest.representations {
                guard let template = subject.template, template.timescale > 0 else { continue }
                let durations = template.timeline.map(\.duration) + (template.duration.map { [$0] } ?? [])
                guard let duration = durations.max() else { continue }
                let seconds = Double(duration) / Double(template.timescale)
                guard seconds > longest.seconds + 0.000_001 else { continue }
                findings.add(
                    subject.location,
                    "the duration of a segment is \(seconds) s, longer than maxSegmentDuration, \(longest)"
                )
            }
        },
    ]
}

extension MPD {
    /// True if the manifest is dynamic.
    var isDynamic: Bool { type == "dynamic" }
}
