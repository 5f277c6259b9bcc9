/// EXT-X-SESSION-DATA: data about the presentation (section 4.4.6.4).
///
///     #EXT-X-SESSION-DATA:<attribute-list>      either VALUE or URI
///
///     DATA-ID    quoted string       required
///     VALUE      quoted string
///     URI        quoted string
///     FORMAT     enumerated string   optional   JSON (when absent) or RAW
///     LANGUAGE   quoted string       optional   RFC 5646
public struct SessionDataTag: Hashable, Sendable {
    /// The format of the resource at the URI.
    public struct Format: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Creates a format.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A JSON document.
        public static let json: Format = "JSON"
        /// A binary file.
        public static let raw: Format = "RAW"
        /// The two formats of the draft.
        public static let defined: Set<Format> = [.json, .raw]
    }

    /// The identifier of the data, which should be in reverse DNS notation.
    public var dataID: String
    /// The value of the data; nil when the data is at ``uri``.
    public var value: String?
    /// The URI of the data; nil when the data is ``value``.
    public var uri: String?
    /// The format of the resource at the URI; nil means JSON.
    public var format: Format?
    /// The language of the value.
    public var language: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(
        dataID: String,
        value: String? = nil,
        uri: String? = nil,
        format: Format? = nil,
        language: String? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.dataID = dataID
        self.value = value
        self.uri = uri
        self.format = format
        self.language = language
        self.otherAttributes = otherAttributes
    }
}

extension SessionDataTag: AttributeTag {
    static let name = TagName.sessionData

    init(reading attributes: inout AttributeReader) {
        dataID = attributes.quotedString("DATA-ID", required: true) ?? ""
        value = attributes.quotedString("VALUE")
        uri = attributes.quotedString("URI")
        format = attributes.enumerated("FORMAT", as: Format.self)
        language = attributes.quotedString("LANGUAGE")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.quotedString("DATA-ID", dataID)
        attributes.quotedString("VALUE", value)
        attributes.quotedString("URI", uri)
        attributes.enumerated("FORMAT", format)
        attributes.quotedString("LANGUAGE", language)
        attributes.others(otherAttributes)
    }
}
