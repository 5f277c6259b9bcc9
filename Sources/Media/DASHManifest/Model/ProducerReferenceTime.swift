import XMLDocuments

/// `ProducerReferenceTime`: the wall-clock time at which media of a presentation time was produced (ISO/IEC 23009-1,
/// 5.12).
///
///     ProducerReferenceTime   id, type, wallClockTime, presentationTime
public struct ProducerReferenceTime: Hashable, Sendable {
    /// The identifier, to which ``ServiceDescription/Latency/referenceID`` refers.
    public var id: UInt32
    /// The step of production: `encoder`, `captured` or `application`.
    public var type: String
    /// The wall-clock time.
    public var wallClockTime: ManifestDate
    /// The media time, in units of the timescale of the Representations.
    public var presentationTime: UInt64

    /// Creates a producer reference time.
    public init(id: UInt32, type: String = "encoder", wallClockTime: ManifestDate, presentationTime: UInt64) {
        self.id = id
        self.type = type
        self.wallClockTime = wallClockTime
        self.presentationTime = presentationTime
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        _ = try (element.required("id"), element.required("wallClockTime"), element.required("presentationTime"))
        self.init(
            id: try element.number("id") ?? 0,
            type: element.attributes["type"] ?? "encoder",
            wallClockTime: try element.date("wallClockTime") ?? ManifestDate(microseconds: 0),
            presentationTime: try element.number("presentationTime") ?? 0
        )
    }

    func write(to writer: inout XMLWriter) {
        writer.element(
            "ProducerReferenceTime",
            [
                ("id", "\(id)"), ("type", type), ("wallClockTime", wallClockTime.description),
                ("presentationTime", "\(presentationTime)"),
            ]
        )
    }
}
