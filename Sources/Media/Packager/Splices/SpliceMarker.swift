package import MediaFormats

/// A splice_info_section of an input, with its time on the timeline of the input's current part.
package struct SpliceMarker: Sendable {
    /// The bytes of the section.
    package var section: [UInt8]
    /// The section.
    package var info: SpliceInfoSection
    /// The time at which the command applies; that of its arrival if it specifies none.
    package var time: RationalTime
    /// True if the command specifies no time: it applies as soon as possible.
    package var isImmediate: Bool

    /// Creates a marker.
    package init(section: [UInt8], info: SpliceInfoSection, time: RationalTime, isImmediate: Bool) {
        self.section = section
        self.info = info
        self.time = time
        self.isImmediate = isImmediate
    }
}

/// A point of the presentation at which a command of SCTE 35 applies.
package struct SplicePoint: Sendable {
    /// The identity of an event: the commands that start and end a break have the same one.
    enum Event: Hashable, Sendable {
        /// The splice_event_id of splice_insert.
        case insert(UInt32)
        /// The segmentation_event_id, and the segmentation_type_id of its start.
        case segmentation(UInt32, type: UInt8)
        /// A command without an event: the checksum of its section.
        case other([UInt8])
    }

    /// The meaning of the command for its event.
    enum Role: Hashable, Sendable {
        /// A break starts.
        case out
        /// A break ends.
        case `in`
        /// A break ends after its duration, without a command (auto_return).
        case automaticReturn
        /// Something else happens.
        case command
    }

    /// The number of the point in the presentation, from 0.
    var number = 0
    let event: Event
    let role: Role
    /// The time in the part of the segment to which the point belongs.
    var time: RationalTime
    /// The bytes of the section; empty for an automatic return.
    let section: [UInt8]
    /// The planned duration in seconds; nil if it is not specified.
    var duration: Double?
    /// True if the break ends after its duration without a command.
    var isAutomaticReturn = false
    /// True if the command specifies no time.
    var isImmediate = false
    /// True if a segment starts at the point.
    var startsSegment = true
    /// The time from the point to the start of the segment, in seconds, if there is no key frame at the point; else 0.
    var delay = 0.0

    /// Returns the points of a command; empty for commands that announce nothing, and for those that cancel others.
    ///
    /// Each segmentation descriptor is a point, since different types of segments have separate Date Ranges (RFC
    /// 8216bis, 4.4.5.1.1).
    static func points(of marker: SpliceMarker) -> [SplicePoint] {
        func point(_ event: Event, _ role: Role, duration: UInt64? = nil) -> SplicePoint {
            var point = SplicePoint(event: event, role: role, time: marker.time, section: marker.section)
            point.duration = duration.map { Double($0) / Double(SpliceInfoSection.timescale) }
            point.isImmediate = marker.isImmediate
            return point
        }
        let other = Event.other(Array(marker.section.suffix(4)))
        switch marker.info.command {
        case .null, .bandwidthReservation: return []
        case .schedule, .privateCommand, .encrypted:
            var command = point(other, .command)
            command.startsSegment = false
            return [command]
        case .insert(let insert):
            guard let event = insert.event else { return [] }
            let duration = event.isOut ? event.duration : nil
            var splice = point(.insert(insert.eventID), event.isOut ? .out : .in, duration: duration?.duration)
            splice.isAutomaticReturn = duration?.isAutomaticReturn ?? false
            return [splice]
        case .timeSignal:
            let segmentations = marker.info.descriptors.compactMap {
                if case .segmentation(let descriptor) = $0 { descriptor } else { nil }
            }
            guard !segmentations.isEmpty else { return [point(other, .command)] }
            return segmentations.compactMap { descriptor in
                guard let event = descriptor.event else { return nil }
                let type = event.kind.isIn ? event.kind.rawValue - 1 : event.kind.rawValue
                return point(
                    .segmentation(descriptor.eventID, type: type),
                    event.kind.isOut ? .out : event.kind.isIn ? .in : .command,
                    duration: event.kind.isIn ? nil : event.duration
                )
            }
        }
    }

    /// Returns whether a command cancels the event of this point.
    func isCancelled(by info: SpliceInfoSection) -> Bool {
        switch (info.command, event) {
        case (.insert(let insert), .insert(let id)): insert.event == nil && insert.eventID == id
        case (_, .segmentation(let id, _)):
            info.descriptors.contains {
                if case .segmentation(let other) = $0 { other.event == nil && other.eventID == id } else { false }
            }
        default: false
        }
    }
}
