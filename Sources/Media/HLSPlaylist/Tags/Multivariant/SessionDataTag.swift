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
    /// What the resource at the URI is.
    public struct Format: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Makes a format.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A JSON document.
        public static let json: Format = "JSON"
        /// Bytes.
        public static let raw: Format = "RAW"
        /// The two of the draft.
        public static let defined: Set<Format> = [.json, .raw]
    }

    /// What the data is, as a rule in reverse DNS form.
    public var dataID: String
    /// The data.
    public var value: String?
    /// Where the data is.
    public var uri: String?
    /// What is at the URI; nil means JSON.
    public var format: Format?
    /// The language of the value.
    public var language: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
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
