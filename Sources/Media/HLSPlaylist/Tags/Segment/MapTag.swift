/// EXT-X-MAP: the Media Initialization Section of the Media Segments that follow (section 4.4.4.5).
///
///     #EXT-X-MAP:<attribute-list>
///
///     URI         quoted string   required
///     BYTERANGE   quoted string   optional   length "@" offset; the whole resource when absent
///
/// The tag applies until the next EXT-X-MAP tag. The preceding EXT-X-KEY tags specify its encryption.
public struct MapTag: Hashable, Sendable {
    /// The URI of the section.
    public var uri: String
    /// The byte range of the resource; nil for the whole resource.
    public var byteRange: ByteRange?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
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
