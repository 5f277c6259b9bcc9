/// EXT-X-SERVER-CONTROL: which delivery directives the server supports (section 4.4.3.8).
///
///     #EXT-X-SERVER-CONTROL:<attribute-list>
///
///     CAN-SKIP-UNTIL        decimal floating point, seconds   optional
///     CAN-SKIP-DATERANGES   enumerated string                 optional   YES; needs CAN-SKIP-UNTIL
///     HOLD-BACK             decimal floating point, seconds   optional
///     PART-HOLD-BACK        decimal floating point, seconds   required beside EXT-X-PART-INF
///     CAN-BLOCK-RELOAD      enumerated string                 optional   YES
public struct ServerControlTag: Hashable, Sendable {
    /// The skip boundary in seconds: older segments may be left out of a delta update. Nil when the server makes none.
    public var canSkipUntil: Double?
    /// Whether a delta update can leave out date ranges too.
    public var canSkipDateRanges: Bool
    /// How far from the end of the playlist to play, in seconds; nil means three target durations.
    public var holdBack: Double?
    /// How far from the end to play at low latency, in seconds.
    public var partHoldBack: Double?
    /// Whether the server blocks a request until the playlist has what was asked for.
    public var canBlockReload: Bool
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag; durations are in seconds.
    public init(
        canSkipUntil: Double? = nil,
        canSkipDateRanges: Bool = false,
        holdBack: Double? = nil,
        partHoldBack: Double? = nil,
        canBlockReload: Bool = false,
        otherAttributes: [Attribute] = []
    ) {
        self.canSkipUntil = canSkipUntil
        self.canSkipDateRanges = canSkipDateRanges
        self.holdBack = holdBack
        self.partHoldBack = partHoldBack
        self.canBlockReload = canBlockReload
        self.otherAttributes = otherAttributes
    }
}

extension ServerControlTag: AttributeTag {
    static let name = TagName.serverControl

    init(reading attributes: inout AttributeReader) {
        canSkipUntil = attributes.decimal("CAN-SKIP-UNTIL")
        canSkipDateRanges = attributes.yes("CAN-SKIP-DATERANGES")
        holdBack = attributes.decimal("HOLD-BACK")
        partHoldBack = attributes.decimal("PART-HOLD-BACK")
        canBlockReload = attributes.yes("CAN-BLOCK-RELOAD")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.decimal("CAN-SKIP-UNTIL", canSkipUntil)
        attributes.yes("CAN-SKIP-DATERANGES", canSkipDateRanges)
        attributes.decimal("HOLD-BACK", holdBack)
        attributes.decimal("PART-HOLD-BACK", partHoldBack)
        attributes.yes("CAN-BLOCK-RELOAD", canBlockReload)
        attributes.others(otherAttributes)
    }
}
