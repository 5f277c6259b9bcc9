/// EXT-X-DATERANGE: a Date Range, which is a range of time with attributes, such as an advertisement (section 4.4.5.1).
///
///     #EXT-X-DATERANGE:<attribute-list>
///
///     ID                 quoted string                    required
///     CLASS              quoted string                    optional
///     START-DATE         quoted string, date              required in the first tag of an ID
///     CUE                enumerated string list           optional   PRE, POST, ONCE
///     END-DATE           quoted string, date              optional
///     DURATION           decimal floating point, seconds  optional
///     PLANNED-DURATION   decimal floating point, seconds  optional
///     X-<name>           quoted string, hexadecimal sequence or signed decimal floating point
///     SCTE35-CMD, SCTE35-OUT, SCTE35-IN   hexadecimal sequence: a splice_info_section
///     END-ON-NEXT        enumerated string                optional   YES
///
/// Several tags with the same ID describe one Date Range; see ``MediaPlaylist/dateRanges``. ``interstitial`` returns
/// the attributes that appendix D adds.
public struct DateRangeTag: Hashable, Sendable {
    /// A trigger of an action (CUE).
    public struct Cue: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Creates a trigger identifier.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The action is triggered before the presentation starts.
        public static let pre: Cue = "PRE"
        /// The action is triggered after the presentation has ended.
        public static let post: Cue = "POST"
        /// The action is triggered only once.
        public static let once: Cue = "ONCE"
    }

    /// The identifier of the Date Range, unique in the playlist.
    public var id: String
    /// The class, which defines a set of attributes and their meaning (CLASS).
    public var rangeClass: String?
    /// The start date; nil in a tag that extends an earlier one.
    public var startDate: PlaylistDate?
    /// The triggers of the Date Range's action.
    public var cue: [Cue]
    /// The end date.
    public var endDate: PlaylistDate?
    /// The duration in seconds.
    public var duration: Double?
    /// The expected duration in seconds.
    public var plannedDuration: Double?
    /// The splice_info_section of a command that is neither a splice out nor a splice in.
    public var scte35Command: [UInt8]?
    /// The splice_info_section of the splice out.
    public var scte35Out: [UInt8]?
    /// The splice_info_section of the splice in.
    public var scte35In: [UInt8]?
    /// True if the Date Range ends at the start of the next range of its class.
    public var endsOnNext: Bool
    /// The attributes that begin with `X-`, followed by attributes that the draft does not define and by SCTE35
    /// attributes with an odd number of digits.
    public var otherAttributes: [Attribute]

    /// Creates a tag; durations are in seconds.
    public init(
        id: String,
        rangeClass: String? = nil,
        startDate: PlaylistDate? = nil,
        cue: [Cue] = [],
        endDate: PlaylistDate? = nil,
        duration: Double? = nil,
        plannedDuration: Double? = nil,
        scte35Command: [UInt8]? = nil,
        scte35Out: [UInt8]? = nil,
        scte35In: [UInt8]? = nil,
        endsOnNext: Bool = false,
        otherAttributes: [Attribute] = []
    ) {
        self.id = id
        self.rangeClass = rangeClass
        self.startDate = startDate
        self.cue = cue
        self.endDate = endDate
        self.duration = duration
        self.plannedDuration = plannedDuration
        self.scte35Command = scte35Command
        self.scte35Out = scte35Out
        self.scte35In = scte35In
        self.endsOnNext = endsOnNext
        self.otherAttributes = otherAttributes
    }

    /// The value of an attribute of ``otherAttributes``, such as one that begins with `X-`.
    public subscript(attribute: String) -> String? {
        otherAttributes.first { $0.name == attribute }?.value
    }
}

extension DateRangeTag: AttributeTag {
    static let name = TagName.dateRange

    init(reading attributes: inout AttributeReader) {
        id = attributes.quotedString("ID", required: true) ?? ""
        rangeClass = attributes.quotedString("CLASS")
        startDate = attributes.date("START-DATE")
        cue = attributes.quotedString("CUE")?.split(separator: ",").map { Cue(rawValue: String($0)) } ?? []
        endDate = attributes.date("END-DATE")
        duration = attributes.decimal("DURATION")
        plannedDuration = attributes.decimal("PLANNED-DURATION")
        var halves: [Attribute] = []
        scte35Command = attributes.octets("SCTE35-CMD", others: &halves)
        scte35Out = attributes.octets("SCTE35-OUT", others: &halves)
        scte35In = attributes.octets("SCTE35-IN", others: &halves)
        endsOnNext = attributes.yes("END-ON-NEXT", allowsNo: false)
        // The order is the order of writing.
        let others = attributes.remaining() + halves
        otherAttributes = others.filter { $0.name.hasPrefix("X-") } + others.filter { !$0.name.hasPrefix("X-") }
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("ID", id)
        attributes.quotedString("CLASS", rangeClass)
        attributes.date("START-DATE", startDate)
        attributes.quotedString("CUE", cue.isEmpty ? nil : cue.map(\.rawValue).joined(separator: ","))
        attributes.date("END-DATE", endDate)
        attributes.decimal("DURATION", duration)
        attributes.decimal("PLANNED-DURATION", plannedDuration)
        // The SCTE35 attributes follow the X- attributes, as in the draft, and precede the unknown attributes.
        attributes.others(otherAttributes.filter { $0.name.hasPrefix("X-") })
        attributes.hexadecimal("SCTE35-CMD", scte35Command)
        attributes.hexadecimal("SCTE35-OUT", scte35Out)
        attributes.hexadecimal("SCTE35-IN", scte35In)
        attributes.yes("END-ON-NEXT", endsOnNext)
        attributes.others(otherAttributes.filter { !$0.name.hasPrefix("X-") })
    }
}
