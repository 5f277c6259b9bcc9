extension LintRule {
    /// Dates of segments, and tags that apply to nothing.
    static let dateRules: [LintRule] = [
        LintRule(
            "date-without-zone",
            .warning,
            .media,
            section: "4.4.4.6",
            "every date names its time zone",
            .media { subject, findings in
                for line in subject.lines {
                    guard let date = line.dates.first(where: { $0.date.utcOffset == nil }) else { continue }
                    findings.report(
                        line,
                        attribute: date.attribute,
                        "\(date.name) names no time zone: write Z for UTC, or an offset such as +01:00"
                    )
                }
            }
        ),
        LintRule(
            "date-without-milliseconds",
            .warning,
            .media,
            section: "4.4.4.6",
            "every date is given to the millisecond at least",
            .media { subject, findings in
                for line in subject.lines {
                    let coarse = line.dates.first { date in
                        let text = date.attribute.flatMap { subject.file.value(ofAttribute: $0, line)?.utf8 }
                        return fractionDigits(text.map { Array($0) } ?? Array(line.bytes)) < 3
                    }
                    guard let coarse else { continue }
                    findings.report(
                        line,
                        attribute: coarse.attribute,
                        "\(coarse.name) has fewer than three digits after the seconds; write milliseconds"
                    )
                }
            }
        ),
        LintRule(
            "program-date-time-ambiguous",
            .error,
            .media,
            section: "6.2.1",
            "dates go forward: a segment begins no more than a second before the one before it ends",
            .media { subject, findings in
                var clock = SegmentClock()
                for segment in subject.segments {
                    if let own = segment.segment.programDateTime, let begin = clock.begin, let end = clock.end {
                        let line = segment.line(of: .programDateTime)
                        let overlap = end.timeInterval(since: own)
                        if own <= begin.advanced(by: .noise) {
                            findings.report(
                                line,
                                "\(own) is not after \(begin), the date of the segment before, so that dates stand for two places"
                            )
                        } else if overlap > 1 - .noise {
                            findings.report(
                                line,
                                "\(own) is \(overlap.inSeconds) before \(end), where the segment before ends; an overlap must be "
                                    + "less than a second"
                            )
                        }
                    }
                    clock.pass(segment.segment)
                }
            }
        ),
        LintRule(
            "discontinuity-without-date",
            .warning,
            .media,
            section: "6.2.1",
            "where there are dates, each segment with an EXT-X-DISCONTINUITY has one",
            .media { subject, findings in
                guard subject.file.line(of: .programDateTime) != nil else { return }
                for segment in subject.segments
                where segment.segment.isDiscontinuity && segment.segment.programDateTime == nil {
                    findings.report(
                        segment.line(of: .discontinuity),
                        "the segment after the EXT-X-DISCONTINUITY has no EXT-X-PROGRAM-DATE-TIME, though others have one"
                    )
                }
            }
        ),
        LintRule(
            "bitrate-zero",
            .error,
            .media,
            section: "4.4.4.8",
            "EXT-X-BITRATE is not 0",
            .media { subject, findings in
                for line in subject.lines {
                    guard case .tag(.bitrate(0)) = line.content else { continue }
                    findings.report(line, "EXT-X-BITRATE is 0; give the kilobits per second, or leave the tag out")
                }
            }
        ),
        LintRule(
            "tag-without-segment",
            .warning,
            .media,
            section: "4.4.4",
            "a tag for the next segment is followed by one",
            .media { subject, findings in
                // From the end: nothing that could be meant comes after these.
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
                    // After a part they are `segment-tag-after-part`.
                    case .discontinuity, .programDateTime: if hasPart { continue }
                    default: continue
                    }
                    findings.report(line, "no segment follows the \(tag.name.rawValue), so it applies to nothing")
                }
            }
        ),
    ]

    /// The number of digits behind the seconds of an ISO 8601 date, wherever it stands in a text.
    private static func fractionDigits(_ text: [UInt8]) -> Int {
        guard let point = text.lastIndex(where: { $0 == 0x2E || $0 == 0x2C }) else { return 0 }
        return text[(point + 1)...].prefix { (0x30...0x39).contains($0) }.count
    }
}

/// Dates of segments: each one's own, otherwise that of the segment before plus its duration.
struct SegmentClock {
    private var base: PlaylistDate?
    private var elapsed = 0.0
    /// The date of the last segment that was passed.
    private(set) var begin: PlaylistDate?
    /// When it ends.
    private(set) var end: PlaylistDate?

    /// Goes to the end of the next segment.
    mutating func pass(_ segment: MediaSegment) { pass(segment.programDateTime, segment.duration) }

    /// Goes to the end of the next segment, with its own date if it has one.
    mutating func pass(_ date: PlaylistDate?, _ duration: Double) {
        if let date {
            base = date
            elapsed = 0
            begin = date
        } else {
            begin = end
        }
        elapsed += duration
        // Beyond ten thousand years there are no dates.
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
