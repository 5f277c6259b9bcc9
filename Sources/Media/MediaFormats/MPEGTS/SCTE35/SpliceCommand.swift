import ByteCoding

/// The command of a splice_info_section (ANSI/SCTE 35, 9.7).
///
///     0x00   splice_null                no content: a sign that the stream is alive
///     0x04   splice_schedule            splices at times of day
///     0x05   splice_insert              ``SpliceInsert``
///     0x06   time_signal                ``SpliceTime``; descriptors say what happens at that time
///     0x07   bandwidth_reservation      no content
///     0xFF   private_command            identifier of 32 bits, and private bytes
public enum SpliceCommand: Hashable, Sendable {
    /// splice_null.
    case null
    /// splice_schedule, which is not interpreted.
    case schedule([UInt8])
    /// splice_insert.
    case insert(SpliceInsert)
    /// time_signal, with the time of the event; nil if it occurs immediately.
    case timeSignal(SpliceTime)
    /// bandwidth_reservation.
    case bandwidthReservation
    /// private_command, with its identifier and its content.
    case privateCommand(identifier: UInt32, [UInt8])
    /// The command and the descriptors of an encrypted section.
    ///
    /// - Parameter commandLength: The splice_command_length.
    case encrypted([UInt8], commandLength: UInt16)

    /// Reads the content of a command.
    ///
    /// - Parameter isUnbounded: Whether the length of the command is not specified, so that only commands whose syntax
    ///   determines it can be read.
    init(_ type: UInt8, reading reader: inout ByteReader, isUnbounded: Bool = false) throws(ParseError) {
        switch type {
        case 0x00: self = .null
        case 0x04 where !isUnbounded: self = .schedule(try reader.readBytes(reader.remaining, "splice_schedule"))
        case 0x05: self = .insert(try SpliceInsert(reading: &reader))
        case 0x06: self = .timeSignal(try SpliceTime(reading: &reader))
        case 0x07: self = .bandwidthReservation
        case 0xFF where !isUnbounded:
            let identifier = try reader.readUInt32("private command identifier")
            self = .privateCommand(identifier: identifier, try reader.readBytes(reader.remaining, "private command"))
        default:
            throw ParseError(
                .invalidValue,
                reading: "splice command type",
                offset: reader.offset,
                reason: "the type \(type) is reserved, or requires a splice_command_length"
            )
        }
    }

    /// The splice_command_type; 0 if the section is encrypted.
    var type: UInt8 {
        switch self {
        case .null, .encrypted: 0x00
        case .schedule: 0x04
        case .insert: 0x05
        case .timeSignal: 0x06
        case .bandwidthReservation: 0x07
        case .privateCommand: 0xFF
        }
    }

    /// The bytes of the content.
    var bytes: [UInt8] {
        switch self {
        case .null, .bandwidthReservation: []
        case .schedule(let bytes), .encrypted(let bytes, _): bytes
        case .insert(let insert): insert.bytes
        case .timeSignal(let time): time.bytes
        case .privateCommand(let identifier, let bytes): SpliceInfoSection.bigEndian(identifier) + bytes
        }
    }
}

/// The time of a splice, splice_time() (ANSI/SCTE 35, 9.8.1).
///
///     time_specified_flag   1 bit
///     reserved              6 bits    ┐ with a time; else 7 bits are reserved
///     pts_time              33 bits   ┘
public struct SpliceTime: Hashable, Sendable {
    /// The highest time: the timestamps of transport streams have 33 bits.
    static let mask: UInt64 = 0x1_FFFF_FFFF

    /// The time in units of 1/90,000 second, before ``SpliceInfoSection/adjustment`` is added; nil if it is not
    /// specified.
    public var time: UInt64?

    /// Creates a time.
    public init(_ time: UInt64?) { self.time = time.map { $0 & Self.mask } }

    init(reading reader: inout ByteReader) throws(ParseError) {
        let first = try reader.readUInt8("splice time")
        guard first & 0x80 != 0 else { return }
        time = UInt64(first & 1) << 32 | UInt64(try reader.readUInt32("splice time"))
    }

    var bytes: [UInt8] {
        guard let time else { return [0x7F] }
        return [0xFE | UInt8(time >> 32 & 1)] + SpliceInfoSection.bigEndian(UInt32(truncatingIfNeeded: time))
    }
}

/// splice_insert: the start or the end of a break (ANSI/SCTE 35, 9.7.3).
///
///     splice_event_id                 32 bits
///     splice_event_cancel_indicator   1 bit     if set, nothing follows the reserved bits
///     reserved                        7 bits
///     out_of_network_indicator        1 bit
///     program_splice_flag             1 bit
///     duration_flag                   1 bit
///     splice_immediate_flag           1 bit
///     event_id_compliance_flag        1 bit
///     reserved                        3 bits
///     splice_time                     with program_splice_flag, unless immediate
///     component_count                 8 bits    ┐
///     component_tag                   8 bits    │ without program_splice_flag; the times unless immediate
///     splice_time                               ┘
///     auto_return                     1 bit     ┐
///     reserved                        6 bits    │ with duration_flag
///     duration                        33 bits   ┘
///     unique_program_id               16 bits
///     avail_num                       8 bits
///     avails_expected                 8 bits
public struct SpliceInsert: Hashable, Sendable {
    /// The duration of a break, break_duration() (ANSI/SCTE 35, 9.8.2).
    public struct BreakDuration: Hashable, Sendable {
        /// True if the break ends after the duration without another command.
        public var isAutomaticReturn: Bool
        /// The duration in units of 1/90,000 second.
        public var duration: UInt64

        /// Creates a duration.
        public init(_ duration: UInt64, isAutomaticReturn: Bool) {
            self.duration = duration & SpliceTime.mask
            self.isAutomaticReturn = isAutomaticReturn
        }
    }

    /// The part of a command that splices the elementary streams of a program at different times.
    public struct Component: Hashable, Sendable {
        /// The component_tag of the elementary stream.
        public var tag: UInt8
        /// The time; nil if the command is immediate.
        public var time: SpliceTime?

        /// Creates a component.
        public init(tag: UInt8, time: SpliceTime?) {
            self.tag = tag
            self.time = time
        }
    }

    /// The details of an event that is not cancelled.
    public struct Event: Hashable, Sendable {
        /// True for the start of a break (out of the network), false for its end.
        public var isOut: Bool
        /// True if the splice occurs as soon as possible.
        public var isImmediate: Bool
        /// The event_id_compliance_flag.
        public var complianceFlag = true
        /// The time of the splice of the whole program; nil if it is immediate, or if there are components.
        public var time: SpliceTime?
        /// The components; nil if the whole program is spliced.
        public var components: [Component]?
        /// The duration of the break; nil if it is not specified.
        public var duration: BreakDuration?
        /// The unique_program_id.
        public var programID: UInt16 = 0
        /// The number of the avail in its group; 0 if it is not used.
        public var availNumber: UInt8 = 0
        /// The expected number of avails in the group; 0 if it is not used.
        public var availsExpected: UInt8 = 0

        /// Creates an event for the whole program.
        ///
        /// - Parameter time: The time in units of 1/90,000 second; nil for an immediate splice.
        public init(isOut: Bool, time: UInt64?, duration: BreakDuration? = nil) {
            self.isOut = isOut
            isImmediate = time == nil
            self.time = time.map { SpliceTime($0) }
            self.duration = duration
        }

        /// The earliest time of the program or its components, in units of 1/90,000 second; nil for an immediate splice.
        public var earliestTime: UInt64? { time?.time ?? components?.lazy.compactMap { $0.time?.time }.min() }
    }

    /// The splice_event_id.
    public var eventID: UInt32
    /// The event; nil if the command cancels the event with this ID.
    public var event: Event?

    /// Creates a command; without an event, it cancels the event with this ID.
    public init(eventID: UInt32, event: Event?) {
        self.eventID = eventID
        self.event = event
    }

    init(reading reader: inout ByteReader) throws(ParseError) {
        eventID = try reader.readUInt32("splice event ID")
        guard try reader.readUInt8("splice event cancel indicator") & 0x80 == 0 else { return }
        event = try Event(reading: &reader)
    }

    var bytes: [UInt8] {
        SpliceInfoSection.bigEndian(eventID) + (event.map { [0x7F] + $0.bytes } ?? [0xFF])
    }
}

extension SpliceInsert.Event {
    fileprivate init(reading reader: inout ByteReader) throws(ParseError) {
        let flags = try reader.readUInt8("splice flags")
        isOut = flags & 0x80 != 0
        isImmediate = flags & 0x10 != 0
        complianceFlag = flags & 0x08 != 0
        if flags & 0x40 != 0 {
            if !isImmediate { time = try SpliceTime(reading: &reader) }
        } else {
            var list: [SpliceInsert.Component] = []
            for _ in 0..<(try reader.readUInt8("component count")) {
                let tag = try reader.readUInt8("component tag")
                list.append(
                    SpliceInsert.Component(tag: tag, time: isImmediate ? nil : try SpliceTime(reading: &reader))
                )
            }
            components = list
        }
        if flags & 0x20 != 0 {
            let first = try reader.readUInt8("break duration")
            duration = SpliceInsert.BreakDuration(
                UInt64(first & 1) << 32 | UInt64(try reader.readUInt32("break duration")),
                isAutomaticReturn: first & 0x80 != 0
            )
        }
        programID = try reader.readUInt16("unique program ID")
        availNumber = try reader.readUInt8("avail number")
        availsExpected = try reader.readUInt8("avails expected")
    }

    fileprivate var bytes: [UInt8] {
        var flags: UInt8 = 0x07
        if isOut { flags |= 0x80 }
        if components == nil { flags |= 0x40 }
        if duration != nil { flags |= 0x20 }
        if isImmediate { flags |= 0x10 }
        if complianceFlag { flags |= 0x08 }
        var bytes = [flags]
        if let components {
            bytes.append(UInt8(truncatingIfNeeded: components.count))
            for component in components { bytes += [component.tag] + (component.time?.bytes ?? []) }
        } else if !isImmediate {
            bytes += (time ?? SpliceTime(nil)).bytes
        }
        if let duration {
            bytes.append((duration.isAutomaticReturn ? 0xFE : 0x7E) | UInt8(duration.duration >> 32 & 1))
            bytes += SpliceInfoSection.bigEndian(UInt32(truncatingIfNeeded: duration.duration))
        }
        return bytes + SpliceInfoSection.bigEndian(programID) + [availNumber, availsExpected]
    }
}
