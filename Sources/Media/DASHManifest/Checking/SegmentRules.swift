extension MPDRule {
    /// Where segments are, and when.
    static let segmentRules: [MPDRule] = [
        MPDRule("segments-missing", .error, section: "5.3.9.1", "a Representation says where its segments are") {
            manifest,
            findings in
            for subject in manifest.representations {
                let representation = subject.representation
                guard subject.template == nil, representation.base == nil, representation.baseURL == nil else {
                    continue
                }
                findings.add(subject.place, "it has neither SegmentTemplate nor SegmentBase nor BaseURL")
            }
        },
        MPDRule("segments-twice", .error, section: "5.3.9.1", "SegmentTemplate and SegmentBase do not stand together") {
            manifest,
            findings in
            for subject in manifest.representations where subject.representation.base != nil && subject.template != nil
            {
                findings.add(subject.place, "it has both SegmentTemplate and SegmentBase: leave one out")
            }
        },
        MPDRule("timescale-zero", .error, section: "5.3.9.2.2", "timescale is above 0") { manifest, findings in
            for subject in manifest.representations
            where subject.template?.timescale == 0 || subject.representation.base?.timescale == 0 {
                findings.add(subject.place, "its timescale is 0")
            }
        },
        MPDRule(
            "template-without-number",
            .error,
            section: "5.3.9.4.4",
            "media of a SegmentTemplate has $Number$ or $Time$"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template else { continue }
                guard let media = template.media else {
                    findings.add(subject.place, "its SegmentTemplate has no media")
                    continue
                }
                let names = TemplateIdentifiers(media).names
                guard !names.contains("Number"), !names.contains("Time") else { continue }
                findings.add(subject.place, "all its segments have one name: put $Number$ or $Time$ into media")
            }
        },
        MPDRule(
            "template-identifier",
            .error,
            section: "5.3.9.4.4",
            "what stands between two $ is a known identifier; init segments have neither $Number$ nor $Time$"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template else { continue }
                for text in [template.media, template.initialization].compactMap({ $0 })
                where !TemplateIdentifiers(text).isValid {
                    findings.add(subject.place, "its SegmentTemplate has a $ without another, or an unknown identifier")
                }
                let names = TemplateIdentifiers(template.initialization ?? "").names
                if names.contains("Number") || names.contains("Time") {
                    findings.add(subject.place, "its initialization has $Number$ or $Time$; there is one init segment")
                }
            }
        },
        MPDRule(
            "timeline-missing",
            .error,
            section: "5.3.9.5.3",
            "a SegmentTemplate has a SegmentTimeline or a duration"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, template.timeline.isEmpty, template.duration ?? 0 == 0 else {
                    continue
                }
                findings.add(subject.place, "nobody knows how long its segments are")
            }
        },
        MPDRule("timeline-duration-zero", .error, section: "5.3.9.6.2", "d of S is above 0") { manifest, findings in
            for subject in manifest.representations
            where subject.template?.timeline.contains(where: { $0.duration == 0 }) == true {
                findings.add(subject.place, "a segment of its SegmentTimeline has no length")
            }
        },
        MPDRule(
            "timeline-overlap",
            .error,
            section: "5.3.9.6.2",
            "segments of a SegmentTimeline do not overlap"
        ) { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, let timeline = TimelineExtent(template.timeline) else {
                    if subject.template?.timeline.isEmpty == false {
                        findings.add(subject.place, "its SegmentTimeline is longer than can be counted")
                    }
                    continue
                }
                if timeline.overlaps { findings.add(subject.place, "an S begins before the one before it ends") }
            }
        },
        MPDRule("timeline-gap", .warning, section: "IOP", "a SegmentTimeline has no gaps") { manifest, findings in
            for subject in manifest.representations {
                guard let template = subject.template, let timeline = TimelineExtent(template.timeline) else {
                    continue
                }
                if timeline.hasGaps { findings.add(subject.place, "an S begins later than the one before it ends") }
            }
        },
        MPDRule(
            "timeline-period",
            .warning,
            section: "5.3.9.5.3",
            "a SegmentTimeline covers its Period, to the length of a segment; one that grows does not leave it"
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
                // What is old has left a dynamic manifest, and what comes is not there yet.
                let isShort = !manifest.isDynamic && (start > slack || end < duration.seconds - slack)
                guard isOutside || isShort else { continue }
                findings.add(
                    subject.place,
                    "its segments go from \(start) s to \(end) s, the Period to \(duration.seconds) s"
                )
            }
        },
        MPDRule("index-missing", .error, section: "5.3.9.2.2", "SegmentBase has an indexRange and an Initialization") {
            manifest,
            findings in
            for subject in manifest.representations {
                guard let base = subject.representation.base else { continue }
                if base.indexRange == nil || base.initializationRange == nil {
                    findings.add(subject.place, "players that do not read the whole file cannot find its segments")
                }
            }
        },
        MPDRule("index-overlap", .error, section: "5.3.9.2.2", "the ranges of index and init segment do not overlap") {
            manifest,
            findings in
            for subject in manifest.representations {
                guard let base = subject.representation.base, let index = base.indexRange,
                    let initialization = base.initializationRange, index.overlaps(initialization)
                else { continue }
                findings.add(subject.place, "its index lies in its init segment")
            }
        },
        MPDRule("file-missing", .error, section: "5.6", "a Representation with SegmentBase has a BaseURL") {
            manifest,
            findings in
            for subject in manifest.representations
            where subject.representation.base != nil && subject.representation.baseURL?.isEmpty != false {
                findings.add(subject.place, "its file has no name: give a BaseURL")
            }
        },
    ]
}

/// What stands between dollar signs (ISO/IEC 23009-1, 5.3.9.4.4).
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
            let pieces = parts[part].split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pieces.first ?? "")
            let known: Set = ["", "RepresentationID", "Number", "Bandwidth", "Time", "SubNumber"]
            let format = pieces.count > 1 ? pieces[1] : nil
            let hasFormat = format.map { $0.wholeMatch(of: #/0[0-9]{1,2}d/#) != nil } ?? true
            if !known.contains(name) || !hasFormat || (format != nil && ["", "RepresentationID"].contains(name)) {
                isValid = false
            }
            names.insert(name)
        }
    }
}

/// From when to when a timeline goes, counted without listing its segments: an enemy can write billions in one line.
struct TimelineExtent {
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64 = 0
    private(set) var longest: UInt64 = 0
    private(set) var overlaps = false
    private(set) var hasGaps = false
    /// Whether its last run goes on as long as there is room.
    private(set) var isOpen = false

    /// Nil for an empty timeline, and for one whose end is beyond 64 bits.
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
