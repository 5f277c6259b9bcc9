/// EXT-X-PART-INF: information about the Partial Segments of a playlist (section 4.4.3.7).
///
///     #EXT-X-PART-INF:<attribute-list>
///
///     PART-TARGET   decimal floating point, seconds   required
public struct PartInfTag: Hashable, Sendable {
    /// The Part Target Duration in seconds, which no Partial Segment exceeds.
    public var partTarget: Double
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag; `partTarget` is in seconds.
    public init(partTarget: Double, otherAttributes: [Attribute] = []) {
        self.partTarget = partTarget
        self.otherAttributes = otherAttributes
    }
}

extension PartInfTag: AttributeTag {
    static let name = TagName.partInf

    init(reading attributes: inout AttributeReader) {
        partTarget = attributes.decimal("PART-TARGET", required: true) ?? 0
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.decimal("PART-TARGET", partTarget)
        attributes.others(otherAttributes)
    }
}
