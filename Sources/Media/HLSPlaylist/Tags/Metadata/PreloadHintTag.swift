/// EXT-X-PRELOAD-HINT: a resource that a client may request before it is available (section 4.4.5.3).
///
///     #EXT-X-PRELOAD-HINT:<attribute-list>
///
///     TYPE               enumerated string   required   PART or MAP
///     URI                quoted string       required
///     BYTERANGE-START    decimal integer     optional   0 when absent
///     BYTERANGE-LENGTH   decimal integer     optional   to the end of the resource when absent
public struct PreloadHintTag: Hashable, Sendable {
    /// The type of the resource.
    public struct Kind: OpenString {
        /// The enumerated string.
        public let rawValue: String
        /// Creates a type.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A Partial Segment.
        public static let part: Kind = "PART"
        /// A Media Initialization Section.
        public static let map: Kind = "MAP"
        /// The two types of the draft.
        public static let defined: Set<Kind> = [.part, .map]
    }

    /// The type of the resource (TYPE).
    public var kind: Kind
    /// The URI at which the resource will be available.
    public var uri: String
    /// The offset of the first byte; nil means 0.
    public var byteRangeStart: UInt64?
    /// The length in bytes; nil means up to the end of the resource.
    public var byteRangeLength: UInt64?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(
        kind: Kind,
        uri: String,
        byteRangeStart: UInt64? = nil,
        byteRangeLength: UInt64? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.kind = kind
        self.uri = uri
        self.byteRangeStart = byteRangeStart
        self.byteRangeLength = byteRangeLength
        self.otherAttributes = otherAttributes
    }
}

extension PreloadHintTag: AttributeTag {
    static let name = TagName.preloadHint

    init(reading attributes: inout AttributeReader) {
        kind = attributes.enumerated("TYPE", as: Kind.self, required: true) ?? .part
        uri = attributes.quotedString("URI", required: true) ?? ""
        byteRangeStart = attributes.integer("BYTERANGE-START")
        byteRangeLength = attributes.integer("BYTERANGE-LENGTH")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.enumerated("TYPE", kind)
        attributes.quotedString("URI", uri)
        attributes.integer("BYTERANGE-START", byteRangeStart)
        attributes.integer("BYTERANGE-LENGTH", byteRangeLength)
        attributes.others(otherAttributes)
    }
}
