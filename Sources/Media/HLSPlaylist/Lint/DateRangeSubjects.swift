import TextCoding

/// The Date Ranges of a playlist: all EXT-X-DATERANGE tags with one ID are one range (section 4.4.5.1).
struct DateRangeSubjects {
    /// A range with its tags.
    struct Subject {
        /// The tags with their lines, in order.
        private(set) var tags: [(tag: DateRangeTag, line: PlaylistLine)] = []
        /// The first CLASS.
        private(set) var rangeClass: String?
        /// The first START-DATE.
        private(set) var start: PlaylistDate?
        /// The first END-DATE.
        private(set) var endDate: PlaylistDate?
        /// The first DURATION.
        private(set) var duration: Double?

        mutating func add(_ tag: DateRangeTag, _ line: PlaylistLine) {
            tags.append((tag, line))
            rangeClass = rangeClass ?? tag.rangeClass
            start = start ?? tag.startDate
            endDate = endDate ?? tag.endDate
            duration = duration ?? tag.duration
        }

        /// The end of the range: the END-DATE, or the start plus the DURATION; nil when neither is known.
        var end: PlaylistDate? {
            if let endDate { return endDate }
            guard let start, let duration else { return nil }
            // This date is later than every date that a playlist can contain.
            guard duration < 3e11 else { return PlaylistDate(seconds: .max / 4) }
            return start.advanced(by: duration)
        }

        var id: String { tags.first?.tag.id ?? "" }
        var firstLine: PlaylistLine? { tags.first?.line }

        /// Returns whether one of the tags has the attribute, whose name begins with `X-`.
        func has(_ attribute: String) -> Bool { tags.contains { $0.tag[attribute] != nil } }
    }

    /// The ranges, in the order of their first tags.
    private(set) var all: [Subject] = []
    private var index: [String: Int] = [:]

    /// Collects the Date Ranges of the lines.
    init(_ lines: some Sequence<PlaylistLine>) {
        for line in lines {
            guard case .tag(.dateRange(let tag)) = line.content else { continue }
            let position = index[tag.id] ?? all.count
            if position == all.count {
                index[tag.id] = position
                all.append(Subject())
            }
            all[position].add(tag, line)
        }
    }

    /// The range with the ID; nil when there is none.
    subscript(id: String) -> Subject? { index[id].map { all[$0] } }
}

extension MediaSubject {
    /// The Date Ranges.
    var dateRanges: DateRangeSubjects { DateRangeSubjects(lines) }
}

extension DateRangeTag {
    /// All attributes except ID, each in a normalized form, so that equal values compare as equal.
    var comparableAttributes: [(name: String, value: String)] {
        func instant(_ date: PlaylistDate) -> String { "\(date.seconds) \(date.nanoseconds)" }
        var result: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) { if let value { result.append((name, value)) } }
        add("CLASS", rangeClass)
        add("START-DATE", startDate.map(instant))
        add("CUE", cue.isEmpty ? nil : cue.map(\.rawValue).joined(separator: ","))
        add("END-DATE", endDate.map(instant))
        add("DURATION", duration?.description)
        add("PLANNED-DURATION", plannedDuration?.description)
        add("SCTE35-CMD", scte35Command.map { Hexadecimal.encodeUppercase($0) })
        add("SCTE35-OUT", scte35Out.map { Hexadecimal.encodeUppercase($0) })
        add("SCTE35-IN", scte35In.map { Hexadecimal.encodeUppercase($0) })
        add("END-ON-NEXT", endsOnNext ? "YES" : nil)
        for attribute in otherAttributes {
            add(attribute.name, (attribute.isQuoted ? "\"" : "") + attribute.value)
        }
        return result
    }
}
