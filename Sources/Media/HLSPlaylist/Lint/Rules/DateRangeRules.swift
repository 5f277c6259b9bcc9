extension LintRule {
    /// The rules for EXT-X-DATERANGE: Date Ranges, SCTE-35 splices, interstitials and preload ranges.
    static let dateRangeRules: [LintRule] = rangeRules + spliceRules + interstitialRules

    private static let rangeRules: [LintRule] = [
        LintRule(
            "daterange-without-start",
            .error,
            .media,
            section: "4.4.5.1",
            "the first tag of a Date Range must have a START-DATE",
            .media { subject, findings in
                guard subject.isFull else { return }
                for range in subject.dateRanges.all {
                    for (tag, line) in range.tags {
                        if tag.startDate != nil { break }
                        findings.report(
                            line,
                            "the Date Range \(ReadingContext.quoted(tag.id)) has no START-DATE in this or an earlier "
                                + "tag: add START-DATE"
                        )
                    }
                }
            }
        ),
        LintRule(
            "daterange-without-program-date-time",
            .error,
            .media,
            section: "4.4.5.1",
            "a playlist with Date Ranges must have an EXT-X-PROGRAM-DATE-TIME",
            .media { subject, findings in
                guard subject.isFull, let line = subject.file.line(of: .dateRange),
                    !subject.file.has(.programDateTime)
                else { return }
                findings.report(
                    line,
                    "the playlist has no EXT-X-PROGRAM-DATE-TIME, so the Date Ranges have no position on the "
                        + "timeline: add the tag"
                )
            }
        ),
        LintRule(
            "daterange-end-before-start",
            .error,
            .media,
            section: "4.4.5.1",
            "END-DATE must not be before START-DATE",
            .media { subject, findings in
                for range in subject.dateRanges.all {
                    guard let start = range.start else { continue }
                    var isStarted = false
                    var early: PlaylistDate?
                    for (tag, line) in range.tags {
                        let starts = !isStarted && tag.startDate != nil
                        isStarted = isStarted || starts
                        if let end = tag.endDate, end < start { early = end }
                        guard isStarted, let end = tag.endDate ?? (starts ? early : nil), end < start else { continue }
                        findings.report(
                            line,
                            attribute: tag.endDate == nil ? "START-DATE" : "END-DATE",
                            "END-DATE \(end) of \(ReadingContext.quoted(tag.id)) is before its START-DATE \(start)"
                        )
                    }
                }
            }
        ),
        LintRule(
            "daterange-duration-mismatch",
            .error,
            .media,
            section: "4.4.5.1",
            "END-DATE must be START-DATE plus DURATION",
            .media { subject, findings in
                for range in subject.dateRanges.all {
                    guard let start = range.start, let end = range.endDate, let duration = range.duration, end >= start,
                        abs(end.timeInterval(since: start) - duration) > 0.001 - .roundingTolerance
                    else { continue }
                    var known = (start: false, end: false, duration: false)
                    let last = range.tags.first { tag, _ in
                        known.start = known.start || tag.startDate != nil
                        known.end = known.end || tag.endDate != nil
                        known.duration = known.duration || tag.duration != nil
                        return known == (true, true, true)
                    }
                    findings.report(
                        last?.line,
                        "the duration of \(ReadingContext.quoted(range.id)) is "
                            + "\(end.timeInterval(since: start).inSeconds) by its "
                            + "dates but \(duration.inSeconds) by DURATION: correct one of them"
                    )
                }
            }
        ),
        LintRule(
            "daterange-end-on-next-without-class",
            .error,
            .media,
            section: "4.4.5.1",
            "a Date Range with END-ON-NEXT must have a CLASS",
            .media { subject, findings in
                for range in subject.dateRanges.all {
                    for (tag, line) in range.tags {
                        if tag.rangeClass != nil { break }
                        guard tag.endsOnNext else { continue }
                        findings.report(
                            line,
                            attribute: "END-ON-NEXT",
                            "\(ReadingContext.quoted(tag.id)) has END-ON-NEXT but no CLASS, so its next range is "
                                + "undefined: add CLASS"
                        )
                    }
                }
            }
        ),
        LintRule(
            "daterange-end-on-next-with-end",
            .error,
            .media,
            section: "4.4.5.1",
            "a tag with END-ON-NEXT must have neither DURATION nor END-DATE",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags where tag.endsOnNext {
                    let names = [("DURATION", tag.duration != nil), ("END-DATE", tag.endDate != nil)]
                        .compactMap { $1 ? $0 : nil }
                    guard let first = names.first else { continue }
                    findings.report(
                        line,
                        attribute: first,
                        "\(ReadingContext.quoted(tag.id)) has END-ON-NEXT and \(names.joined(separator: " and ")): "
                            + "specify only one"
                    )
                }
            }
        ),
        LintRule(
            "daterange-overlap",
            .error,
            .media,
            section: "4.4.5.1",
            "ranges of a CLASS in which a range has END-ON-NEXT must not overlap",
            .media { subject, findings in
                for overlap in DateRangeOverlap.find(subject.dateRanges) {
                    findings.report(
                        overlap.line,
                        "\(ReadingContext.quoted(overlap.id)) overlaps another Date Range of the CLASS "
                            + "\(ReadingContext.quoted(overlap.rangeClass)), in which a range has END-ON-NEXT"
                    )
                }
            }
        ),
        LintRule(
            "daterange-conflict",
            .error,
            .media,
            section: "4.4.5.1",
            "EXT-X-DATERANGE tags with the same ID must have the same attribute values",
            .media { subject, findings in
                for range in subject.dateRanges.all where range.tags.count > 1 {
                    var known: [String: String] = [:]
                    for (tag, line) in range.tags {
                        var conflict: String?
                        for (name, value) in tag.comparableAttributes {
                            if let old = known[name] {
                                if old != value, conflict == nil { conflict = name }
                            } else {
                                known[name] = value
                            }
                        }
                        guard let conflict else { continue }
                        findings.report(
                            line,
                            attribute: conflict,
                            "\(conflict) of \(ReadingContext.quoted(tag.id)) differs from its value in an earlier tag "
                                + "with the same ID"
                        )
                    }
                }
            }
        ),
        LintRule(
            "daterange-cue-conflict",
            .error,
            .media,
            section: "4.4.5.1",
            "CUE must not contain both PRE and POST",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags where tag.cue.contains(.pre) && tag.cue.contains(.post) {
                    findings.report(
                        line,
                        attribute: "CUE",
                        "CUE of \(ReadingContext.quoted(tag.id)) contains both PRE and POST: use two Date Ranges"
                    )
                }
            }
        ),
        LintRule(
            "daterange-extension-value",
            .error,
            .media,
            section: "4.4.5.1",
            "the value of an attribute that begins with X- must be a quoted string, a hexadecimal sequence or a number",
            .media { subject, findings in
                for (tag, line) in subject.dateRangeTags {
                    let wrong = tag.otherAttributes.first { attribute in
                        guard attribute.name.hasPrefix("X-"), !attribute.isQuoted else { return false }
                        var attribute = attribute
                        attribute.value = subject.file.withVariables(attribute.value)
                        return !attribute.isHexadecimal && !attribute.isSignedDecimal
                    }
                    guard let wrong else { continue }
                    findings.report(
                        line,
                        attribute: wrong.name,
                        "\(wrong.name)=\(ReadingContext.quoted(wrong.value)) is neither a hexadecimal sequence nor a "
                            + "number: put other text in quotation marks"
                    )
                }
            }
        ),
    ]

    private static let spliceRules: [LintRule] = [
        LintRule(
            "scte35-not-splice-info",
            .warning,
            .media,
            section: "4.4.5.1.1",
            "the value of an SCTE35 attribute should be a splice_info_section",
            .media { subject, findings in
                let file = subject.file
                for (tag, line) in subject.dateRangeTags {
                    for name in ["SCTE35-CMD", "SCTE35-OUT", "SCTE35-IN"] {
                        guard let digits = file.value(ofAttribute: name, line)?.utf8.dropFirst(2) else { continue }
                        let isWhole = digits.count.isMultiple(of: 2)
                        guard !isWhole || !digits.prefix(2).map({ $0 & 0xDF }).elementsEqual("FC".utf8) else {
                            continue
                        }
                        let reason =
                            isWhole
                            ? "does not begin with FC, the table ID of a splice_info_section"
                            : "has an odd number of hexadecimal digits"
                        findings.report(line, attribute: name, "\(name) of \(ReadingContext.quoted(tag.id)) \(reason)")
                        break
                    }
                }
            }
        ),
        LintRule(
            "scte35-in-without-end",
            .error,
            .media,
            section: "4.4.5.1.1",
            "a Date Range with SCTE35-OUT and SCTE35-IN must have a DURATION or an END-DATE",
            .media { subject, findings in
                for range in subject.dateRanges.all
                where range.duration == nil && range.endDate == nil
                    && range.tags.contains(where: { $0.tag.hasSpliceOut })
                {
                    guard let (tag, line) = range.tags.first(where: { $0.tag.hasSpliceIn }) else { continue }
                    findings.report(
                        line,
                        attribute: "SCTE35-IN",
                        "\(ReadingContext.quoted(tag.id)) has SCTE35-IN but neither DURATION nor END-DATE: add one of "
                            + "them"
                    )
                }
            }
        ),
    ]
}

extension MediaSubject {
    /// The EXT-X-DATERANGE tags with their lines.
    var dateRangeTags: some Sequence<(tag: DateRangeTag, line: PlaylistLine)> {
        lines.lazy.compactMap { line -> (tag: DateRangeTag, line: PlaylistLine)? in
            if case .tag(.dateRange(let tag)) = line.content { (tag, line) } else { nil }
        }
    }
}

extension DateRangeTag {
    fileprivate var hasSpliceOut: Bool { scte35Out != nil || self["SCTE35-OUT"] != nil }
    fileprivate var hasSpliceIn: Bool { scte35In != nil || self["SCTE35-IN"] != nil }
}

/// Finds the Date Ranges that overlap an earlier range of the same CLASS, in O(n log n) time.
private enum DateRangeOverlap {
    private struct Span {
        let subject: DateRangeSubjects.Subject
        let start: PlaylistDate
        let end: PlaylistDate
    }

    static func find(_ ranges: DateRangeSubjects) -> [(id: String, rangeClass: String, line: PlaylistLine?)] {
        var classes: [String: (hasEndOnNext: Bool, spans: [Span])] = [:]
        for range in ranges.all {
            guard let rangeClass = range.rangeClass else { continue }
            if range.tags.contains(where: { $0.tag.endsOnNext }) {
                classes[rangeClass, default: (false, [])].hasEndOnNext = true
            }
            // Ranges that only share an instant do not overlap, so the end is moved back slightly.
            if let start = range.start, let end = range.end?.advanced(by: -.roundingTolerance), start < end {
                classes[rangeClass, default: (false, [])].spans.append(Span(subject: range, start: start, end: end))
            }
        }
        return classes.flatMap { name, value in
            value.hasEndOnNext ? overlapping(value.spans).map { ($0.id, name, $0.firstLine) } : []
        }
    }

    /// Returns the spans that overlap an earlier span: one that starts before their end and ends after their start.
    private static func overlapping(_ spans: [Span]) -> [DateRangeSubjects.Subject] {
        let starts = spans.map(\.start).sorted()
        // A Fenwick tree over the sorted starts. It yields the latest end among the spans so far whose start has at
        // most a given rank.
        var latest: [PlaylistDate?] = Array(repeating: nil, count: starts.count + 1)
        /// Returns the number of starts before a date.
        func rank(_ date: PlaylistDate) -> Int {
            var low = 0
            var high = starts.count
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] < date { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return spans.compactMap { span in
            var node = rank(span.end)
            var end: PlaylistDate?
            while node > 0 {
                if let candidate = latest[node], end.map({ $0 < candidate }) ?? true { end = candidate }
                node &= node - 1
            }
            node = rank(span.start) + 1
            while node < latest.count {
                if latest[node].map({ $0 < span.end }) ?? true { latest[node] = span.end }
                node += node & -node
            }
            return end.map { span.start < $0 } ?? false ? span.subject : nil
        }
    }
}
