extension LintRule {
    /// What must not change about a playlist from snapshot to snapshot, its segments apart.
    static let reloadPlaylistRules: [LintRule] = [
        LintRule(
            "reload-discontinuity-sequence-missing",
            .error,
            .reload,
            section: "6.2.2",
            "a playlist with discontinuities from which segments are removed has EXT-X-DISCONTINUITY-SEQUENCE",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.lacksDiscontinuitySequence else { return }
                findings.report(
                    nil,
                    "segments were removed from a playlist with EXT-X-DISCONTINUITY, but there is no EXT-X-DISCONTINUITY-SEQUENCE"
                )
            }
        ),
        LintRule(
            "reload-discontinuity-sequence-wrong",
            .error,
            .reload,
            section: "6.2.2",
            "the Discontinuity Sequence Number of a segment does not change",
            .reload { subject, findings in
                guard subject.comparesSegments, !subject.lacksDiscontinuitySequence else { return }
                let pair = subject.comparison.pairs.first {
                    $0.before.discontinuitySequenceNumber != $0.after.discontinuitySequenceNumber
                }
                guard let pair else { return }
                findings.report(
                    subject.after.file.line(of: .discontinuitySequence),
                    "\(ReadingContext.quoted(pair.after.uri)) had the Discontinuity Sequence Number "
                        + "\(pair.before.discontinuitySequenceNumber) and has \(pair.after.discontinuitySequenceNumber); count "
                        + "each EXT-X-DISCONTINUITY that is removed"
                )
            }
        ),
        LintRule(
            "reload-event-removed",
            .error,
            .reload,
            section: "6.2.1",
            "no segment is removed from a playlist of type EVENT",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.before.playlist.playlistType == .event,
                    subject.comparison.removed > 0
                else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "\(subject.comparison.removed) segments were removed although EXT-X-PLAYLIST-TYPE was EVENT"
                )
            }
        ),
        LintRule(
            "reload-after-end",
            .error,
            .reload,
            section: "4.4.3.4",
            "nothing is added after EXT-X-ENDLIST, which stays",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.before.playlist.isEnded else { return }
                if !subject.after.playlist.isEnded {
                    findings.report(nil, "EXT-X-ENDLIST stood in the snapshot before and is gone")
                } else if subject.comparison.added > 0 {
                    findings.report(nil, "segments were added after EXT-X-ENDLIST, when clients had stopped reloading")
                }
            }
        ),
        LintRule(
            "reload-too-short",
            .error,
            .reload,
            section: "6.2.2",
            "three Target Durations remain when segments are removed",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.comparison.removed > 0, let merged = subject.merged,
                    !merged.isEnded, let target = subject.after.targetDuration,
                    merged.duration.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    nil,
                    "segments were removed, and \(merged.duration.inSeconds) are left, less than three Target Durations, "
                        + (3 * target).inSeconds
                )
            }
        ),
        LintRule(
            "reload-truncated",
            .error,
            .reload,
            section: "6.2.1",
            "no segment is removed from the end",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.comparison.added < 0 else { return }
                findings.report(nil, "\(-subject.comparison.added) segments at the end of the snapshot before are gone")
            }
        ),
        LintRule(
            "reload-daterange-removed",
            .error,
            .reload,
            section: "6.2.1",
            "a Date Range stays as long as segments of its time do",
            .reload { subject, findings in
                guard subject.comparesSegments, let merged = subject.merged, let time = subject.time else { return }
                let left = Set(merged.dateRangeTags.map(\.id))
                let gone = subject.before.dateRanges.all.first { range in
                    guard !left.contains(range.id), let start = range.start else { return false }
                    let end = range.end ?? start
                    return start < time.end && (end > time.begin || (end <= start && start >= time.begin))
                }
                guard let gone else { return }
                findings.report(
                    nil,
                    "the Date Range \(ReadingContext.quoted(gone.id)) is gone, but segments of its time are still here"
                )
            }
        ),
        LintRule(
            "reload-daterange-changed",
            .error,
            .reload,
            section: "6.2.1",
            "a Date Range keeps its attributes, and no other range takes its ID",
            .reload { subject, findings in
                guard subject.comparesSegments, let merged = subject.merged else { return }
                var attributes: [String: [String: String]] = [:]
                for tag in merged.dateRangeTags {
                    for (name, value) in tag.comparableAttributes where attributes[tag.id]?[name] == nil {
                        attributes[tag.id, default: [:]][name] = value
                    }
                    if attributes[tag.id] == nil { attributes[tag.id] = [:] }
                }
                let after = subject.after.dateRanges
                for range in subject.before.dateRanges.all {
                    guard let now = attributes[range.id] else { continue }
                    var seen: Set<String> = []
                    let changed = range.tags.lazy.flatMap(\.tag.comparableAttributes)
                        .first { seen.insert($0.name).inserted && now[$0.name] != $0.value }
                    guard let changed else { continue }
                    findings.report(
                        after[range.id]?.firstLine,
                        "\(changed.name) of the Date Range \(ReadingContext.quoted(range.id)) "
                            + (now[changed.name] == nil ? "is gone" : "has changed") + "; give a new range a new ID"
                    )
                }
            }
        ),
    ]
}

extension ReloadSubject {
    /// Segments were removed from a playlist with discontinuities, which are not counted.
    fileprivate var lacksDiscontinuitySequence: Bool {
        comparison.removed > 0 && before.file.line(of: .discontinuity) != nil
            && after.file.line(of: .discontinuitySequence) == nil
    }

    /// The dates of the first segment that is left and of the end; nil when they are not known. Where the later
    /// snapshot has no date yet, the earlier one's hold.
    fileprivate var time: (begin: PlaylistDate, end: PlaylistDate)? {
        var clock = SegmentClock()
        // Where segments between the two are unknown, so is the time between.
        if before.isFull, comparison.removed <= UInt64(comparison.before.count) {
            for segment in comparison.before.prefix(Int(comparison.removed)) {
                clock.pass(segment.date, segment.duration)
            }
        }
        var begin: PlaylistDate?
        for segment in comparison.after {
            clock.pass(segment.date, segment.duration)
            begin = begin ?? clock.begin
        }
        guard let begin, let end = clock.end else { return nil }
        return (begin, end)
    }
}

extension MediaPlaylist {
    /// All EXT-X-DATERANGE tags.
    fileprivate var dateRangeTags: [DateRangeTag] { segments.flatMap(\.dateRanges) + upcoming.dateRanges }
}
