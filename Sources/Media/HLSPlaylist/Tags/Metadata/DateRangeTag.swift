/// EXT-X-DATERANGE: a range of time with attributes, such as an advertisement (section 4.4.5.1).
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
/// Several tags with one ID describe one range; see ``MediaPlaylist/dateRanges``. ``interstitial`` reads what appendix
/// D adds.
public struct DateRangeTag: Hashable, Sendable {
    /// When an action is triggered: CUE.
    public struct Cue: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Makes a trigger identifier.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Before the presentation starts.
        public static let pre: Cue = "PRE"
        /// After the presentation has ended.
        public static let post: Cue = "POST"
        /// Only once.
        public static let once: Cue = "ONCE"
    }

    /// What identifies the range in the playlist.
    public var id: String
    /// Which attributes to expect, and what they mean: CLASS.
    public var rangeClass: String?
    /// When it begins; nil in a tag that adds to an earlier one.
    public var startDate: PlaylistDate?
    /// When its action is triggered.
    public var cue: [Cue]
    /// When it ends.
    public var endDate: PlaylistDate?
    /// How long it is, in seconds.
    public var duration: Double?
    /// How long it is expected to be, in seconds.
    public var plannedDuration: Double?
    /// A splice_info_section that is neither in nor out.
    public var scte35Command: [UInt8]?
    /// The splice_info_section of the splice out.
    public var scte35Out: [UInt8]?
    /// The splice_info_section of the splice in.
    public var scte35In: [UInt8]?
    /// Whether it ends where the next range of its class starts.
    public var endsOnNext: Bool
    /// Attributes that begin with `X-`, and behind them those that the draft does not define, and an SCTE35 attribute
    /// that is no whole number of bytes.
    public var otherAttributes: [Attribute]

    /// Makes a tag; durations are in seconds.
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

    /// The value of an attribute that begins with `X-`.
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
        // In the order in which they are written.
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
        // Before what is unknown, but after the X- attributes, as the draft lists them.
        attributes.others(otherAttributes.filter { $0.name.hasPrefix("X-") })
        attributes.hexadecimal("SCTE35-CMD", scte35Command)
        attributes.hexadecimal("SCTE35-OUT", scte35Out)
        attributes.hexadecimal("SCTE35-IN", scte35In)
        attributes.yes("END-ON-NEXT", endsOnNext)
        attributes.others(otherAttributes.filter { !$0.name.hasPrefix("X-") })
    }
}
