import XMLDocuments

/// `Period`: a part of the presentation with a constant set of AdaptationSets and Representations (ISO/IEC 23009-1,
/// 5.3.2).
///
///     Period           id, start, duration
///       AdaptationSet  (each)   see ``AdaptationSet``
public struct Period: Hashable, Sendable {
    /// The identifier; nil when the attribute is absent.
    public var id: String?
    /// The start time in the presentation; nil means the end of the preceding Period.
    public var start: ManifestDuration?
    /// The duration; nil means until the next Period or the end of the presentation.
    public var duration: ManifestDuration?
    /// The AdaptationSets.
    public var adaptationSets: [AdaptationSet]

    /// Creates a Period.
    public init(
        id: String?,
        start: ManifestDuration? = nil,
        duration: ManifestDuration? = nil,
        adaptationSets: [AdaptationSet]
    ) {
        self.id = id
        self.start = start
        self.duration = duration
        self.adaptationSets = adaptationSets
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        id = element.attributes["id"]
        start = try element.duration("start")
        duration = try element.duration("duration")
        adaptationSets = []
        for child in element.children("AdaptationSet") { adaptationSets.append(try AdaptationSet(reading: child)) }
    }

    func write(to writer: inout XMLWriter) {
        let attributes = [("id", id), ("start", start?.description), ("duration", duration?.description)]
        writer.element("Period", attributes) { writer in
            for set in adaptationSets { set.write(to: &writer) }
        }
    }
}
