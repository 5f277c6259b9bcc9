extension MPDRule {
    /// The rules for changes between two versions of a manifest.
    static let reloadRules: [MPDRule] = [
        MPDRule("reload-type", reload: .error, section: "5.4", "a static manifest must not become dynamic") {
            before,
            after,
            findings in
            if !before.isDynamic, after.isDynamic {
                findings.add(
                    "MPD",
                    "the manifest has become dynamic, but it was static, and players do not reload a static manifest"
                )
            }
        },
        MPDRule(
            "reload-after-end",
            reload: .error,
            section: "5.3.1.2",
            "a dynamic manifest without minimumUpdatePeriod must not change"
        ) { before, after, findings in
            guard before.isDynamic, before.minimumUpdatePeriod == nil, after != before else { return }
            findings.add(
                "MPD",
                "the manifest has changed, but it had no minimumUpdatePeriod, so players do not "
                    + "reload it: write a new manifest"
            )
        },
        MPDRule(
            "reload-availability-start",
            reload: .error,
            section: "5.4",
            "availabilityStartTime must not change"
        ) { before, after, findings in
            guard before.isDynamic, after.isDynamic, before.availabilityStart != after.availabilityStart else { return }
            let (old, new) = (before.availabilityStart.map { "\($0)" }, after.availabilityStart.map { "\($0)" })
            findings.add(
                "MPD",
                "availabilityStartTime changed from \(old ?? "missing") to \(new ?? "missing"), so "
                    + "players compute wrong times"
            )
        },
        MPDRule(
            "reload-publish-time",
            reload: .error,
            section: "5.3.1.2",
            "publishTime must increase when the manifest changes, and must not decrease"
        ) { before, after, findings in
            guard let old = before.publishTime, let new = after.publishTime else { return }
            if new < old { findings.add("MPD", "publishTime decreased from \(old) to \(new)") }
            if new == old, before != after {
                findings.add(
                    "MPD",
                    "the manifest has changed, but publishTime is still \(new): increase it"
                )
            }
        },
        MPDRule(
            "reload-period-order",
            reload: .error,
            section: "5.4",
            "existing Periods must keep their order, and new Periods must follow them"
        ) { before, after, findings in
            let (old, new) = (before.periods.compactMap(\.id), after.periods.compactMap(\.id))
            let known = Set(old)
            var last = -1
            var isNew = false
            for id in new {
                guard known.contains(id) else {
                    isNew = true
                    continue
                }
                let index = old.firstIndex(of: id) ?? last
                if isNew { findings.add("Period \(id)", "a new Period was inserted before this Period") }
                if index < last {
                    findings.add(
                        "Period \(id)",
                        "the order of this Period and the preceding one has changed"
                    )
                }
                (last, isNew) = (max(last, index), false)
            }
        },
        MPDRule(
            "reload-period-start",
            reload: .error,
            section: "5.3.2.2",
            "the start of a Period with an id must not change"
        ) {
            before,
            after,
            findings in
            let starts = Dictionary(before.namedStarts, uniquingKeysWith: { first, _ in first })
            for (id, start) in after.namedStarts {
                guard let old = starts[id], old != start else { continue }
                findings.add("Period \(id)", "the start of the Period changed from \(old) to \(start)")
            }
        },
        MPDRule(
            "reload-representation",
            reload: .error,
            section: "5.4",
            "mimeType, codecs, lang, key, timescale and template of a Representation must not change"
        ) { before, after, findings in
            let known = ReloadTrack.byKey(before)
            for track in ReloadTrack.all(after) {
                guard let old = known[track.key], old.invariants != track.invariants else { continue }
                findings.add(
                    track.location,
                    "the mimeType, codecs, lang, key, timescale or template of the "
                        + "Representation has changed: write a new id"
                )
            }
        },
        MPDRule(
            "reload-segment-changed",
            reload: .error,
            section: "5.4",
            "the time and the duration of a segment number must not change; "
                + "only an incomplete segment may change its duration"
        ) { before, after, findings in
            let known = ReloadTrack.byKey(before)
            for track in ReloadTrack.all(after) {
                guard let old = known[track.key], old.template?.timescale == track.template?.timescale,
                    let first = old.template.flatMap(TimelineSegments.init),
                    let second = track.template.flatMap(TimelineSegments.init),
                    let number = second.firstDifference(from: first, isLastIncomplete: old.hasIncompleteSegment)
                else { continue }
                findings.add(track.location, "the time or the duration of segment \(number) has changed")
            }
        },
        MPDRule(
            "reload-segment-removed",
            reload: .error,
            section: "5.3.1.2",
            "a segment must not be removed while it is within timeShiftBufferDepth"
        ) { before, after, findings in
            let kept = ReloadTrack.byKey(after)
            let depth = after.timeShiftBufferDepth ?? before.timeShiftBufferDepth
            let now = after.isDynamic ? after.publishTime : nil
            guard let origin = before.availabilityStart, before.isDynamic else { return }
            for track in ReloadTrack.all(before) {
                guard let old = track.template.flatMap(TimelineSegments.init), let start = track.start else { continue }
                let rest = kept[track.key]?.template.flatMap(TimelineSegments.init)
                guard let number = old.lastRemoved(keeping: rest), let end = old.end(of: number) else { continue }
                let seconds = Double(origin.microseconds) / 1e6 + start.seconds + end
                if let depth, let now, seconds <= Double(now.microseconds) / 1e6 - depth.seconds + 0.001 { continue }
                let limit =
                    depth.map { "it is within timeShiftBufferDepth, \($0)" } ?? "timeShiftBufferDepth is missing"
                findings.add(track.location, "segment \(number) was removed, although \(limit)")
            }
        },
    ]
}

extension TimelineSegments {
    /// Returns the number of the last segment that a later timeline no longer has; nil when it has all segments.
    fileprivate func lastRemoved(keeping rest: TimelineSegments?) -> UInt64? {
        guard let numbers else { return nil }
        guard let rest = rest?.numbers else { return numbers.upperBound }
        if rest.upperBound < numbers.upperBound { return numbers.upperBound }
        return rest.lowerBound > numbers.lowerBound ? min(rest.lowerBound - 1, numbers.upperBound) : nil
    }
}
