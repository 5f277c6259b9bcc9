/// EXT-X-SKIP: what a delta update leaves out (section 4.4.5.2).
///
///     #EXT-X-SKIP:<attribute-list>
///
///     SKIPPED-SEGMENTS              decimal integer   required
///     RECENTLY-REMOVED-DATERANGES   quoted string     required when date ranges were skipped; IDs between tabs, may be empty
public struct SkipTag: Hashable, Sendable {
    /// How many media segments the tag stands for.
    public var skippedSegments: UInt64
    /// The IDs of date ranges that were removed lately; nil when the update does not skip date ranges.
    public var recentlyRemovedDateRanges: [String]?
    /// Attributes that the draft does not define for this tag.
    public var otherAttributes: [Attribute]

    /// Makes a tag.
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
