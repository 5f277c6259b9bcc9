import TextCoding

extension LintRule {
    /// The rules for changes between snapshots of a playlist that do not concern single segments.
    static let reloadPlaylistRules: [LintRule] = [
        LintRule(
            "reload-discontinuity-sequence-missing",
            .error,
            .reload,
            section: "6.2.2",
            "a playlist with discontinuities must have EXT-X-DISCONTINUITY-SEQUENCE when segments are removed",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.lacksDiscontinuitySequence else { return }
                findings.report(
                    nil,
                    "segments were removed from a playlist with EXT-X-DISCONTINUITY, but it has no "
                        + "EXT-X-DISCONTINUITY-SEQUENCE"
                )
            }
        ),
        LintRule(
            "reload-discontinuity-sequence-wrong",
            .error,
            .reload,
            section: "6.2.2",
            "the Discontinuity Sequence Number of a segment must not change",
            .reload { subject, findings in
                guard subject.comparesSegments, !subject.lacksDiscontinuitySequence else { return }
                let pair = subject.comparison.pairs.first {
                    $0.before.discontinuitySequenceNumber != $0.after.discontinuitySequenceNumber
                }
                guard let pair else { return }
                findings.report(
                    subject.after.file.line(of: .discontinuitySequence),
                    "the Discontinuity Sequence Number of \(MessageFormat.uri(pair.after.uri)) changed from "
                        + "\(pair.before.discontinuitySequenceNumber) to \(pair.after.discontinuitySequenceNumber): "
                        + "increment EXT-X-DISCONTINUITY-SEQUENCE for each EXT-X-DISCONTINUITY that is removed"
                )
            }
        ),
        LintRule(
            "reload-segments-missed",
            .warning,
            .reload,
            section: "6.2.2",
            "at least one segment of a snapshot, or the one after it, should be in the next snapshot",
            .reload { subject, findings in
                let missed = subject.comparison.missed
                guard subject.comparesSegments, !missed.isEmpty else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "the snapshots have no segment in common: \(counted(missed.upperBound - missed.lowerBound, "segment")) "
                        + "from \(missed.lowerBound) on \(missed.upperBound - missed.lowerBound == 1 ? "is" : "are") in neither, so a client that "
                        + "reloads like this skips media: load the snapshots at shorter intervals, or correct the number"
                )
            }
        ),
        LintRule(
            "reload-event-removed",
            .error,
            .reload,
            section: "6.2.1",
            "segments must not be removed from a playlist of type EVENT",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.before.playlist.playlistType == .event,
                    subject.comparison.removed > 0
                else { return }
                findings.report(
                    subject.after.file.line(of: .mediaSequence),
                    "\(subject.comparison.removed) segments were removed, although EXT-X-PLAYLIST-TYPE was EVENT"
                )
            }
        ),
        LintRule(
            "reload-after-end",
            .error,
            .reload,
            section: "4.4.3.4",
            "EXT-X-ENDLIST must not be removed, and no segments must be added after it",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.before.playlist.isEnded else { return }
                if !subject.after.playlist.isEnded {
                    findings.report(nil, "the previous snapshot had EXT-X-ENDLIST, but this one does not")
                } else if subject.comparison.added > 0 {
                    findings.report(
                        nil,
                        "segments were added after EXT-X-ENDLIST, but clients no longer reload the playlist"
                    )
                }
            }
        ),
        LintRule(
            "reload-too-short",
            .error,
            .reload,
            section: "6.2.2",
            "when segments are removed, at least three Target Durations must remain",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.comparison.removed > 0, let merged = subject.merged,
                    !merged.isEnded, let target = subject.after.targetDuration,
                    merged.duration.isClearlyLess(than: 3 * target)
                else { return }
                findings.report(
                    nil,
                    "segments were removed, and the remaining duration is \(merged.duration.inSeconds), less than "
                        + "three Target Durations, "
                        + (3 * target).inSeconds
                )
            }
        ),
        LintRule(
            "reload-truncated",
            .error,
            .reload,
            section: "6.2.1",
            "segments must not be removed from the end",
            .reload { subject, findings in
                guard subject.comparesSegments, subject.comparison.added < 0 else { return }
                findings.report(
                    nil,
                    "\(counted(-subject.comparison.added, "segment")) at the end of the previous snapshot were removed"
                )
            }
        ),
        LintRule(
            "reload-daterange-removed",
            .error,
            .reload,
            section: "6.2.1",
            "a Date Range must not be removed while segments that it covers remain",
            .reload { subject, findings in
                guard subject.comparesSegments, let merged = subject.merged, let time = subject.time else { return }
                let left = Set(merged.dateRangeTags.map(\.id))
                let removed = subject.before.dateRanges.all.first { range in
                    guard !left.contains(range.id), let start = range.start else { return false }
                    let end = range.end ?? start
                    return start < time.end && (end > time.begin || (end <= start && start >= time.begin))
                }
                guard let removed else { return }
                findings.report(
                    nil,
                    "the Date Range \(ReadingContext.quoted(removed.id)) was removed, but segments that it covers "
                        + "remain"
                )
            }
        ),
        LintRule(
            "reload-daterange-changed",
            .error,
            .reload,
            section: "6.2.1",
            "the attributes of a Date Range must not change, and its ID must not be reused",
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
                            + (now[changed.name] == nil ? "was removed" : "has changed")
                            + ": a new Date Range needs a new ID"
                    )
                }
            }
        ),
    ]
}

extension ReloadSubject {
    /// True if segments were removed from a playlist with discontinuities but without EXT-X-DISCONTINUITY-SEQUENCE.
    fileprivate var lacksDiscontinuitySequence: Bool {
        comparison.removed > 0 && before.file.line(of: .discontinuity) != nil
            && after.file.line(of: .discontinuitySequence) == nil
    }

    /// The dates of the first remaining segment and of the end; nil when they are unknown. Before the first date of the
    /// later snapshot, the dates of the earlier snapshot are used.
    fileprivate var time: (begin: PlaylistDate, end: PlaylistDate)? {
        var clock = SegmentClock()
        // If segments between the two snapshots are unknown, the time between them is unknown too.
        if before.isFull, comparison.removed <= UInt64(comparison.before.count) {
            for segment in comparison.before.prefix(Int(comparison.removed)) {
                clock.advance(segment.date, segment.duration)
            }
        }
        var begin: PlaylistDate?
        for segment in comparison.after {
            clock.advance(segment.date, segment.duration)
            begin = begin ?? clock.start
        }
        guard let begin, let end = clock.end else { return nil }
        return (begin, end)
    }
}

extension MediaPlaylist {
    /// All EXT-X-DATERANGE tags.
    fileprivate var dateRangeTags: [DateRangeTag] { segments.flatMap(\.dateRanges) + upcoming.dateRanges }
}
