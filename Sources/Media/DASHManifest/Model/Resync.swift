import XMLDocuments

/// `Resync`: the points within segments at which a client can begin to parse them (ISO/IEC 23009-1:2022).
///
///     Resync   type, dT
public struct Resync: Hashable, Sendable {
    /// The type of the stream access point at these points; 0 for the start of any CMAF chunk.
    public var type: UInt8
    /// The maximum time between two points, in units of the timescale of the Representation; nil when the attribute is
    /// absent.
    public var maximumTime: UInt64?

    /// Creates a description of resynchronization points.
    public init(type: UInt8, maximumTime: UInt64?) {
        self.type = type
        self.maximumTime = maximumTime
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        type = try element.number("type") ?? 0
        maximumTime = try element.number("dT")
    }

    func write(to writer: inout XMLWriter) {
        writer.element("Resync", [("type", "\(type)"), ("dT", maximumTime.map { "\($0)" })])
    }
}
