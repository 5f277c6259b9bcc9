/// EXT-X-KEY: how to decrypt the media segments and media initialization sections that follow (section 4.4.4.4).
///
///     #EXT-X-KEY:<attribute-list>
///
///     METHOD              enumerated string      required   NONE, AES-128, SAMPLE-AES, SAMPLE-AES-CTR, AES-256-GCM
///     URI                 quoted string          required unless METHOD is NONE
///     IV                  hexadecimal sequence   optional   128 bits
///     KEYFORMAT           quoted string          optional   "identity" when absent
///     KEYFORMATVERSIONS   quoted string          optional   n *( "/" n ), "1" when absent
///
/// It applies until the next EXT-X-KEY tag of the same key format, or one with the method NONE.
public struct KeyTag: Hashable, Sendable {
    /// How segments are encrypted. A method that the draft does not define is kept: what follows is encrypted all the
    /// same.
    public var method: EncryptionMethod
    /// Where the key is; nil when the method is NONE. Reading does not insist on it; the rule `key-without-uri` does.
    public var uri: String?
    /// The initialization vector; FairPlay has none here, since it comes with the key.
    public var iv: InitializationVector?
    /// KEYFORMAT as written; nil means ``KeyFormat/identity``. See ``keyFormat``.
    public var keyFormatAttribute: KeyFormat?
    /// KEYFORMATVERSIONS as written, such as `1` or `1/2/5`; nil means `1`.
    public var keyFormatVersions: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
    public init(
        method: EncryptionMethod,
        uri: String? = nil,
        iv: InitializationVector? = nil,
        keyFormat: KeyFormat? = nil,
        keyFormatVersions: String? = nil,
        otherAttributes: [Attribute] = []
    ) {
        self.method = method
        self.uri = uri
        self.iv = iv
        keyFormatAttribute = keyFormat
        self.keyFormatVersions = keyFormatVersions
        self.otherAttributes = otherAttributes
    }

    /// The tag that ends all encryption.
    public static let none = KeyTag(method: .none)

    /// The key format that applies.
    public var keyFormat: KeyFormat { keyFormatAttribute ?? .identity }

    /// A tag for FairPlay Streaming: SAMPLE-AES, no IV, version 1 of the key format.
    ///
    /// - Parameter uri: What the client hands to the key server's app, such as `skd://…`.
    public static func fairPlay(uri: String) -> KeyTag {
        KeyTag(method: .sampleAES, uri: uri, keyFormat: .fairPlay, keyFormatVersions: "1")
    }
}

extension KeyTag: AttributeTag {
    static let name = TagName.key

    init(reading attributes: inout AttributeReader) {
        method = attributes.enumerated("METHOD", as: EncryptionMethod.self, required: true, keepsUnknown: true) ?? .none
        uri = attributes.quotedString("URI")
        iv = attributes.initializationVector("IV")
        keyFormatAttribute = attributes.quotedString("KEYFORMAT").map(KeyFormat.init(rawValue:))
        keyFormatVersions = attributes.quotedString("KEYFORMATVERSIONS")
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.enumerated("METHOD", method)
        attributes.quotedString("URI", uri)
        attributes.enumerated("IV", iv?.text)
        attributes.quotedString("KEYFORMAT", keyFormatAttribute?.rawValue)
        attributes.quotedString("KEYFORMATVERSIONS", keyFormatVersions)
        attributes.others(otherAttributes)
    }
}
