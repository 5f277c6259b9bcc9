extension LintRule {
    /// The rules for dates of segments, EXT-X-BITRATE, and tags that apply to no segment.
    static let dateRules: [LintRule] = [
        LintRule(
            "date-without-zone",
            .warning,
            .media,
            section: "4.4.4.6",
            "every date should have a time zone",
            .media { subject, findings in
                for line in subject.file.dateLines {
                    guard let date = line.dates.first(where: { $0.date.utcOffset == nil }) else { continue }
                    findings.report(
                        line,
                        attribute: date.attribute,
                        "\(date.name) has no time zone: append Z for UTC, or an offset such as +01:00"
                    )
                }
            }
        ),
        LintRule(
            "date-without-milliseconds",
            .warning,
            .media,
            section: "4.4.4.6",
            "EXT-X-PROGRAM-DATE-TIME should have at least millisecond precision",
            .media { subject, findings in
                for line in subject.file.dateLines {
                    guard case .tag(.programDateTime) = line.content, fractionDigits(Array(line.bytes)) < 3 else {
                        continue
                    }
                    findings.report(
                        line,
                        "EXT-X-PROGRAM-DATE-TIME has fewer than three fractional digits: write milliseconds"
                    )
                }
            }
        ),
        LintRule(
            "date-separator",
            .error,
            .media,
            section: "4.4.4.6",
            "the letter T must separate date and time of day",
            .media { subject, findings in
                for line in subject.file.dateLines {
                    let wrong = line.dates.lazy.compactMap { date -> (name: String, attribute: String?, column: Int)? in
                        let text = date.attribute.flatMap { line.unquotedAttribute($0).map { Array($0.utf8)[...] } }
                        let value = text ?? line.bytes.dropFirst(TagName.programDateTime.rawValue.utf8.count + 2)
                        guard let offset = value.firstIndex(where: { $0 == 0x20 || $0 == 0x74 }) else { return nil }
                        let start = date.attribute.map { line.column(ofAttribute: $0) + $0.utf8.count + 2 + offset }
                        return (date.name, date.attribute, start ?? offset - line.bytes.startIndex + 1)
                    }
                    guard let (name, attribute, column) = wrong.first else { continue }
                    findings.report(
                        line,
                        attribute: attribute,
                        column: column,
                        "\(name) has no T between date and time of day: write 2026-01-31T12:00:00.000Z, for example"
                    )
                }
            }
        ),
        LintRule(
            "program-date-time-ambiguous",
            .error,
            .media,
            section: "6.2.1",
            "dates must increase: a segment must not start a second or more before the preceding segment ends",
            .media { subject, findings in
                var clock = SegmentClock()
                for segment in subject.segments {
                    if let own = segment.segment.programDateTime, let start = clock.start, let end = clock.end {
                        let line = segment.line(of: .programDateTime)
                        let overlap = end.timeInterval(since: own)
                        if own <= start.advanced(by: .roundingTolerance) {
                            findings.report(
                                line,
                                "\(own) is not after \(start), the date of the preceding segment, so dates are "
                                    + "ambiguous"
                            )
                        } else if overlap > 1 - .roundingTolerance {
                            findings.report(
                                line,
                                "\(own) is \(overlap.inSeconds) before \(end), where the preceding segment ends: an "
                                    + "overlap must be less than a second"
                            )
                        }
                    }
                    clock.advance(segment.segment)
                }
            }
        ),
        LintRule(
            "program-date-time-jump",
            .warning,
            .media,
            section: "6.2.1",
            "without EXT-X-DISCONTINUITY, a date should not be a second or more after the preceding segment ends",
            .media { subject, findings in
                var clock = SegmentClock()
                for segment in subject.segments {
                    if let own = segment.segment.programDateTime, let end = clock.end, !segment.segment.isDiscontinuity
                    {
                        let gap = own.timeInterval(since: end)
                        if gap > 1 - .roundingTolerance {
                            findings.report(
                                segment.line(of: .programDateTime),
                                "\(own) is \(gap.inSeconds) after \(end), where the preceding segment ends: write "
                                    + "EXT-X-DISCONTINUITY before the segment if media is missing, or correct the date"
                            )
                        }
                    }
                    clock.advance(segment.segment)
                }
            }
        ),
        LintRule(
            "discontinuity-without-date",
            .warning,
            .media,
            section: "6.2.1",
            "if a playlist has dates, each segment with an EXT-X-DISCONTINUITY should have one",
            .media { subject, findings in
                guard subject.file.line(of: .programDateTime) != nil, !subject.file.isRefused(.programDateTime) else {
                    return
                }
                for segment in subject.segments
                where segment.segment.isDiscontinuity && segment.segment.programDateTime == nil {
                    findings.report(
                        segment.line(of: .discontinuity),
                        "the segment after the EXT-X-DISCONTINUITY has no EXT-X-PROGRAM-DATE-TIME, although other "
                            + "segments have it"
                    )
                }
            }
        ),
        LintRule(
            "bitrate-zero",
            .error,
            .media,
            section: "4.4.4.8",
            "EXT-X-BITRATE must not be 0",
            .media { subject, findings in
                for line in subject.lines {
                    guard case .tag(.bitrate(0)) = line.content else { continue }
                    findings.report(
                        line,
                        "EXT-X-BITRATE is 0: write the bit rate in kilobits per second, or remove the tag"
                    )
                }
            }
        ),
        LintRule(
            "tag-without-segment",
            .warning,
            .media,
            section: "4.4.4",
            "a segment should follow each tag that applies to the next segment",
            .media { subject, findings in
                // Only tags after the last EXT-X-PART and EXT-X-PRELOAD-HINT cannot apply to anything.
                let isFollowed = { (line: PlaylistLine) in
                    switch line.content {
                    case .tag(.part), .tag(.preloadHint): true
                    default: false
                    }
                }
                let last = subject.rest.lastIndex(where: isFollowed).map { $0 + 1 } ?? 0
                let hasPart = subject.rest.contains { if case .tag(.part) = $0.content { true } else { false } }
                for line in subject.rest[last...] {
                    guard case .tag(let tag) = line.content else { continue }
                    switch tag.name {
                    case .byteRange, .gap: break
                    // After a part, the rule `segment-tag-after-part` reports these tags.
                    case .discontinuity, .programDateTime: if hasPart { continue }
                    default: continue
                    }
                    findings.report(
                        line,
                        "no segment follows the \(tag.name.rawValue), so the tag has no effect: remove it"
                    )
                }
            }
        ),
    ]

    /// Returns the number of fractional digits of the seconds of an ISO 8601 date anywhere in a text.
    private static func fractionDigits(_ text: [UInt8]) -> Int {
        guard let point = text.lastIndex(where: { $0 == 0x2E || $0 == 0x2C }) else { return 0 }
        return text[(point + 1)...].prefix { (0x30...0x39).contains($0) }.count
    }
}

/// A clock that computes the dates of segments: the segment's own date, or the date of the preceding segment plus its
/// duration.
struct SegmentClock {
    private var base: PlaylistDate?
    private var elapsed = 0.0
    /// The start date of the current segment.
    private(set) var start: PlaylistDate?
    /// The end date of the current segment.
    private(set) var end: PlaylistDate?

    /// Advances to the next segment.
    mutating func advance(_ segment: MediaSegment) { advance(segment.programDateTime, segment.duration) }

    /// Advances to the next segment, which has the given date, if any, and duration.
    mutating func advance(_ date: PlaylistDate?, _ duration: Double) {
        if let date {
            base = date
            elapsed = 0
            start = date
        } else {
            start = end
        }
        elapsed += duration
        // Dates more than about ten thousand years later cannot be represented.
        end = elapsed < 3e11 ? base?.advanced(by: elapsed) : nil
    }
}

extension PlaylistLine {
    /// The dates of the line, each with the name of its tag or attribute.
    fileprivate var dates: [(name: String, attribute: String?, date: PlaylistDate)] {
        switch content {
        case .tag(.programDateTime(let date)): [(TagName.programDateTime.rawValue, nil, date)]
        case .tag(.dateRange(let range)):
            [("START-DATE", range.startDate), ("END-DATE", range.endDate)]
                .compactMap { name, date in date.map { (name, name, $0) } }
        default: []
        }
    }
}
