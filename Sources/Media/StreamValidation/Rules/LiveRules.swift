import HLSPlaylist

extension ValidationRule {
    /// Rules about live presentations over time. The rules for changes between snapshots of a playlist are those of
    /// `HLSPlaylist`; ``StreamWatch`` checks both.
    static let liveRules: [ValidationRule] = observedLiveRules + measuredLiveRules + rotationRules

    /// The rules that are checked while a presentation changes.
    static let observedLiveRules: [ValidationRule] = [
        .observed(
            "live-drift",
            .should,
            "8216bis:6.2.1",
            .playlist,
            "Media is published as fast as time passes.",
            advice: "Look for a source or an encoder that is slower than real time, and for lost frames."
        ),
        .observed(
            "live-date-future",
            .should,
            "8.5",
            .playlist,
            "EXT-X-PROGRAM-DATE-TIME is the time of broadcast.",
            advice: "Synchronize the clock of the packager, and check the time zone that it writes."
        ),
        .observed(
            "live-oldest-segment-missing",
            .must,
            "8216bis:6.2.2",
            .media,
            "Each segment that a live playlist lists can be loaded, the oldest one too.",
            advice: "Remove segments from the playlist before they are deleted."
        ),
        .observed(
            "live-removed-segment-missing",
            .must,
            "8216bis:6.2.2",
            .media,
            "A segment that was removed from a live playlist can be loaded for some time.",
            advice: "Delete segments only after the duration of the playlist and of the segment."
        ),
        .observed(
            "live-segment-content",
            .must,
            "8216bis:6.2.1",
            .media,
            "A segment has the same bytes whenever it is loaded.",
            advice: "Let all servers and both encoders of a redundant pair publish the same segments under one name."
        ),
        .observed(
            "live-ended-early",
            .must,
            "8216bis:6.2.4",
            .playlist,
            "All playlists of a presentation end at the same time.",
            advice: "Write EXT-X-ENDLIST only when the presentation ends, in all playlists."
        ),
    ]

    /// The rules that compare the dates of all segments of a watch.
    private static let measuredLiveRules: [ValidationRule] = [
        .rendition(
            "live-date-drift",
            .should,
            "8216bis:4.4.4.6",
            .playlist,
            "The dates of segments advance by EXTINF.",
            advice: "Compute EXT-X-PROGRAM-DATE-TIME from the timestamps of the media, not from the clock at writing."
        ) { rendition, findings in
            guard rendition.isWatched, !rendition.isIFrames else { return }
            var origin: (date: PlaylistDate, start: Double)?
            var last: (error: Double, discontinuity: UInt64)?
            for segment in rendition.segments {
                guard let date = segment.programDateTime, let first = origin, let before = last,
                    before.discontinuity == segment.discontinuity, !segment.isDiscontinuity
                else {
                    origin = segment.programDateTime.map { ($0, segment.start) }
                    last = (0, segment.discontinuity)
                    continue
                }
                let error = date.timeInterval(since: first.date) - (segment.start - first.start)
                if abs(error - before.error) > 0.9 {
                    // A leap is a violation of program-date-time-jump or program-date-time-ambiguous.
                    (origin, last) = ((date, segment.start), (0, segment.discontinuity))
                    continue
                }
                last = (error, segment.discontinuity)
                guard abs(error) > 0.5 else { continue }
                findings.report(
                    .init(rendition, segment),
                    "The date differs from the date of the first segment plus the durations between them.",
                    measured: secondsText(error),
                    limit: "± 0.500 s"
                )
            }
        },
        ValidationRule(
            "live-discontinuities-differ",
            .must,
            "8.15",
            .playlist,
            "Discontinuities are at the same times, and have the same numbers, in all playlists.",
            advice: "Write EXT-X-DISCONTINUITY at the same date in all playlists, and count those that are removed."
        ) { presentation, findings in
            let watched = presentation.renditions.filter { $0.isWatched && !$0.isIFrames }
            guard let first = watched.first else { return }
            for other in watched.dropFirst() {
                let isMissing = first.discontinuity(missingIn: other)
                guard let segment = isMissing ?? other.discontinuity(missingIn: first) else { continue }
                let date = segment.programDateTime?.description ?? "an unknown date"
                findings.report(
                    .init(other.name),
                    isMissing != nil
                        ? "The first playlist has discontinuity \(segment.discontinuity) at \(date), and this one has not."
                        : "The playlist has discontinuity \(segment.discontinuity) at \(date), and the first one has not."
                )
            }
        },
    ]

    /// The rules about keys that change.
    private static let rotationRules: [ValidationRule] = [
        ValidationRule(
            "live-key-changes-differ",
            .should,
            "8216bis:6.2.4",
            .playlist,
            "Keys change at the same times in all encrypted playlists.",
            advice: "Start the key periods of all renditions at the same date."
        ) { presentation, findings in
            let encrypted = presentation.renditions.filter { rendition in
                rendition.isWatched && !rendition.isIFrames && rendition.segments.contains { $0.keys.isEncrypted }
            }
            guard let first = encrypted.max(by: { $0.keyChanges.count < $1.keyChanges.count }) else { return }
            for other in encrypted where other.name != first.name {
                let tolerance = Double(max(other.playlist.targetDuration, 1)) / 2
                let own = other.keyChanges.compactMap(\.programDateTime)
                let missing = first.keyChanges.first { change in
                    guard let date = change.programDateTime, other.covers(date) else { return false }
                    return !own.contains { abs($0.timeInterval(since: date)) <= tolerance }
                }
                guard let missing, let date = missing.programDateTime else { continue }
                let nearest = own.map { $0.timeInterval(since: date) }.min { abs($0) < abs($1) }
                findings.report(
                    .init(other.name),
                    "The key changes at \(date) in another playlist (segment \(missing.sequence)), but not in this one.",
                    measured: nearest.map(secondsText),
                    limit: "± \(secondsText(tolerance))"
                )
            }
        },
        .rendition(
            "live-key-returns",
            .should,
            "8216bis:4.4.4.4",
            .playlist,
            "A key that was replaced is not used again.",
            advice: "Use a new key for each key period; a key that returns can be used after its lease."
        ) { rendition, findings in
            guard rendition.isWatched else { return }
            var past: Set<String> = []
            var current: String?
            for segment in rendition.segments {
                guard let uri = segment.keyURI, uri != current else { continue }
                if let current { past.insert(current) }
                current = uri
                guard past.contains(uri) else { continue }
                findings.report(.init(rendition, segment), "The key is used again after another one.")
            }
        },
    ]
}

extension MeasuredSegment {
    /// The key URI that identifies the key period: that of FairPlay, or of the first key; nil for a clear segment.
    fileprivate var keyURI: String? { keys[.fairPlay]?.uri ?? keys.keys.first?.uri }
}

extension MeasuredRendition {
    /// The first segments of key periods, except the first period, in which an encrypted segment follows another one.
    fileprivate var keyChanges: [MeasuredSegment] {
        zip(segments, segments.dropFirst()).compactMap { before, after in
            guard let old = before.keyURI, let new = after.keyURI, old != new else { return nil }
            return after
        }
    }

    /// Returns whether a date is between the first and the last known date, and not near them.
    fileprivate func covers(_ date: PlaylistDate) -> Bool {
        guard let first = segments.first?.programDateTime, let last = segments.last?.programDateTime else {
            return false
        }
        let margin = Double(max(playlist.targetDuration, 1))
        return date.timeInterval(since: first) > margin && last.timeInterval(since: date) > margin
    }

    /// Returns a segment with a discontinuity that another playlist does not have at its date with its number.
    fileprivate func discontinuity(missingIn other: MeasuredRendition) -> MeasuredSegment? {
        let dates = other.segments.filter(\.isDiscontinuity).map { ($0.discontinuity, $0.programDateTime) }
        return segments.first { segment in
            guard segment.isDiscontinuity, let date = segment.programDateTime, other.covers(date) else { return false }
            return !dates.contains { number, otherDate in
                guard let otherDate, number == segment.discontinuity else { return false }
                return abs(otherDate.timeInterval(since: date)) < 0.5
            }
        }
    }
}
