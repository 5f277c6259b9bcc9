/// EXT-X-PART: a partial segment of the media segment that follows (section 4.4.4.9).
///
///     #EXT-X-PART:<attribute-list>
///
///     URI           quoted string                    required
///     DURATION      decimal floating point, seconds  required
///     INDEPENDENT   enumerated string                optional   YES
///     BYTERANGE     quoted string                    optional   length [ "@" offset ]
///     GAP           enumerated string                optional   YES
public struct PartTag: Hashable, Sendable {
    /// Where the partial segment is.
    public var uri: String
    /// How long it is, in seconds.
    public var duration: Double
    /// Whether it holds a frame that can be decoded without another.
    public var isIndependent: Bool
    /// Which bytes of the resource; without an offset, those after the previous part of the same segment.
    public var byteRange: ByteRange?
    /// Whether it is not available.
    public var isGap: Bool
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag; `duration` is in seconds.
    public init(
        uri: String,
        duration: Double,
        isIndependent: Bool = false,
        byteRange: ByteRange? = nil,
        isGap: Bool = false,
        otherAttributes: [Attribute] = []
    ) {
        self.uri = uri
        self.duration = duration
        self.isIndependent = isIndependent
        self.byteRange = byteRange
        self.isGap = isGap
        self.otherAttributes = otherAttributes
    }
}

extension PartTag: AttributeTag {
    static let name = TagName.part

    init(reading attributes: inout AttributeReader) {
        uri = attributes.quotedString("URI", required: true) ?? ""
        duration = attributes.decimal("DURATION", required: true) ?? 0
        isIndependent = attributes.yes("INDEPENDENT")
        byteRange = attributes.byteRange("BYTERANGE")
        isGap = attributes.yes("GAP")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("URI", uri)
        attributes.decimal("DURATION", duration)
        attributes.yes("INDEPENDENT", isIndependent)
        attributes.quotedString("BYTERANGE", byteRange?.text)
        attributes.yes("GAP", isGap)
        attributes.others(otherAttributes)
    }
}
