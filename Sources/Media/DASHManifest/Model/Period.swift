import XMLDocuments

/// `Period`: a part of the presentation in which nothing but the representation changes (ISO/IEC 23009-1, 5.3.2).
///
///     Period           id, start, duration
///       AdaptationSet  (each)   see ``AdaptationSet``
public struct Period: Hashable, Sendable {
    /// Its name; nil: it has none.
    public var id: String?
    /// When it begins in the presentation; nil: where the one before it ends.
    public var start: ManifestDuration?
    /// How long it is; nil: to the next one, or to the end.
    public var duration: ManifestDuration?
    /// What there is to choose from.
    public var adaptationSets: [AdaptationSet]

    /// Makes a period.
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
