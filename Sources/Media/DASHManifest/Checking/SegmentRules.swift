extension MPDRule {
    /// The rules for the locations and the timeline of segments.
    static let segmentRules: [MPDRule] = [
        MPDRule(
            "segments-missing",
            .error,
            section: "5.3.9.1",
            "a Representation must specify its segments by SegmentTemplate, SegmentBase or BaseURL"
        ) {
            manifest,
            findings in
            for subject in manifest.representations {
                let representation = subject.representation
                guard subject.template == nil, representation.base == nil, representation.baseURL == nil else {
                    continue
                }
                findings.add(
                    subject.location,
                    "the Representation has neither SegmentTemplate nor SegmentBase nor BaseURL: add one of them"
                )
            }
        },
        MPDRule(
            "template-and-segment-base",
            .error,
            section: "5.3.9.1",
            "a Representation must not have both SegmentTemplate and SegmentBase"
        ) {
            manifest,
            findings in
            for subject in manifest.representations where subject.representation.base != nil && subject.template != nil
            {
                findings.add(
                    subject.location,
                    "the Representation has both SegmentTemplate and SegmentBase: remove one of them"
                )
            }
        },
        MPDRule(
            "timescale-zero",
            .error,
            section: "5.3.9.2.2",
            "timescale must be greater than 0"
        ) { manifest, findings in
            for subject in manifest.representations
            where subject.template?.timescale == 0 || subject.representation.base?.timescale == 0 {
                findings.add(subject.location, "timescale is 0: write the number of time units per second")
            }
        },
        MPDRule(
            "template-without-number",
            .error,
            section: "5.3.9.4.4",
            "media of a SegmentTemplate must contain $Number$ or $Time$"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template else { continue }
                guard let media = template.media else {
                    findings.add(subject.location, "the SegmentTemplate has no media: add it with $Number$ or $Time$")
                    continue
                }
                let names = TemplateIdentifiers(media).names
                guard !names.contains("Number"), !names.contains("Time") else { continue }
                findings.add(
                    subject.location,
                    "media of the SegmentTemplate is the same for all segments: add $Number$ or $Time$"
                )
            }
        },
        MPDRule(
            "template-identifier",
            .error,
            section: "5.3.9.4.4",
            "a SegmentTemplate must have only known identifiers, and initialization neither $Number$ nor $Time$"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template else { continue }
                for text in [template.media, template.initialization].compactMap({ $0 })
                where !TemplateIdentifiers(text).isValid {
                    findings.add(
                        subject.location,
                        "the SegmentTemplate has a single $ or an unknown identifier: "
                            + "write identifiers such as $Number$, and $$ for a $"
                    )
                }
                let names = TemplateIdentifiers(template.initialization ?? "").names
                if names.contains("Number") || names.contains("Time") {
                    findings.add(
                        subject.location,
                        "initialization has $Number$ or $Time$, but there is only one "
                            + "initialization segment: remove the identifier"
                    )
                }
            }
        },
        MPDRule(
            "timeline-missing",
            .error,
            section: "5.3.9.5.3",
            "a SegmentTemplate must have a SegmentTimeline or a duration"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, template.timeline.isEmpty, template.duration ?? 0 == 0 else {
                    continue
                }
                findings.add(
                    subject.location,
                    "the SegmentTemplate has neither a SegmentTimeline nor a duration: add one of them"
                )
            }
        },
        MPDRule(
            "timeline-duration-zero",
            .error,
            section: "5.3.9.6.2",
            "d of an S element must be greater than 0"
        ) { manifest, findings in
            for subject in manifest.representations
            where subject.template?.timeline.contains(where: { $0.duration == 0 }) == true {
                findings.add(
                    subject.location,
                    "an S element of the SegmentTimeline has d=\"0\": write the duration of the segment"
                )
            }
        },
        MPDRule(
            "timeline-overlap",
            .error,
            section: "5.3.9.6.2",
            "segments of a SegmentTimeline must not overlap"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, let timeline = TimelineExtent(template.timeline) else {
                    if subject.template?.timeline.isEmpty == false {
                        findings.add(
                            subject.location,
                            "the SegmentTimeline ends beyond 2^64 time units: correct d and r of its S elements"
                        )
                    }
                    continue
                }
                if timeline.overlaps {
                    findings.add(
                        subject.location,
                        "an S element starts before the end of the preceding S element: correct its t"
                    )
                }
            }
        },
        MPDRule(
            "timeline-gap",
            .warning,
            section: "IOP",
            "a SegmentTimeline should have no gaps"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, let timeline = TimelineExtent(template.timeline) else {
                    continue
                }
                if timeline.hasGaps {
                    findings.add(
                        subject.location,
                        "an S element starts after the end of the preceding S element, so the timeline has a gap"
                    )
                }
            }
        },
        MPDRule(
            "timeline-period",
            .warning,
            section: "5.3.9.5.3",
            "a SegmentTimeline should match its Period, within one segment; a dynamic one should not exceed it"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, let timeline = TimelineExtent(template.timeline),
                    let duration = subject.periodDuration, !timeline.isOpen, template.timescale > 0
                else { continue }
                let scale = Double(template.timescale)
                let longest = Double(timeline.longest) / scale
                let start = (Double(timeline.start) - Double(template.presentationTimeOffset)) / scale
                let end = (Double(timeline.end) - Double(template.presentationTimeOffset)) / scale
                let slack = longest + 0.001
                let isOutside = start < -slack || end > duration.seconds + slack
                // A dynamic manifest lists neither expired segments nor future ones.
                let isShort = !manifest.isDynamic && (start > slack || end < duration.seconds - slack)
                guard isOutside || isShort else { continue }
                findings.add(
                    subject.location,
                    "the segments cover \(start) s to \(end) s, but the Period ends at \(duration.seconds) s"
                )
            }
        },
        MPDRule(
            "index-missing",
            .error,
            section: "5.3.9.2.2",
            "a SegmentBase must have indexRange and an Initialization with range"
        ) {
            manifest,
            findings in
            for subject in manifest.representations {
                guard let base = subject.representation.base else { continue }
                if base.indexRange == nil || base.initializationRange == nil {
                    findings.add(
                        subject.location,
                        "the SegmentBase has no indexRange or no range of Initialization, "
                            + "which players need to find the segments"
                    )
                }
            }
        },
        MPDRule(
            "index-overlap",
            .error,
            section: "5.3.9.2.2",
            "the byte ranges of the segment index and the initialization segment must not overlap"
        ) {
            manifest,
            findings in
            for subject in manifest.representations {
                guard let base = subject.representation.base, let index = base.indexRange,
                    let initialization = base.initializationRange, index.overlaps(initialization)
                else { continue }
                findings.add(
                    subject.location,
                    "indexRange overlaps the range of Initialization: correct the byte ranges"
                )
            }
        },
        MPDRule("file-missing", .error, section: "5.6", "a Representation with SegmentBase must have a BaseURL") {
            manifest,
            findings in
            for subject in manifest.representations
            where subject.representation.base != nil && subject.representation.baseURL?.isEmpty != false {
                findings.add(
                    subject.location,
                    "the Representation has a SegmentBase but no BaseURL: add the BaseURL of its file"
                )
            }
        },
    ]
}

/// The identifiers between dollar signs in a template (ISO/IEC 23009-1, 5.3.9.4.4).
///
///     identifier = "$" name [ "%0" width "d" ] "$"
///     name       = "" / "RepresentationID" / "Number" / "Bandwidth" / "Time" / "SubNumber"
struct TemplateIdentifiers {
    private(set) var names: Set<String> = []
    private(set) var isValid = true

    init(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else {
            isValid = false
            return
        }
        for part in parts.indices where part % 2 == 1 {
            let components = parts[part].split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(components.first ?? "")
            let known: Set = ["", "RepresentationID", "Number", "Bandwidth", "Time", "SubNumber"]
            let format = components.count > 1 ? components[1] : nil
            let hasFormat = format.map { $0.wholeMatch(of: #/0[0-9]{1,2}d/#) != nil } ?? true
            if !known.contains(name) || !hasFormat || (format != nil && ["", "RepresentationID"].contains(name)) {
                isValid = false
            }
            names.insert(name)
        }
    }
}

/// The start and the end of a timeline, computed without expanding its segments, because one line of a malicious
/// manifest can contain billions of segments.
struct TimelineExtent {
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64 = 0
    private(set) var longest: UInt64 = 0
    private(set) var overlaps = false
    private(set) var hasGaps = false
    /// True if the last run repeats until the end of the Period.
    private(set) var isOpen = false

    /// Computes the extent; nil for an empty timeline, and for one whose end exceeds 64 bits.
    init?(_ runs: [SegmentTemplate.Run]) {
        guard let first = runs.first else { return nil }
        start = first.time ?? 0
        end = start
        for run in runs {
            if let time = run.time {
                if isOpen { end = time }
                if time < end { overlaps = true }
                if time > end { hasGaps = true }
                end = max(end, time)
            }
            isOpen = run.repeats < 0
            let count = UInt64(max(run.repeats, 0)) + 1
            let (length, isTooLong) = run.duration.multipliedReportingOverflow(by: count)
            let (next, isTooLate) = end.addingReportingOverflow(length)
            guard !isTooLong, !isTooLate else { return nil }
            end = next
            longest = max(longest, run.duration)
        }
    }
}
