import XMLDocuments

/// `AdaptationSet`: representations of the same content, between which players switch (ISO/IEC 23009-1, 5.3.3).
///
///     AdaptationSet            id, contentType, lang, mimeType, codecs, segmentAlignment, startWithSAP,
///                              subsegmentAlignment, subsegmentStartsWithSAP
///       ContentProtection      (each)   ┐
///       SupplementalProperty   (each)   │ in this order, which the schema asks for
///       Label                           │
///       Accessibility          (each)   │
///       Role                   (each)   │
///       SegmentTemplate                 │
///       Representation         (each)   ┘
///
/// There is one key in a set: clients fetch keys by sets.
public struct AdaptationSet: Hashable, Sendable {
    /// Its number in the period; nil: it has none.
    public var id: UInt32?
    /// `video`, `audio` or `text`; nil: not said.
    public var contentType: String?
    /// The language as a BCP 47 tag; nil: not said.
    public var language: String?
    /// Of all representations; nil: each has its own.
    public var mimeType: String?
    /// Of all representations, as RFC 6381 has them; nil: each has its own.
    public var codecs: String?
    /// Whether segments of all representations begin and end at the same times.
    public var hasAlignedSegments: Bool
    /// What segments begin with: 1 or 2 a key frame; nil: not said.
    public var startsWithSAP: UInt8?
    /// The same as ``hasAlignedSegments`` for the parts of single files.
    public var hasAlignedSubsegments: Bool
    /// The same as ``startsWithSAP`` for the parts of single files.
    public var subsegmentsStartWithSAP: UInt8?
    /// What viewers read; nil: nothing.
    public var label: String?
    /// What it is for.
    public var roles: [Descriptor]
    /// Whom it helps.
    public var accessibility: [Descriptor]
    /// What else a player may know of it.
    public var supplementalProperties: [Descriptor]
    /// How it is encrypted; empty when it is clear.
    public var protections: [ContentProtection]
    /// What the segments of all representations are called; nil: each has its own.
    public var template: SegmentTemplate?
    /// What there is to choose from.
    public var representations: [Representation]

    /// Makes a set.
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
        roles = try Descriptor.all("Role", in: element)
        accessibility = try Descriptor.all("Accessibility", in: element)
        supplementalProperties = try Descriptor.all("SupplementalProperty", in: element)
        for child in element.children("ContentProtection") { protections.append(try ContentProtection(reading: child)) }
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
            for property in supplementalProperties { property.write(as: "SupplementalProperty", to: &writer) }
            if let label { writer.element("Label", text: label) }
            for descriptor in accessibility { descriptor.write(as: "Accessibility", to: &writer) }
            for role in roles { role.write(as: "Role", to: &writer) }
            template?.write(to: &writer)
            for representation in representations { representation.write(to: &writer) }
        }
    }
}
