/// EXT-X-SERVER-CONTROL: the features of playlist delivery that the server supports, such as delta updates and blocking
/// reload, and the minimum distances from the end of the playlist at which clients should play (RFC 8216bis, 4.4.3.8).
///
///     #EXT-X-SERVER-CONTROL:<attribute-list>
///
///     CAN-SKIP-UNTIL        decimal floating point, seconds   optional
///     CAN-SKIP-DATERANGES   enumerated string                 optional   YES; requires CAN-SKIP-UNTIL
///     HOLD-BACK             decimal floating point, seconds   optional
///     PART-HOLD-BACK        decimal floating point, seconds   required with EXT-X-PART-INF
///     CAN-BLOCK-RELOAD      enumerated string                 optional   YES
public struct ServerControlTag: Hashable, Sendable {
    /// The Skip Boundary in seconds: a delta update may skip segments that are further from the end. Nil when the
    /// server does not support delta updates.
    public var canSkipUntil: Double?
    /// True if a delta update can skip Date Ranges too.
    public var canSkipDateRanges: Bool
    /// The minimum distance from the end of the playlist at which clients should play, in seconds; nil means three
    /// Target Durations.
    public var holdBack: Double?
    /// The minimum distance from the end of the playlist at which clients should play in low-latency mode, in seconds.
    /// Nil if the tag has no PART-HOLD-BACK, which is valid only in a playlist without EXT-X-PART-INF.
    public var partHoldBack: Double?
    /// True if the server supports blocking playlist reload: it delays the response until the playlist contains the
    /// requested segment or part.
    public var canBlockReload: Bool
    /// Attributes that RFC 8216bis does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag; durations are in seconds.
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
