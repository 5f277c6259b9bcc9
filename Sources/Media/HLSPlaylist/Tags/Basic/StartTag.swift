/// EXT-X-START: the preferred start position (section 4.4.2.2).
///
///     #EXT-X-START:<attribute-list>
///
///     TIME-OFFSET   signed decimal floating point, seconds   required   negative: from the end
///     PRECISE       enumerated string                        optional   YES or NO
public struct StartTag: Hashable, Sendable {
    /// The offset in seconds from the start of the playlist; a negative offset is relative to its end.
    public var timeOffset: Double
    /// True if samples before the start position must not be rendered; nil means false.
    public var isPrecise: Bool?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag; `timeOffset` is in seconds.
    public init(timeOffset: Double, isPrecise: Bool? = nil, otherAttributes: [Attribute] = []) {
        self.timeOffset = timeOffset
        self.isPrecise = isPrecise
        self.otherAttributes = otherAttributes
    }
}

extension StartTag: AttributeTag {
    static let name = TagName.start

    init(reading attributes: inout AttributeReader) {
        timeOffset = attributes.signedDecimal("TIME-OFFSET", required: true) ?? 0
        isPrecise = attributes.flag("PRECISE")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.signedDecimal("TIME-OFFSET", timeOffset)
        attributes.flag("PRECISE", isPrecise)
        attributes.others(otherAttributes)
    }
}
