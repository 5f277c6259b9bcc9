import XMLDocuments

/// `AdaptationSet`: Representations of the same content, between which players switch (ISO/IEC 23009-1, 5.3.3).
///
///     AdaptationSet            id, contentType, lang, mimeType, codecs, segmentAlignment, startWithSAP,
///                              subsegmentAlignment, subsegmentStartsWithSAP
///       ContentProtection      (each)   ┐
///       OutputProtection       (each)   │
///       SupplementalProperty   (each)   │ in this order, which the schema requires
///       Label                           │
///       ProducerReferenceTime           │
///       Accessibility          (each)   │
///       Role                   (each)   │
///       SegmentTemplate                 │
///       Representation         (each)   ┘
///
/// An AdaptationSet should have only one key, because clients request keys per AdaptationSet.
public struct AdaptationSet: Hashable, Sendable {
    /// The identifier, unique within the Period; nil when the attribute is absent.
    public var id: UInt32?
    /// The content type, `video`, `audio` or `text`; nil when the attribute is absent.
    public var contentType: String?
    /// The language as a BCP 47 tag; nil when the attribute is absent.
    public var language: String?
    /// The MIME type of all Representations; nil when each Representation specifies it.
    public var mimeType: String?
    /// The codecs of all Representations in the syntax of RFC 6381; nil when each Representation specifies them.
    public var codecs: String?
    /// True if the segments of all Representations are aligned: they start and end at the same times.
    public var hasAlignedSegments: Bool
    /// The type of the stream access point (SAP) at the start of segments, where 1 and 2 mean a key frame; nil when the
    /// attribute is absent.
    public var startsWithSAP: UInt8?
    /// True if the subsegments of all Representations are aligned; for single files.
    public var hasAlignedSubsegments: Bool
    /// The type of the stream access point (SAP) at the start of subsegments; for single files.
    public var subsegmentsStartWithSAP: UInt8?
    /// The human-readable label; nil when there is none.
    public var label: String?
    /// The wall-clock time at which media was produced; nil if the manifest does not state it.
    public var producerReferenceTime: ProducerReferenceTime?
    /// The roles, such as `main`.
    public var roles: [Descriptor]
    /// The accessibility properties, such as audio description.
    public var accessibility: [Descriptor]
    /// Additional properties, which players may ignore.
    public var supplementalProperties: [Descriptor]
    /// The ContentProtection elements; empty without encryption.
    public var protections: [ContentProtection]
    /// The OutputProtection elements: the protection that outputs must have, such as a version of HDCP.
    public var outputProtections: [Descriptor]
    /// The segment template of all Representations; nil when each Representation specifies its segments.
    public var template: SegmentTemplate?
    /// The Representations.
    public var representations: [Representation]

    /// Creates an AdaptationSet.
    public init(id: UInt32?, contentType: String?, mimeType: String?, representations: [Representation]) {
        self.id = id
        self.contentType = contentType
        self.mimeType = mimeType
        self.representations = representations
        hasAlignedSegments = false
        hasAlignedSubsegments = false
        roles = []
        accessibility = []
        supplementalProperties = []
        protections = []
        outputProtections = []
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        self.init(
            id: try element.number("id"),
            contentType: element.attributes["contentType"],
            mimeType: element.attributes["mimeType"],
            representations: []
        )
        language = element.attributes["lang"]
        codecs = element.attributes["codecs"]
        hasAlignedSegments = try element.flag("segmentAlignment") ?? false
        startsWithSAP = try element.number("startWithSAP")
        hasAlignedSubsegments = try element.flag("subsegmentAlignment") ?? false
        subsegmentsStartWithSAP = try element.number("subsegmentStartsWithSAP")
        label = element.child("Label")?.trimmedText
        if let child = element.child("ProducerReferenceTime") {
            producerReferenceTime = try ProducerReferenceTime(reading: child)
        }
        roles = try Descriptor.all("Role", in: element)
        accessibility = try Descriptor.all("Accessibility", in: element)
        supplementalProperties = try Descriptor.all("SupplementalProperty", in: element)
        for child in element.children("ContentProtection") { protections.append(try ContentProtection(reading: child)) }
        outputProtections = try Descriptor.all("OutputProtection", in: element)
        if let child = element.child("SegmentTemplate") { template = try SegmentTemplate(reading: child) }
        for child in element.children("Representation") { representations.append(try Representation(reading: child)) }
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("id", id.map { "\($0)" }), ("contentType", contentType), ("lang", language), ("mimeType", mimeType),
            ("codecs", codecs), ("segmentAlignment", hasAlignedSegments ? "true" : nil),
            ("startWithSAP", startsWithSAP.map { "\($0)" }),
            ("subsegmentAlignment", hasAlignedSubsegments ? "true" : nil),
            ("subsegmentStartsWithSAP", subsegmentsStartWithSAP.map { "\($0)" }),
        ]
        writer.element("AdaptationSet", attributes) { writer in
            for protection in protections { protection.write(to: &writer) }
            for descriptor in outputProtections { descriptor.write(as: "OutputProtection", to: &writer) }
            for property in supplementalProperties { property.write(as: "SupplementalProperty", to: &writer) }
            if let label { writer.element("Label", text: label) }
            producerReferenceTime?.write(to: &writer)
            for descriptor in accessibility { descriptor.write(as: "Accessibility", to: &writer) }
            for role in roles { role.write(as: "Role", to: &writer) }
            template?.write(to: &writer)
            for representation in representations { representation.write(to: &writer) }
        }
    }
}
