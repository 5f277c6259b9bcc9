/// EXT-X-CONTENT-STEERING: the location of the steering manifest (section 4.4.6.6).
///
///     #EXT-X-CONTENT-STEERING:<attribute-list>
///
///     SERVER-URI   quoted string   required
///     PATHWAY-ID   quoted string   optional   the pathway to use until the manifest is loaded
public struct ContentSteeringTag: Hashable, Sendable {
    /// The URI of the steering manifest.
    public var serverURI: String
    /// The initial pathway.
    public var pathwayID: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(serverURI: String, pathwayID: String? = nil, otherAttributes: [Attribute] = []) {
        self.serverURI = serverURI
        self.pathwayID = pathwayID
        self.otherAttributes = otherAttributes
    }
}

extension ContentSteeringTag: AttributeTag {
    static let name = TagName.contentSteering

    init(reading attributes: inout AttributeReader) {
        serverURI = attributes.quotedString("SERVER-URI", required: true) ?? ""
        pathwayID = attributes.quotedString("PATHWAY-ID")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("SERVER-URI", serverURI)
        attributes.quotedString("PATHWAY-ID", pathwayID)
        attributes.others(otherAttributes)
    }
}
