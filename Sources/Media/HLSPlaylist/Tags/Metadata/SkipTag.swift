/// EXT-X-SKIP: the segments that a delta update skips (section 4.4.5.2).
///
///     #EXT-X-SKIP:<attribute-list>
///
///     SKIPPED-SEGMENTS              decimal integer   required
///     RECENTLY-REMOVED-DATERANGES   quoted string     required when Date Ranges are skipped; tab-separated IDs, may be
///     empty
public struct SkipTag: Hashable, Sendable {
    /// The number of Media Segments that the tag replaces.
    public var skippedSegments: UInt64
    /// The IDs of Date Ranges that were recently removed; nil when the update does not skip Date Ranges.
    public var recentlyRemovedDateRanges: [String]?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Creates a tag.
    public init(skippedSegments: UInt64, recentlyRemovedDateRanges: [String]? = nil, otherAttributes: [Attribute] = [])
    {
        self.skippedSegments = skippedSegments
        self.recentlyRemovedDateRanges = recentlyRemovedDateRanges
        self.otherAttributes = otherAttributes
    }
}

extension SkipTag: AttributeTag {
    static let name = TagName.skip

    init(reading attributes: inout AttributeReader) {
        skippedSegments = attributes.integer("SKIPPED-SEGMENTS", required: true) ?? 0
        recentlyRemovedDateRanges = attributes.quotedString("RECENTLY-REMOVED-DATERANGES", allowsEmpty: true)
            .map { $0.split(separator: "\t").map(String.init) }
        otherAttributes = attributes.remaining()
    }

    func write(to attributes: inout AttributeWriter) {
        attributes.integer("SKIPPED-SEGMENTS", skippedSegments)
        attributes.quotedString(
            "RECENTLY-REMOVED-DATERANGES",
            recentlyRemovedDateRanges?.joined(separator: "\t"),
            allowsEmpty: true,
            allowsTab: true
        )
        attributes.others(otherAttributes)
    }
}
