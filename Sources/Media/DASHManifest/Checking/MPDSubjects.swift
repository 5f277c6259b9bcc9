/// An AdaptationSet with its location in the manifest.
struct SetSubject {
    let location: String
    let period: Period
    let set: AdaptationSet

    /// The ContentProtection elements of the set and of its Representations.
    var protections: [ContentProtection] { self.set.protections + set.representations.flatMap(\.protections) }
}

/// A Representation with its location in the manifest, and the values that it inherits from its set.
struct RepresentationSubject {
    let location: String
    let period: Period
    /// The duration of the Period; nil when it is unknown.
    let periodDuration: ManifestDuration?
    let set: AdaptationSet
    let representation: Representation

    var mimeType: String? { representation.mimeType ?? set.mimeType }
    var codecs: String? { representation.codecs ?? set.codecs }
    var template: SegmentTemplate? { representation.template ?? set.template }
}

extension MPD {
    /// Returns the name of a Period in findings.
    func location(ofPeriod index: Int) -> String { "Period " + (periods[index].id ?? "\(index + 1)") }

    /// The start times of the Periods: the `start` attribute, or the end of the preceding Period, or 0 for the first
    /// one; nil when the start is unknown.
    var periodStarts: [ManifestDuration?] {
        var end: ManifestDuration? = ManifestDuration(microseconds: 0)
        return periods.map { period in
            let start = period.start ?? end
            end = start.flatMap { start in
                period.duration.map { ManifestDuration(microseconds: start.microseconds &+ $0.microseconds) }
            }
            return start
        }
    }

    /// The durations of the Periods; nil when the duration is unknown.
    var periodDurations: [ManifestDuration?] {
        let starts = periodStarts
        return periods.indices.map { index in
            if let duration = periods[index].duration { return duration }
            let end = index + 1 < periods.count ? starts[index + 1] : duration
            guard let start = starts[index], let end else { return nil }
            return ManifestDuration(microseconds: end.microseconds - start.microseconds)
        }
    }

    var sets: [SetSubject] {
        periods.enumerated().flatMap { number, period in
            period.adaptationSets.enumerated().map { index, set in
                let name = set.id.map { "\($0)" } ?? "\(index + 1)"
                return SetSubject(
                    location: "\(location(ofPeriod: number)), AdaptationSet \(name)",
                    period: period,
                    set: set
                )
            }
        }
    }

    var representations: [RepresentationSubject] {
        let durations = periodDurations
        return periods.enumerated().flatMap { number, period in
            period.adaptationSets.enumerated().flatMap { index, set in
                let name = set.id.map { "\($0)" } ?? "\(index + 1)"
                return set.representations.map { representation in
                    RepresentationSubject(
                        location: "\(location(ofPeriod: number)), AdaptationSet \(name), Representation "
                            + "\(representation.id)",
                        period: period,
                        periodDuration: durations[number],
                        set: set,
                        representation: representation
                    )
                }
            }
        }
    }
}

/// Returns the values that occur more than once, in order.
func duplicates<Value: Hashable>(_ values: some Sequence<Value>) -> [Value] {
    var counts: [Value: Int] = [:]
    return values.filter { value in
        counts[value, default: 0] += 1
        return counts[value] == 2
    }
}
