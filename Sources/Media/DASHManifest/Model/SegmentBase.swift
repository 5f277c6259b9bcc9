import XMLDocuments

/// `SegmentBase`: one file with an index of its segments, a `sidx` box (ISO/IEC 23009-1, 5.3.9.2).
///
///     SegmentBase        timescale, presentationTimeOffset, indexRange
///       Initialization   range
public struct SegmentBase: Hashable, Sendable {
    /// Units per second of ``presentationTimeOffset``.
    public var timescale: UInt32
    /// Which time of the media is the beginning of the period.
    public var presentationTimeOffset: UInt64
    /// Where the index lies in the file; nil: not said.
    public var indexRange: Range<UInt64>?
    /// Where the init segment lies in the file; nil: not said.
    public var initializationRange: Range<UInt64>?

    /// Describes a file.
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
