extension MPDRule {
    /// Manifests that grow.
    static let dynamicRules: [MPDRule] = [
        MPDRule("type-unknown", .error, section: "5.3.1.2", "type is static or dynamic") { manifest, findings in
            guard !["static", "dynamic"].contains(manifest.type) else { return }
            findings.add("MPD", "its type is neither static nor dynamic")
        },
        MPDRule(
            "availability-start-missing",
            .error,
            section: "5.3.1.2",
            "a dynamic manifest has an availabilityStartTime"
        ) { manifest, findings in
            guard manifest.isDynamic, manifest.availabilityStart == nil else { return }
            findings.add("MPD", "without availabilityStartTime nobody knows when a segment can be had")
        },
        MPDRule("publish-time-missing", .error, section: "5.3.1.2", "a dynamic manifest has a publishTime") {
            manifest,
            findings in
            guard manifest.isDynamic, manifest.publishTime == nil else { return }
            findings.add("MPD", "without publishTime nobody knows which of two states is the later one")
        },
        MPDRule(
            "static-with-updates",
            .error,
            section: "5.3.1.2",
            "a static manifest has neither minimumUpdatePeriod nor timeShiftBufferDepth"
        ) { manifest, findings in
            guard manifest.type == "static" else { return }
            if manifest.minimumUpdatePeriod != nil {
                findings.add("MPD", "it has a minimumUpdatePeriod, and never changes: leave it out, or say dynamic")
            }
            if manifest.timeShiftBufferDepth != nil {
                findings.add("MPD", "it has a timeShiftBufferDepth, and loses nothing: leave it out, or say dynamic")
            }
        },
        MPDRule(
            "end-unknown",
            .error,
            section: "5.3.1.2",
            "a dynamic manifest has a minimumUpdatePeriod, or says how long it is"
        ) { manifest, findings in
            guard manifest.isDynamic, manifest.minimumUpdatePeriod == nil, manifest.duration == nil,
                manifest.periods.last?.duration == nil
            else { return }
            findings.add("MPD", "players neither come again nor know the end: give one of the two")
        },
        MPDRule("period-id-missing", .error, section: "5.3.2.2", "Periods of a dynamic manifest have an id") {
            manifest,
            findings in
            guard manifest.isDynamic else { return }
            for (index, period) in manifest.periods.enumerated() where period.id == nil {
                findings.add(manifest.place(ofPeriod: index), "players cannot find it again in the next state")
            }
        },
        MPDRule(
            "period-start-unknown",
            .error,
            section: "5.3.2.1",
            "Periods of a dynamic manifest have a start, or follow one with a duration"
        ) { manifest, findings in
            guard manifest.isDynamic else { return }
            for (index, period) in manifest.periods.enumerated() where period.start == nil {
                if index > 0, manifest.periods[index - 1].duration != nil { continue }
                findings.add(manifest.place(ofPeriod: index), "nobody knows when it begins: give it a start")
            }
        },
        MPDRule(
            "delay-beyond-window",
            .warning,
            section: "IOP",
            "suggestedPresentationDelay is not longer than timeShiftBufferDepth"
        ) { manifest, findings in
            guard let delay = manifest.suggestedPresentationDelay, let window = manifest.timeShiftBufferDepth,
                delay > window
            else { return }
            findings.add("MPD", "players would begin at \(delay) behind the end, where no segment can be had any more")
        },
        MPDRule(
            "segment-too-long",
            .error,
            section: "5.3.1.2",
            "no segment is longer than maxSegmentDuration"
        ) { manifest, findings in
            guard let longest = manifest.maximumSegmentDuration else { return }
            for subject in manifest.representations {
                guard let template = subject.template, template.timescale > 0 else { continue }
                let durations = template.timeline.map(\.duration) + (template.duration.map { [$0] } ?? [])
                guard let duration = durations.max() else { continue }
                let seconds = Double(duration) / Double(template.timescale)
                guard seconds > longest.seconds + 0.000_001 else { continue }
                findings.add(subject.place, "a segment lasts \(seconds) s, maxSegmentDuration is \(longest)")
            }
        },
    ]
}

extension MPD {
    /// Whether it grows.
    var isDynamic: Bool { type == "dynamic" }
}
