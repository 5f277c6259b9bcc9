import XMLDocuments

/// A descriptor, which is a property with a scheme and a value: `Role`, `Accessibility`, `SupplementalProperty`,
/// `AudioChannelConfiguration` (ISO/IEC 23009-1, 5.8.2).
public struct Descriptor: Hashable, Sendable {
    /// The URI of the scheme, which defines the values.
    public var scheme: String
    /// The value; nil when the attribute is absent.
    public var value: String?

    /// Creates a descriptor.
    public init(scheme: String, value: String?) {
        self.scheme = scheme
        self.value = value
    }

    /// The scheme of DASH roles (ISO/IEC 23009-1, 5.8.5.5).
    public static let roleScheme = "urn:mpeg:dash:role:2011"
    /// The scheme of AdaptationSets between which a player may switch (ISO/IEC 23009-1, 5.3.3.5).
    public static let switchingScheme = "urn:mpeg:dash:adaptation-set-switching:2016"
    /// The scheme of audio channel configurations (ISO/IEC 23009-1, 5.8.5.4).
    public static let channelScheme = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"

    /// The scheme of UTCTiming with a server that answers with a date in the form of `xs:dateTime` (ISO/IEC 23009-1,
    /// 5.8.5.7).
    public static let timeServerScheme = "urn:mpeg:dash:utc:http-xsdate:2014"

    /// Returns a DASH role.
    public static func role(_ value: String) -> Descriptor { Descriptor(scheme: roleScheme, value: value) }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        scheme = try element.required("schemeIdUri")
        value = element.attributes["value"]
    }

    static func all(_ name: String, in element: XMLTree.Element) throws(ManifestError) -> [Descriptor] {
        var descriptors: [Descriptor] = []
        for child in element.children(name) { descriptors.append(try Descriptor(reading: child)) }
        return descriptors
    }

    func write(as name: String, to writer: inout XMLWriter) {
        writer.element(name, [("schemeIdUri", scheme), ("value", value)])
    }
}
