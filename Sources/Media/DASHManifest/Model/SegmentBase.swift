import XMLDocuments

/// `SegmentBase`: a single file with a segment index, the `sidx` box (ISO/IEC 23009-1, 5.3.9.2).
///
///     SegmentBase        timescale, presentationTimeOffset, indexRange
///       Initialization   range
public struct SegmentBase: Hashable, Sendable {
    /// The number of time units per second of ``presentationTimeOffset``.
    public var timescale: UInt32
    /// The media time at the start of the Period, in units of the timescale.
    public var presentationTimeOffset: UInt64
    /// The byte range of the segment index in the file; nil when the attribute is absent.
    public var indexRange: Range<UInt64>?
    /// The byte range of the initialization segment in the file; nil when the attribute is absent.
    public var initializationRange: Range<UInt64>?

    /// Creates a segment base.
    public init(
        timescale: UInt32,
        presentationTimeOffset: UInt64 = 0,
        indexRange: Range<UInt64>?,
        initializationRange: Range<UInt64>?
    ) {
        self.timescale = timescale
        self.presentationTimeOffset = presentationTimeOffset
        self.indexRange = indexRange
        self.initializationRange = initializationRange
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        timescale = try element.number("timescale") ?? 1
        presentationTimeOffset = try element.number("presentationTimeOffset") ?? 0
        indexRange = try element.byteRange("indexRange")
        initializationRange = try element.child("Initialization")?.byteRange("range")
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("timescale", "\(timescale)"),
            ("presentationTimeOffset", presentationTimeOffset == 0 ? nil : "\(presentationTimeOffset)"),
            ("indexRange", indexRange?.attribute),
        ]
        writer.element("SegmentBase", attributes) { writer in
            if let initializationRange { writer.element("Initialization", [("range", initializationRange.attribute)]) }
        }
    }
}
