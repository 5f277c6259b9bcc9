import TextCoding

extension LintRule {
    /// The rules for the timelines of the Media Playlists of a presentation.
    static let timelineRules: [LintRule] = [
        LintRule(
            "program-date-time-missing",
            .error,
            .presentation,
            section: "6.2.4",
            "either all or none of the Media Playlists must have EXT-X-PROGRAM-DATE-TIME",
            .presentation { subject, findings in
                guard let dated = subject.mediaPlaylists.first(where: \.hasDate) else { return }
                for media in subject.mediaPlaylists where !media.segments.isEmpty && !media.hasDate {
                    findings.report(
                        media.file,
                        nil,
                        other: LintFinding.Place(dated.file, dated.file.line(of: .programDateTime)),
                        "the playlist has no EXT-X-PROGRAM-DATE-TIME, but \(MessageFormat.file(dated.file.name)) "
                            + "has it"
                    )
                }
            }
        ),
        LintRule(
            "program-date-times-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "the Media Playlists of a VOD presentation must start at the same date",
            .presentation { subject, findings in
                let playlists = subject.mediaPlaylists
                guard playlists.allSatisfy({ $0.playlist.playlistType == .vod }) else { return }
                var first: (media: MediaSubject, date: PlaylistDate)?
                for media in playlists {
                    guard let date = media.firstDate else { continue }
                    guard let first else {
                        first = (media, date)
                        continue
                    }
                    let difference = date.timeInterval(since: first.date)
                    guard abs(difference) >= 1 - tolerance else { continue }
                    findings.report(
                        media.file,
                        media.file.line(of: .programDateTime),
                        other: LintFinding.Place(first.media.file, first.media.file.line(of: .programDateTime)),
                        "the first segment starts \(MessageFormat.seconds(abs(difference))) "
                            + "\(difference < 0 ? "before" : "after") that of "
                            + MessageFormat.file(first.media.file.name)
                    )
                }
            }
        ),
        LintRule(
            "discontinuities-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "with EXT-X-ENDLIST, all Media Playlists must end with the same Discontinuity Sequence Number",
            .presentation { subject, findings in
                guard subject.mediaPlaylists.allSatisfy(\.playlist.isEnded) else { return }
                subject.mediaPlaylists.filter { !$0.segments.isEmpty }
                    .compare({ $0.segments.last?.discontinuitySequenceNumber ?? 0 }) { media, own, first, expected in
                        findings.report(
                            media.file,
                            nil,
                            other: LintFinding.Place(first.file, nil),
                            "the Discontinuity Sequence Number of the last segment is \(own), but \(expected) in "
                                + "\(MessageFormat.file(first.file.name)), so clients that switch continue at a "
                                + "wrong position"
                        )
                    }
            }
        ),
        LintRule(
            "server-controls-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "EXT-X-SERVER-CONTROL must be the same in all Media Playlists, or absent from all",
            .presentation { subject, findings in
                subject.mediaPlaylists.compare({ $0.serverControl }) { media, own, first, expected in
                    let other = MessageFormat.file(first.file.name)
                    let message =
                        switch (own, expected) {
                        case (nil, _): "the playlist has no EXT-X-SERVER-CONTROL, but \(other) has it"
                        case (_, nil): "the playlist has EXT-X-SERVER-CONTROL, but \(other) does not have it"
                        default: "the attributes of EXT-X-SERVER-CONTROL differ from those in \(other)"
                        }
                    findings.report(
                        media.file,
                        own == nil ? nil : media.file.line(of: .serverControl),
                        other: LintFinding.Place(first.file, first.file.line(of: .serverControl)),
                        message
                    )
                }
            }
        ),
        LintRule(
            "dateranges-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "all Media Playlists with Date Ranges must have the same Date Ranges",
            .presentation { subject, findings in
                var first: (media: MediaSubject, ranges: ListedDateRanges)?
                for media in subject.mediaPlaylists {
                    let ranges = ListedDateRanges(media)
                    guard !ranges.order.isEmpty else { continue }
                    guard let first else {
                        first = (media, ranges)
                        continue
                    }
                    guard let id = ranges.firstDifference(from: first.ranges) else { continue }
                    findings.report(
                        media.file,
                        nil,
                        other: LintFinding.Place(first.media.file, first.media.dateRanges[id]?.firstLine),
                        "the Date Range \(ReadingContext.quoted(id)) differs from that in "
                            + "\(MessageFormat.file(first.media.file.name)), or only one of the two playlists has it"
                    )
                }
            }
        ),
        LintRule(
            "durations-differ",
            .error,
            .presentation,
            section: "6.2.4",
            "with EXT-X-ENDLIST, Media Playlists except subtitles must have equal durations, within one Target "
                + "Duration",
            .presentation { subject, findings in
                let playlists = subject.mediaPlaylists
                guard playlists.allSatisfy(\.playlist.isEnded), let limit = playlists.compactMap(\.targetDuration).min()
                else { return }
                var first: (media: MediaSubject, duration: Double)?
                for member in subject.members where !member.isSubtitles {
                    let duration = member.media.playlist.duration
                    guard let first else {
                        first = (member.media, duration)
                        continue
                    }
                    guard abs(duration - first.duration) > limit + tolerance else { continue }
                    findings.report(
                        member.media.file,
                        nil,
                        other: LintFinding.Place(first.media.file, nil),
                        "the duration is \(MessageFormat.seconds(duration)), but that of "
                            + "\(MessageFormat.file(first.media.file.name)) "
                            + "is \(MessageFormat.seconds(first.duration)): they differ by more than the smallest "
                            + "Target Duration, "
                            + MessageFormat.seconds(limit)
                    )
                }
            }
        ),
    ]

    /// The tolerated rounding error of sums of durations, in seconds.
    private static let tolerance = 1e-6
}

extension MediaSubject {
    /// True if the playlist has an EXT-X-PROGRAM-DATE-TIME.
    fileprivate var hasDate: Bool {
        file.has(.programDateTime)
    }

    /// The date of the first segment, computed backward from the first EXT-X-PROGRAM-DATE-TIME.
    fileprivate var firstDate: PlaylistDate? {
        guard !segments.isEmpty else { return nil }
        var elapsed = 0.0
        for segment in segments {
            if let date = segment.segment.programDateTime { return date.advanced(by: -elapsed) }
            elapsed += segment.segment.duration
        }
        return playlist.upcoming.programDateTime?.advanced(by: -elapsed)
    }

    /// The EXT-X-SERVER-CONTROL tag, with attributes that the draft does not define in alphabetical order.
    fileprivate var serverControl: ServerControlTag? {
        var tag = playlist.serverControl
        tag?.otherAttributes.sort { $0.name < $1.name }
        return tag
    }
}

/// The Date Ranges of a playlist, each with the attributes of all its tags. The first value of an attribute is used.
private struct ListedDateRanges {
    private(set) var order: [String] = []
    private var attributes: [String: [String: String]] = [:]

    init(_ media: MediaSubject) {
        for segment in media.playlist.segments where !segment.tags.isEmpty { add(segment.tags) }
        add(media.playlist.upcoming.tags)
    }

    private mutating func add(_ tags: [SegmentTag]) {
        for case .dateRange(let tag) in tags {
            if attributes[tag.id] == nil { order.append(tag.id) }
            for (name, value) in tag.values {
                attributes[tag.id, default: [:]][name] = attributes[tag.id]?[name] ?? value
            }
            if attributes[tag.id] == nil { attributes[tag.id] = [:] }
        }
    }

    /// Returns the ID of a Date Range that only one of the two playlists has, or whose attributes differ; nil when
    /// there is none.
    func firstDifference(from other: ListedDateRanges) -> String? {
        if let id = order.first(where: { attributes[$0] != other.attributes[$0] }) { return id }
        guard order.count != other.order.count else { return nil }
        return other.order.first { attributes[$0] == nil }
    }
}

extension DateRangeTag {
    /// The names and values of all attributes except ID.
    fileprivate var values: [(String, String)] {
        let known: [(String, String?)] = [
            ("CLASS", rangeClass), ("START-DATE", startDate?.text),
            ("CUE", cue.isEmpty ? nil : "\(cue.map(\.rawValue))"),
            ("END-DATE", endDate?.text), ("DURATION", duration.map { "\($0)" }),
            ("PLANNED-DURATION", plannedDuration.map { "\($0)" }),
            ("SCTE35-CMD", scte35Command.map { Hexadecimal.encodeUppercase($0) }),
            ("SCTE35-OUT", scte35Out.map { Hexadecimal.encodeUppercase($0) }),
            ("SCTE35-IN", scte35In.map { Hexadecimal.encodeUppercase($0) }),
            ("END-ON-NEXT", endsOnNext ? "YES" : nil),
        ]
        return known.compactMap { name, value in value.map { (name, $0) } }
            + otherAttributes.map { ($0.name, $0.isQuoted ? "\"\($0.value)\"" : $0.value) }
    }
}
