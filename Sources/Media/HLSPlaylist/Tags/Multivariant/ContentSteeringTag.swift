/// EXT-X-CONTENT-STEERING: where the steering manifest is (section 4.4.6.6).
///
///     #EXT-X-CONTENT-STEERING:<attribute-list>
///
///     SERVER-URI   quoted string   required
///     PATHWAY-ID   quoted string   optional   the pathway to use until the manifest is there
public struct ContentSteeringTag: Hashable, Sendable {
    /// The steering manifest.
    public var serverURI: String
    /// The pathway to use first.
    public var pathwayID: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
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
