import ByteCoding

/// An interstitial: other content, such as an advertisement, that an EXT-X-DATERANGE tag puts into a presentation
/// (appendix D.2).
///
///     CLASS="com.apple.hls.interstitial"
///
///     X-ASSET-URI               quoted string                 one of these two
///     X-ASSET-LIST              quoted string
///     X-RESUME-OFFSET           signed decimal, seconds       absent: the interstitial's duration
///     X-PLAYOUT-LIMIT           decimal, seconds
///     X-SNAP                    enumerated string list        OUT, IN
///     X-RESTRICT                enumerated string list        SKIP, JUMP
///     X-CONTENT-MAY-VARY        quoted string                 YES (default), NO
///     X-TIMELINE-OCCUPIES       quoted string                 POINT (default), RANGE
///     X-TIMELINE-STYLE          quoted string                 HIGHLIGHT (default), PRIMARY
///     X-SKIP-CONTROL-OFFSET, X-SKIP-CONTROL-DURATION   decimal integer, seconds      appendix D.3
///     X-SKIP-CONTROL-LABEL-ID   quoted string
public struct Interstitial: Hashable, Sendable {
    /// The class that marks an interstitial.
    public static let rangeClass = "com.apple.hls.interstitial"

    /// Where the content is.
    public enum Asset: Hashable, Sendable {
        /// One asset, by its absolute URI.
        case uri(String)
        /// A JSON list of assets, by its URI.
        case list(String)
    }

    /// Where the content is.
    public var asset: Asset
    /// Where the presentation goes on, in seconds after the interstitial's start; nil: after its duration.
    public var resumeOffset: Double?
    /// The greatest time of playing, in seconds.
    public var playoutLimit: Double?
    /// Which ends snap to a segment's boundary: `OUT`, `IN`.
    public var snap: [String]
    /// What the viewer may not do: `SKIP`, `JUMP`.
    public var restrictions: [String]
    /// Whether other players may get other content.
    public var contentMayVary: Bool
    /// Whether a timeline shows it as a range rather than as a point.
    public var occupiesRange: Bool
    /// Whether a timeline does not set it apart from the presentation.
    public var isStyledAsPrimary: Bool
    /// After how many seconds a skip button appears; nil when there is none.
    public var skipControlOffset: Double?
    /// For how many seconds the skip button stays; nil: to the end.
    public var skipControlDuration: Double?
    /// The key of the skip button's label.
    public var skipControlLabelID: String?
}

extension DateRangeTag {
    /// The interstitial that this tag schedules; nil when it is of another class, or names not exactly one of an asset
    /// and a list of assets.
    public var interstitial: Interstitial? {
        guard rangeClass == Interstitial.rangeClass else { return nil }
        let asset: Interstitial.Asset
        switch (self["X-ASSET-URI"], self["X-ASSET-LIST"]) {
        case (let uri?, nil): asset = .uri(uri)
        case (nil, let list?): asset = .list(list)
        default: return nil
        }
        func list(_ name: String) -> [String] { self[name]?.split(separator: ",").map(String.init) ?? [] }
        func number(_ name: String) -> Double? {
            guard let bytes = self[name].map({ Array($0.utf8) }) else { return nil }
            return Decimal.signedNumber(bytes.span.bytes, 0..<bytes.count)
        }
        return Interstitial(
            asset: asset,
            resumeOffset: number("X-RESUME-OFFSET"),
            playoutLimit: number("X-PLAYOUT-LIMIT"),
            snap: list("X-SNAP"),
            restrictions: list("X-RESTRICT"),
            contentMayVary: self["X-CONTENT-MAY-VARY"] != "NO",
            occupiesRange: self["X-TIMELINE-OCCUPIES"] == "RANGE",
            isStyledAsPrimary: self["X-TIMELINE-STYLE"] == "PRIMARY",
            skipControlOffset: number("X-SKIP-CONTROL-OFFSET"),
            skipControlDuration: number("X-SKIP-CONTROL-DURATION"),
            skipControlLabelID: self["X-SKIP-CONTROL-LABEL-ID"]
        )
    }
}
