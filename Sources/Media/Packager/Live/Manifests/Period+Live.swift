import DASHManifest
import HLSPlaylist

extension Period {
    /// Changes a representation; does nothing, and says so, when it has none of that id.
    @discardableResult
    mutating func change(_ id: String, _ change: (inout Representation) -> Void) -> Bool {
        for set in adaptationSets.indices {
            for place in adaptationSets[set].representations.indices
            where adaptationSets[set].representations[place].id == id {
                change(&adaptationSets[set].representations[place])
                return true
            }
        }
        return false
    }

    /// Adds a segment at the end of a representation; says whether there is one of that id.
    mutating func append(_ place: LiveSegment.Place, to id: String, bandwidth: UInt64) -> Bool {
        change(id) { representation in
            representation.template?.append(
                duration: place.duration,
                at: UInt64(clamping: place.start.value)
            )
            // What was promised to players is kept, and it may have to be more.
            representation.bandwidth = max(representation.bandwidth, bandwidth)
        }
    }

    /// When a segment of a template ends that ends at a time of the media, counted from availabilityStartTime.
    private func end(_ time: UInt64, _ template: SegmentTemplate) -> ManifestDuration {
        let start = start?.microseconds ?? 0
        let units = MediaTime(
            Int64(clamping: time) &- Int64(clamping: template.presentationTimeOffset),
            timescale: max(1, template.timescale)
        )
        let (sum, overflow) = start.addingReportingOverflow(units.converted(to: 1_000_000))
        return overflow ? .longest : ManifestDuration(microseconds: sum)
    }

    /// Where its media ends, counted from availabilityStartTime; nil when it has none.
    var mediaEnd: ManifestDuration? {
        adaptationSets.flatMap(\.representations).compactMap(\.template).compactMap { template in
            template.timelineRange.map { end($0.upperBound, template) }
        }.max()
    }

    /// Whether its timelines are as they are written here: countable, and not so long that nobody would have written them.
    var isCountable: Bool {
        let templates = adaptationSets.flatMap(\.representations).map(\.template)
        return templates.allSatisfy { template in
            guard let template, template.timescale > 0, template.timelineRange != nil, template.nextNumber != nil,
                let count = template.segmentCount
            else { return false }
            return count <= 1_000_000
        }
    }

    /// Says where it ends when the next one begins later.
    mutating func close(before next: ManifestDuration?) {
        guard duration == nil, let start, let mediaEnd, let next else { return }
        guard mediaEnd.microseconds < next.microseconds - 1000 else { return }
        duration = ManifestDuration(microseconds: mediaEnd.microseconds - start.microseconds)
    }

    /// Removes the segments that end at a time or before it, and representations and sets that have none then.
    fileprivate mutating func removeSegments(until time: ManifestDuration) {
        for set in adaptationSets.indices {
            for place in adaptationSets[set].representations.indices {
                guard var template = adaptationSets[set].representations[place].template else { continue }
                while let first = template.timeline.first, let range = template.timelineRange,
                    end(range.lowerBound &+ first.duration, template) <= time
                {
                    template.removeFirst()
                }
                adaptationSets[set].representations[place].template = template
            }
            adaptationSets[set].representations.removeAll { $0.template?.timeline.isEmpty == true }
        }
        adaptationSets.removeAll { $0.representations.isEmpty }
    }
}

extension MPD {
    /// Removes what can be had no longer: segments that ended longer ago than a time shift, and Periods that have none then.
    mutating func removeSegments(until now: ManifestDate, timeShift: ManifestDuration) {
        guard let origin = availabilityStart else { return }
        let time = now.microseconds - timeShift.microseconds - origin.microseconds
        guard time > 0 else { return }
        for place in periods.indices.dropLast() {
            periods[place].removeSegments(until: ManifestDuration(microseconds: time))
        }
        // There is always one: the newest segment ends now.
        if let last = periods.indices.last {
            var period = periods[last]
            period.removeSegments(until: ManifestDuration(microseconds: time))
            if !period.adaptationSets.isEmpty { periods[last] = period }
        }
        periods.removeAll { $0.adaptationSets.isEmpty }
    }
}

extension ManifestDate {
    /// The same date, to the microsecond.
    init(_ date: PlaylistDate) {
        let (seconds, overflow) = date.seconds.multipliedReportingOverflow(by: 1_000_000)
        self.init(microseconds: overflow ? (date.seconds < 0 ? .min : .max) : seconds &+ Int64(date.nanoseconds / 1000))
    }
}

extension PlaylistDate {
    /// The same date.
    init(_ date: ManifestDate) {
        var (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        self.init(seconds: seconds, nanoseconds: Int32(rest) * 1000)
    }
}
