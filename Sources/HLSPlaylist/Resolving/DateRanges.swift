extension MediaPlaylist {
    /// The date ranges of the playlist, each with the attributes of all its tags, in the order of their first tags
    /// (section 4.4.5.1). Where two tags disagree, the first holds.
    public var dateRanges: [DateRangeTag] {
        var order: [String] = []
        var ranges: [String: DateRangeTag] = [:]
        for tag in segments.lazy.flatMap(\.dateRanges) + upcoming.dateRanges {
            if let range = ranges[tag.id] {
                ranges[tag.id] = range.consolidated(with: tag)
            } else {
                order.append(tag.id)
                ranges[tag.id] = tag
            }
        }
        return order.compactMap { ranges[$0] }
    }
}

extension DateRangeTag {
    /// This range with the attributes that another tag of it adds.
    func consolidated(with other: DateRangeTag) -> DateRangeTag {
        var result = self
        result.rangeClass = rangeClass ?? other.rangeClass
        result.startDate = startDate ?? other.startDate
        if cue.isEmpty { result.cue = other.cue }
        result.endDate = endDate ?? other.endDate
        result.duration = duration ?? other.duration
        result.plannedDuration = plannedDuration ?? other.plannedDuration
        result.scte35Command = scte35Command ?? other.scte35Command
        result.scte35Out = scte35Out ?? other.scte35Out
        result.scte35In = scte35In ?? other.scte35In
        result.endsOnNext = endsOnNext || other.endsOnNext
        let names = Set(otherAttributes.map(\.name))
        result.otherAttributes += other.otherAttributes.filter { !names.contains($0.name) }
        return result
    }
}
