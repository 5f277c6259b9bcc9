/// EXT-X-PART-INF: about the partial segments of a playlist (section 4.4.3.7).
///
///     #EXT-X-PART-INF:<attribute-list>
///
///     PART-TARGET   decimal floating point, seconds   required
public struct PartInfTag: Hashable, Sendable {
    /// The part target duration, in seconds: no partial segment is longer.
    public var partTarget: Double
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag; `partTarget` is in seconds.
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
