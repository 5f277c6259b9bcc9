/// An adaptation set with its place.
struct SetSubject {
    let place: String
    let period: Period
    let set: AdaptationSet

    /// What its representations are encrypted by, those of the set included.
    var protections: [ContentProtection] { self.set.protections + set.representations.flatMap(\.protections) }
}

/// A representation with its place and what its set says.
struct RepresentationSubject {
    let place: String
    let period: Period
    /// How long the period is, as far as that is said.
    let periodDuration: ManifestDuration?
    let set: AdaptationSet
    let representation: Representation

    var mimeType: String? { representation.mimeType ?? set.mimeType }
    var codecs: String? { representation.codecs ?? set.codecs }
    var template: SegmentTemplate? { representation.template ?? set.template }
}

extension MPD {
    /// What a period is called in findings.
    func place(ofPeriod index: Int) -> String { "Period " + (periods[index].id ?? "\(index + 1)") }

    /// When periods begin, as far as that is said: at 0, at their start, or where the one before ends.
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

    /// How long periods are, as far as that is said.
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
                return SetSubject(place: "\(place(ofPeriod: number)), AdaptationSet \(name)", period: period, set: set)
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
                        place: "\(place(ofPeriod: number)), AdaptationSet \(name), Representation \(representation.id)",
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

/// The values that occur more than once, in order.
func repeated<Value: Hashable>(_ values: some Sequence<Value>) -> [Value] {
    var counts: [Value: Int] = [:]
    return values.filter { value in
        counts[value, default: 0] += 1
        return counts[value] == 2
    }
}
