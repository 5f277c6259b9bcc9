/// EXT-X-KEY: a key of the Media Segments and Media Initialization Sections that follow (section 4.4.4.4).
///
///     #EXT-X-KEY:<attribute-list>
///
///     METHOD              enumerated string      required   NONE, AES-128, SAMPLE-AES, SAMPLE-AES-CTR, AES-256-GCM
///     URI                 quoted string          required unless METHOD is NONE
///     IV                  hexadecimal sequence   optional   128 bits
///     KEYFORMAT           quoted string          optional   "identity" when absent
///     KEYFORMATVERSIONS   quoted string          optional   n *( "/" n ), "1" when absent
///
/// The tag applies until the next EXT-X-KEY tag with the same key format or with METHOD=NONE.
public struct KeyTag: Hashable, Sendable {
    /// The encryption method. A method that the draft does not define is preserved, because the segments are encrypted
    /// nevertheless. It is empty if the tag that was read has no METHOD.
    public var method: EncryptionMethod
    /// The URI of the key; nil when the method is NONE. The reader does not require a URI; the rule `key-without-uri`
    /// does.
    public var uri: String?
    /// The initialization vector; a FairPlay key must not have one, because the CKC contains the vector.
    public var iv: InitializationVector?
    /// The value of KEYFORMAT; nil, which means ``KeyFormat/identity``, when the attribute is absent. See
    /// ``keyFormat``.
    public var keyFormatAttribute: KeyFormat?
    /// The value of KEYFORMATVERSIONS, such as `1` or `1/2/5`; nil means `1`.
    public var keyFormatVersions: String?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
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

    /// The tag with METHOD=NONE, after which segments are not encrypted.
    public static let none = KeyTag(method: .none)

    /// The key format, which is ``KeyFormat/identity`` by default.
    public var keyFormat: KeyFormat { keyFormatAttribute ?? .identity }

    /// The versions in ``keyFormatVersions``, in its order, each once; 1 if the attribute is absent. What is not a
    /// positive number is ignored, so the array is empty if the attribute contains none. With FairPlay Streaming, they
    /// are the protocol versions of an SPC for the key; a device without a common version creates no SPC (-42681).
    public var protocolVersions: [UInt32] {
        var known: Set<UInt32> = [0]
        return (keyFormatVersions ?? "1").split(separator: "/").compactMap { part in
            UInt32(part.drop { $0 == " " }.prefix { $0 != " " })
        }.filter { known.insert($0).inserted }
    }

    /// Creates a tag for FairPlay Streaming: SAMPLE-AES, no IV, version 1 of the key format.
    ///
    /// - Parameter uri: The URI that the client passes to the app with the key request, such as `skd://…`.
    public static func fairPlay(uri: String) -> KeyTag {
        KeyTag(method: .sampleAES, uri: uri, keyFormat: .fairPlay, keyFormatVersions: "1")
    }
}

extension KeyTag: AttributeTag {
    static let name = TagName.key

    init(reading attributes: inout AttributeReader) {
        let method = attributes.enumerated("METHOD", as: EncryptionMethod.self)
        if method == nil { attributes.report(missing: "METHOD") }
        // Without the tag, the segments would seem to be clear.
        self.method = method ?? .unspecified
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
