/// EXT-X-RENDITION-REPORT: the last segment and part of another rendition (section 4.4.5.4).
///
///     #EXT-X-RENDITION-REPORT:<attribute-list>
///
///     URI         quoted string     required   relative to this playlist
///     LAST-MSN    decimal integer   required, unless it equals this playlist's
///     LAST-PART   decimal integer   required when the rendition has Partial Segments, unless it equals this playlist's
public struct RenditionReportTag: Hashable, Sendable {
    /// The URI of the rendition's Media Playlist.
    public var uri: String
    /// The Media Sequence Number of the rendition's last segment; nil when it is the same as in this playlist.
    public var lastMediaSequenceNumber: UInt64?
    /// The index of the rendition's last Partial Segment; nil when there is none, or when it is the same as in this
    /// playlist.
    public var lastPart: UInt64?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(
        uri: String,
        lastMediaSequenceNumber: UInt64? = nil,
        lastPart: UInt64? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.uri = uri
        self.lastMediaSequenceNumber = lastMediaSequenceNumber
        self.lastPart = lastPart
        self.otherAttributes = otherAttributes
    }
}

extension RenditionReportTag: AttributeTag {
    static let name = TagName.renditionReport

    init(reading attributes: inout AttributeReader) {
        uri = attributes.quotedString("URI", required: true) ?? ""
        lastMediaSequenceNumber = attributes.integer("LAST-MSN")
        lastPart = attributes.integer("LAST-PART")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("URI", uri)
        attributes.integer("LAST-MSN", lastMediaSequenceNumber)
        attributes.integer("LAST-PART", lastPart)
        attributes.others(otherAttributes)
    }
}
