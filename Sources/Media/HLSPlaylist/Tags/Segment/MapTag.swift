/// EXT-X-MAP: the media initialization section of the media segments that follow (section 4.4.4.5).
///
///     #EXT-X-MAP:<attribute-list>
///
///     URI         quoted string   required
///     BYTERANGE   quoted string   optional   length "@" offset; the whole resource when absent
///
/// It applies until the next EXT-X-MAP tag. The EXT-X-KEY tags above it say how it is encrypted.
public struct MapTag: Hashable, Sendable {
    /// Where the section is.
    public var uri: String
    /// Which bytes of it; nil for all.
    public var byteRange: ByteRange?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
    public init(uri: String, byteRange: ByteRange? = nil, otherAttributes: [Attribute] = []) {
        self.uri = uri
        self.byteRange = byteRange
        self.otherAttributes = otherAttributes
    }
}

extension MapTag: AttributeTag {
    static let name = TagName.map

    init(reading attributes: inout AttributeReader) {
        uri = attributes.quotedString("URI", required: true) ?? ""
        byteRange = attributes.byteRange("BYTERANGE")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("URI", uri)
        attributes.quotedString("BYTERANGE", byteRange?.text)
        attributes.others(otherAttributes)
    }
}
