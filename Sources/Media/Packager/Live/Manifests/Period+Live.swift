import DASHManifest
import HLSPlaylist

extension Period {
    /// Changes a representation. Returns whether there is one with the ID.
    @discardableResult
    mutating func change(_ id: String, _ change: (inout Representation) -> Void) -> Bool {
        for set in adaptationSets.indices {
            for index in adaptationSets[set].representations.indices
            where adaptationSets[set].representations[index].id == id {
                change(&adaptationSets[set].representations[index])
                return true
            }
        }
        return false
    }

    /// Adds a segment at the end of a representation. Returns whether there is one with the ID.
    mutating func append(_ segment: Rendition.Segment, to id: String, bandwidth: UInt64) -> Bool {
        change(id) { representation in
            representation.template?.append(
                duration: UInt64(clamping: segment.listedDuration.value),
                at: UInt64(clamping: segment.start.value)
            )
            // The bandwidth never decreases, because players rely on the published value.
            representation.bandwidth = max(representation.bandwidth, bandwidth)
        }
    }

    /// Changes the duration of the last segment of a representation, of which more is available. Returns whether the
    /// representation has changed.
    mutating func changeLast(_ segment: Rendition.Segment, of id: String, bandwidth: UInt64) -> Bool {
        var isChanged = false
        change(id) { representation in
            let duration = UInt64(clamping: segment.listedDuration.value)
            isChanged = representation.template?.changeLastDuration(to: duration) ?? false
            guard !segment.isOpen, bandwidth > representation.bandwidth else { return }
            (representation.bandwidth, isChanged) = (bandwidth, true)
        }
        return isChanged
    }

    /// Converts a media time of a template to a time relative to availabilityStartTime.
    private func end(_ time: UInt64, _ template: SegmentTemplate) -> ManifestDuration {
        let start = start?.microseconds ?? 0
        let units = RationalTime(
            Int64(clamping: time) &- Int64(clamping: template.presentationTimeOffset),
            timescale: max(1, template.timescale)
        )
        let (sum, overflow) = start.addingReportingOverflow(units.converted(to: 1_000_000))
        return overflow ? .longest : ManifestDuration(microseconds: sum)
    }

    /// The end of the media, relative to availabilityStartTime, if any.
    var mediaEnd: ManifestDuration? {
        adaptationSets.flatMap(\.representations).compactMap(\.template).compactMap { template in
            template.timelineRange.map { end($0.upperBound, template) }
        }.max()
    }

    /// True if all timelines are in the form that the packager writes: with start times and numbers, and of plausible
    /// length.
    var isCountable: Bool {
        let templates = adaptationSets.flatMap(\.representations).map(\.template)
        return templates.allSatisfy { template in
            guard let template, template.timescale > 0, template.timelineRange != nil, template.nextNumber != nil,
                let count = template.segmentCount
            else { return false }
            return count <= 1_000_000
        }
    }

    /// Sets the duration if the next Period does not start directly after the media.
    mutating func close(before next: ManifestDuration?) {
        guard duration == nil, let start, let mediaEnd, let next else { return }
        guard mediaEnd.microseconds < next.microseconds - 1000 else { return }
        duration = ManifestDuration(microseconds: mediaEnd.microseconds - start.microseconds)
    }

    /// Removes the segments that end at or before a time, and the representations and adaptation sets that become
    /// empty.
    fileprivate mutating func removeSegments(until time: ManifestDuration) {
        for set in adaptationSets.indices {
            for index in adaptationSets[set].representations.indices {
                guard var template = adaptationSets[set].representations[index].template else { continue }
                while let first = template.timeline.first, let range = template.timelineRange,
                    end(range.lowerBound &+ first.duration, template) <= time
                {
                    template.removeFirst()
                }
                adaptationSets[set].representations[index].template = template
            }
        }
        removeEmptySets()
    }

    fileprivate mutating func removeEmptySets() {
        for set in adaptationSets.indices {
            adaptationSets[set].representations.removeAll { $0.template?.timeline.isEmpty == true }
        }
        adaptationSets.removeAll { $0.representations.isEmpty }
    }
}

extension MPD {
    /// Removes what is no longer available: segments that ended before the time shift buffer, and Periods that become
    /// empty.
    mutating func removeSegments(until now: ManifestDate, timeShift: ManifestDuration) {
        guard let origin = availabilityStart else { return }
        let time = now.microseconds - timeShift.microseconds - origin.microseconds
        guard time > 0 else { return }
        for index in periods.indices.dropLast() {
            periods[index].removeSegments(until: ManifestDuration(microseconds: time))
        }
        // The last Period is never empty: its newest segment ends now.
        if let last = periods.indices.last {
            var period = periods[last]
            period.removeSegments(until: ManifestDuration(microseconds: time))
            if !period.adaptationSets.isEmpty { periods[last] = period }
        }
        periods.removeAll { $0.adaptationSets.isEmpty }
    }

    /// Removes the representations without segments, and the Periods that become empty.
    mutating func removeEmptyPeriods() {
        for index in periods.indices { periods[index].removeEmptySets() }
        periods.removeAll { $0.adaptationSets.isEmpty }
    }
}

extension ManifestDate {
    /// Converts a date to microseconds.
    init(_ date: PlaylistDate) {
        let (seconds, overflow) = date.seconds.multipliedReportingOverflow(by: 1_000_000)
        self.init(microseconds: overflow ? (date.seconds < 0 ? .min : .max) : seconds &+ Int64(date.nanoseconds / 1000))
    }
}

extension PlaylistDate {
    /// Converts a date.
    init(_ date: ManifestDate) {
        var (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        self.init(seconds: seconds, nanoseconds: Int32(rest) * 1000)
    }
}
