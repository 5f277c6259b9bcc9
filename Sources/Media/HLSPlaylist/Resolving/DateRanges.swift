extension MediaPlaylist {
    /// The Date Ranges of the playlist, each with the attributes of all its tags, in the order of their first tags
    /// (section
    /// 4.4.5.1). If two tags have different values for an attribute, the first value is used.
    public var dateRanges: [DateRangeTag] {
        var ranges: [DateRangeTag] = []
        var indices: [String: Int] = [:]
        var names: [Set<String>] = []
        func add(_ tag: DateRangeTag) {
            guard let index = indices[tag.id] else {
                indices[tag.id] = ranges.count
                ranges.append(tag)
                names.append(Set(tag.otherAttributes.map(\.name)))
                return
            }
            ranges[index].add(tag)
            for attribute in tag.otherAttributes where names[index].insert(attribute.name).inserted {
                ranges[index].otherAttributes.append(attribute)
            }
        }
        for segment in segments { segment.dateRanges.forEach(add) }
        upcoming.dateRanges.forEach(add)
        return ranges
    }
}

extension DateRangeTag {
    /// Adds the attributes of another tag of this range that are missing here, except ``otherAttributes``.
    fileprivate mutating func add(_ other: DateRangeTag) {
        rangeClass = rangeClass ?? other.rangeClass
        startDate = startDate ?? other.startDate
        if cue.isEmpty { cue = other.cue }
        endDate = endDate ?? other.endDate
        duration = duration ?? other.duration
        plannedDuration = plannedDuration ?? other.plannedDuration
        scte35Command = scte35Command ?? other.scte35Command
        scte35Out = scte35Out ?? other.scte35Out
        scte35In = scte35In ?? other.scte35In
        endsOnNext = endsOnNext || other.endsOnNext
    }
}
