/// EXT-X-PART: a Partial Segment of the Media Segment that follows (section 4.4.4.9).
///
///     #EXT-X-PART:<attribute-list>
///
///     URI           quoted string                    required
///     DURATION      decimal floating point, seconds  required
///     INDEPENDENT   enumerated string                optional   YES
///     BYTERANGE     quoted string                    optional   length [ "@" offset ]
///     GAP           enumerated string                optional   YES
public struct PartTag: Hashable, Sendable {
    /// The URI of the Partial Segment.
    public var uri: String
    /// The duration in seconds.
    public var duration: Double
    /// True if the Partial Segment contains an independent frame, which can be decoded without other frames.
    public var isIndependent: Bool
    /// The byte range of the resource. Without an offset, it starts at the end of the previous part of the same
    /// segment.
    public var byteRange: ByteRange?
    /// True if the Partial Segment is not available.
    public var isGap: Bool
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag; `duration` is in seconds.
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
