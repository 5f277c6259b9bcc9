extension MPDRule {
    /// Two states of one manifest, the later one fetched after the earlier one.
    static let reloadRules: [MPDRule] = [
        MPDRule("reload-type", reload: .error, section: "5.4", "a static manifest does not become dynamic") {
            before,
            after,
            findings in
            if !before.isDynamic, after.isDynamic {
                findings.add("MPD", "it was static, and players do not come again")
            }
        },
        MPDRule(
            "reload-after-end",
            reload: .error,
            section: "5.3.1.2",
            "a dynamic manifest without minimumUpdatePeriod stays as it is"
        ) { before, after, findings in
            guard before.isDynamic, before.minimumUpdatePeriod == nil, after != before else { return }
            findings.add("MPD", "it had no minimumUpdatePeriod, so that players do not come again: begin another one")
        },
        MPDRule(
            "reload-availability-start",
            reload: .error,
            section: "5.4",
            "availabilityStartTime stays the same"
        ) { before, after, findings in
            guard before.isDynamic, after.isDynamic, before.availabilityStart != after.availabilityStart else { return }
            let (old, new) = (before.availabilityStart.map { "\($0)" }, after.availabilityStart.map { "\($0)" })
            findings.add("MPD", "it is \(new ?? "missing"), and was \(old ?? "missing"): all times of players are off")
        },
        MPDRule(
            "reload-publish-time",
            reload: .error,
            section: "5.3.1.2",
            "publishTime grows when anything changes, and never goes back"
        ) { before, after, findings in
            guard let old = before.publishTime, let new = after.publishTime else { return }
            if new < old { findings.add("MPD", "it is \(new), and was \(old)") }
            if new == old, before != after { findings.add("MPD", "something has changed, and it still is \(new)") }
        },
        MPDRule(
            "reload-period-order",
            reload: .error,
            section: "5.4",
            "Periods that were there stay in order, and new ones come behind them"
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
                let place = old.firstIndex(of: id) ?? last
                if isNew { findings.add("Period \(id)", "a new Period stands before it") }
                if place < last { findings.add("Period \(id)", "it stood before the one that now is before it") }
                (last, isNew) = (max(last, place), false)
            }
        },
        MPDRule("reload-period-start", reload: .error, section: "5.3.2.2", "a Period of an id keeps its start") {
            before,
            after,
            findings in
            let starts = Dictionary(before.namedStarts, uniquingKeysWith: { first, _ in first })
            for (id, start) in after.namedStarts {
                guard let old = starts[id], old != start else { continue }
                findings.add("Period \(id)", "it begins at \(start), and began at \(old)")
            }
        },
        MPDRule(
            "reload-representation",
            reload: .error,
            section: "5.4",
            "a Representation stays what it was: type, codecs, key, timescale, init segment and names"
        ) { before, after, findings in
            let known = ReloadTrack.byName(before)
            for track in ReloadTrack.all(after) {
                guard let old = known[track.name], old.character != track.character else { continue }
                findings.add(track.place, "it is another one than before under the same id")
            }
        },
        MPDRule(
            "reload-segment-changed",
            reload: .error,
            section: "5.4",
            "a segment of a number keeps its time and its length"
        ) { before, after, findings in
            let known = ReloadTrack.byName(before)
            for track in ReloadTrack.all(after) {
                guard let old = known[track.name], old.template?.timescale == track.template?.timescale,
                    let first = old.template.flatMap(TimelineSegments.init),
                    let second = track.template.flatMap(TimelineSegments.init),
                    let number = second.firstDifference(from: first)
                else { continue }
                findings.add(track.place, "segment \(number) had another time or length")
            }
        },
        MPDRule(
            "reload-segment-removed",
            reload: .error,
            section: "5.3.1.2",
            "a segment stays as long as timeShiftBufferDepth covers it"
        ) { before, after, findings in
            let kept = ReloadTrack.byName(after)
            let depth = after.timeShiftBufferDepth ?? before.timeShiftBufferDepth
            let now = after.isDynamic ? after.publishTime : nil
            guard let origin = before.availabilityStart, before.isDynamic else { return }
            for track in ReloadTrack.all(before) {
                guard let old = track.template.flatMap(TimelineSegments.init), let start = track.start else { continue }
                let rest = kept[track.name]?.template.flatMap(TimelineSegments.init)
                guard let number = old.lastRemoved(leaving: rest), let end = old.end(of: number) else { continue }
                let seconds = Double(origin.microseconds) / 1e6 + start.seconds + end
                if let depth, let now, seconds <= Double(now.microseconds) / 1e6 - depth.seconds + 0.001 { continue }
                let promise = depth.map { "within the \($0) of timeShiftBufferDepth" } ?? "and all was to stay"
                findings.add(track.place, "segment \(number) has gone, \(promise)")
            }
        },
    ]
}

extension TimelineSegments {
    /// The number of the latest segment that another timeline has no more; nil: it has all.
    fileprivate func lastRemoved(leaving rest: TimelineSegments?) -> UInt64? {
        guard let numbers else { return nil }
        guard let rest = rest?.numbers else { return numbers.upperBound }
        if rest.upperBound < numbers.upperBound { return numbers.upperBound }
        return rest.lowerBound > numbers.lowerBound ? min(rest.lowerBound - 1, numbers.upperBound) : nil
    }
}
