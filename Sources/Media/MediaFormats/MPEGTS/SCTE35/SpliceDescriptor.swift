import ByteCoding

/// A descriptor of a splice_info_section (ANSI/SCTE 35, 10.2).
///
///     splice_descriptor_tag   8 bits    0x02 with the identifier CUEI: ``SegmentationDescriptor``
///     descriptor_length       8 bits    of the bytes that follow
///     identifier              32 bits   CUEI for the descriptors of the standard
///     private bytes
public enum SpliceDescriptor: Hashable, Sendable {
    /// A segmentation descriptor.
    case segmentation(SegmentationDescriptor)
    /// Another descriptor: its tag, its identifier and its content.
    case other(tag: UInt8, identifier: UInt32, [UInt8])

    /// The identifier of the standard's descriptors: CUEI.
    static let identifier: UInt32 = 0x4355_4549

    init(reading reader: inout ByteReader) throws(ParseError) {
        let tag = try reader.readUInt8("splice descriptor tag")
        var content = try reader.split(Int(try reader.readUInt8("splice descriptor length")), "splice descriptor")
        let identifier = try content.readUInt32("splice descriptor identifier")
        guard tag == SegmentationDescriptor.tag, identifier == Self.identifier else {
            let bytes = try content.readBytes(content.remaining, "splice descriptor")
            self = .other(tag: tag, identifier: identifier, bytes)
            return
        }
        self = .segmentation(try SegmentationDescriptor(reading: &content))
        try content.finish("segmentation descriptor")
    }

    var bytes: [UInt8] {
        let (tag, identifier, content) =
            switch self {
            case .segmentation(let descriptor): (SegmentationDescriptor.tag, Self.identifier, descriptor.bytes)
            case .other(let tag, let identifier, let bytes): (tag, identifier, bytes)
            }
        return [tag, UInt8(truncatingIfNeeded: content.count + 4)] + SpliceInfoSection.bigEndian(identifier) + content
    }
}

/// segmentation_descriptor: what starts or ends at the time of a time_signal command (ANSI/SCTE 35, 10.3.3). The
/// content after the identifier is:
///
///     segmentation_event_id                        32 bits
///     segmentation_event_cancel_indicator          1 bit     if set, nothing follows the reserved bits
///     segmentation_event_id_compliance_indicator   1 bit
///     reserved                                     6 bits
///     program_segmentation_flag                    1 bit
///     segmentation_duration_flag                   1 bit
///     delivery_not_restricted_flag                 1 bit
///     restrictions                                 5 bits
///     component_count                              8 bits    ┐
///     component_tag                                8 bits    │ without program_segmentation_flag
///     reserved                                     7 bits    │
///     pts_offset                                   33 bits   ┘
///     segmentation_duration                        40 bits   with segmentation_duration_flag
///     segmentation_upid_type                       8 bits
///     segmentation_upid_length                     8 bits
///     segmentation_upid
///     segmentation_type_id                         8 bits
///     segment_num                                  8 bits
///     segments_expected                            8 bits
///     sub_segment_num                              8 bits    ┐ may be absent
///     sub_segments_expected                        8 bits    ┘
public struct SegmentationDescriptor: Hashable, Sendable {
    static let tag: UInt8 = 0x02

    /// The segmentation_type_id: what starts or ends.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The segmentation_type_id.
        public let rawValue: UInt8
        /// Creates a type from its segmentation_type_id.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The types that start a break or a placement opportunity. That of the end is one higher (ANSI/SCTE 35, table
        /// 23).
        private static let starts: Set<UInt8> = [0x22, 0x30, 0x32, 0x34, 0x36, 0x38, 0x3A, 0x3C, 0x3E, 0x44, 0x46]

        /// True if a break, an advertisement or a placement opportunity starts: a splice out.
        public var isOut: Bool { Self.starts.contains(rawValue) }
        /// True if a break, an advertisement or a placement opportunity ends: a splice in.
        public var isIn: Bool { rawValue > 0 && Self.starts.contains(rawValue - 1) }
    }

    /// A component and the offset of its time.
    public struct Component: Hashable, Sendable {
        /// The component_tag of the elementary stream.
        public var tag: UInt8
        /// The number that is added to the time of the command, in units of 1/90,000 second.
        public var offset: UInt64

        /// Creates a component.
        public init(tag: UInt8, offset: UInt64) {
            self.tag = tag
            self.offset = offset & SpliceTime.mask
        }
    }

    /// The details of an event that is not cancelled.
    public struct Event: Hashable, Sendable {
        /// The delivery_not_restricted_flag and the restrictions: the lowest 6 bits.
        public var delivery: UInt8 = 0x3F
        /// The components; nil if the descriptor applies to the whole program.
        public var components: [Component]?
        /// The duration in units of 1/90,000 second, 40 bits; nil if it is not specified.
        public var duration: UInt64?
        /// The segmentation_upid_type.
        public var identifierType: UInt8 = 0
        /// The segmentation_upid.
        public var identifier: [UInt8] = []
        /// The type: what starts or ends.
        public var kind: Kind
        /// The number of the segment in its group.
        public var number: UInt8 = 0
        /// The expected number of segments in the group.
        public var expected: UInt8 = 0
        /// The number of the sub-segment and the expected number; nil if they are absent.
        public var subsegment: (number: UInt8, expected: UInt8)? {
            get { subsegmentBytes.count == 2 ? (subsegmentBytes[0], subsegmentBytes[1]) : nil }
            set { subsegmentBytes = newValue.map { [$0.number, $0.expected] } ?? [] }
        }
        private var subsegmentBytes: [UInt8] = []

        /// Creates an event for the whole program.
        public init(_ kind: Kind, duration: UInt64? = nil) {
            self.kind = kind
            self.duration = duration.map { $0 & 0xFF_FFFF_FFFF }
        }
    }

    /// The segmentation_event_id.
    public var eventID: UInt32
    /// The segmentation_event_id_compliance_indicator.
    public var complianceIndicator = true
    /// The event; nil if the descriptor cancels the event with this ID.
    public var event: Event?

    /// Creates a descriptor; without an event, it cancels the event with this ID.
    public init(eventID: UInt32, event: Event?) {
        self.eventID = eventID
        self.event = event
    }

    init(reading reader: inout ByteReader) throws(ParseError) {
        eventID = try reader.readUInt32("segmentation event ID")
        let flags = try reader.readUInt8("segmentation event cancel indicator")
        complianceIndicator = flags & 0x40 != 0
        if flags & 0x80 == 0 { event = try Event(reading: &reader) }
    }

    var bytes: [UInt8] {
        let flags: UInt8 = (event == nil ? 0x80 : 0) | (complianceIndicator ? 0x40 : 0) | 0x3F
        return SpliceInfoSection.bigEndian(eventID) + [flags] + (event?.bytes ?? [])
    }
}

extension SegmentationDescriptor.Event {
    fileprivate init(reading reader: inout ByteReader) throws(ParseError) {
        let flags = try reader.readUInt8("segmentation flags")
        var components: [SegmentationDescriptor.Component]?
        if flags & 0x80 == 0 {
            var list: [SegmentationDescriptor.Component] = []
            for _ in 0..<(try reader.readUInt8("component count")) {
                let (tag, first) = (try reader.readUInt8("component tag"), try reader.readUInt8("PTS offset"))
                let offset = UInt64(first & 1) << 32 | UInt64(try reader.readUInt32("PTS offset"))
                list.append(SegmentationDescriptor.Component(tag: tag, offset: offset))
            }
            components = list
        }
        var duration: UInt64?
        if flags & 0x40 != 0 {
            let first = UInt64(try reader.readUInt8("segmentation duration")) << 32
            duration = first | UInt64(try reader.readUInt32("segmentation duration"))
        }
        let type = try reader.readUInt8("UPID type")
        let identifier = try reader.readBytes(Int(try reader.readUInt8("UPID length")), "UPID")
        self.init(.init(rawValue: try reader.readUInt8("segmentation type ID")), duration: duration)
        (delivery, identifierType, self.identifier, self.components) = (flags & 0x3F, type, identifier, components)
        number = try reader.readUInt8("segment number")
        expected = try reader.readUInt8("segments expected")
        guard reader.remaining > 0 else { return }
        subsegment = (try reader.readUInt8("sub-segment number"), try reader.readUInt8("sub-segments expected"))
    }

    fileprivate var bytes: [UInt8] {
        var bytes = [(components == nil ? 0x80 : 0) | (duration == nil ? 0 : 0x40) | delivery & 0x3F]
        if let components {
            bytes.append(UInt8(truncatingIfNeeded: components.count))
            for component in components {
                bytes += [component.tag, 0xFE | UInt8(component.offset >> 32 & 1)]
                bytes += SpliceInfoSection.bigEndian(UInt32(truncatingIfNeeded: component.offset))
            }
        }
        if let duration {
            bytes.append(UInt8(truncatingIfNeeded: duration >> 32))
            bytes += SpliceInfoSection.bigEndian(UInt32(truncatingIfNeeded: duration))
        }
        bytes += [identifierType, UInt8(truncatingIfNeeded: identifier.count)] + identifier
        bytes += [kind.rawValue, number, expected]
        if let subsegment { bytes += [subsegment.number, subsegment.expected] }
        return bytes
    }
}
